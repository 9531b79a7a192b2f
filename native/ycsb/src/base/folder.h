// Sizes and clones of database folders.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ycsb {

// Bytes of the files in a folder and below, by what they hold.
struct FolderSpace {
  uint64_t table_bytes = 0;     // *.sst, *.ldb
  uint64_t blob_bytes = 0;      // *.blob
  uint64_t wal_bytes = 0;       // *.log
  uint64_t manifest_bytes = 0;  // MANIFEST-*
  uint64_t other_bytes = 0;     // LOG, OPTIONS, ...

  // What the data costs on disk: all but `other_bytes`.
  uint64_t data_bytes() const { return table_bytes + blob_bytes + wal_bytes + manifest_bytes; }
};

// Adds up file sizes; files that vanish meanwhile do not count, a missing folder is empty. One stat
// a file. Thread-safe.
FolderSpace MeasureFolder(const std::filesystem::path& folder);

// Keeps the database in `folder` closed: while it lives no process can open it, though others may
// keep it closed too. Holds a shared lock on the file LOCK; where there is none, as in a checkpoint
// that nobody opened, nothing is held.
class KeepClosed {
 public:
  // Throws UsageError where another process has the database open. REQUIRES: this process has not:
  // it would lose its own lock.
  explicit KeepClosed(const std::filesystem::path& folder);
  ~KeepClosed();
  KeepClosed(const KeepClosed&) = delete;
  KeepClosed& operator=(const KeepClosed&) = delete;

 private:
  int file_ = -1;
};

struct CloneResult {
  uint64_t linked_files = 0;
  uint64_t copied_files = 0;
  uint64_t linked_bytes = 0;
  uint64_t copied_bytes = 0;
};

// Makes `to` a database like the one in `from`: files that the engine never writes again (their
// names end in one of `immutable`) are hard-linked, or copied where `to` is on another file system;
// the rest is copied, without LOCK and LOG*. `from` is left unharmed whatever happens to `to`.
// REQUIRES: nobody writes into `from`. Throws UsageError where `from` holds no database, `to` has
// files or lies in `from`; Failure where the system refuses, and then leaves `to` empty.
CloneResult CloneDatabase(const std::filesystem::path& from, const std::filesystem::path& to,
                          const std::vector<std::string>& immutable);

// Makes an empty temporary folder below the system's, removed with all it holds when the object
// goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ycsb
