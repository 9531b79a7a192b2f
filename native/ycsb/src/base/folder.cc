#include "base/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/error.h"

namespace ycsb {
namespace fs = std::filesystem;
namespace {

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool StartsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

uint64_t* Bin(const std::string& name, FolderSpace* space) {
  if (EndsWith(name, ".sst") || EndsWith(name, ".ldb")) return &space->table_bytes;
  if (EndsWith(name, ".blob")) return &space->blob_bytes;
  if (EndsWith(name, ".log")) return &space->wal_bytes;
  if (StartsWith(name, "MANIFEST-")) return &space->manifest_bytes;
  return &space->other_bytes;
}

bool LeftOut(const std::string& name) { return name == "LOCK" || StartsWith(name, "LOG"); }

void CloneFile(const fs::path& from, const fs::path& to, bool immutable, CloneResult* result) {
  const uint64_t bytes = fs::file_size(from);
  std::error_code error;
  if (immutable) fs::create_hard_link(from, to, error);
  if (immutable && !error) {
    ++result->linked_files;
    result->linked_bytes += bytes;
    return;
  }
  fs::copy_file(from, to);
  ++result->copied_files;
  result->copied_bytes += bytes;
}

// Whether `inner` is `outer` or lies below it.
bool Within(const fs::path& inner, const fs::path& outer) {
  const fs::path relative = fs::weakly_canonical(fs::absolute(inner))
                                .lexically_relative(fs::weakly_canonical(fs::absolute(outer)));
  return !relative.empty() && *relative.begin() != "..";
}

void CheckClone(const fs::path& from, const fs::path& to) {
  if (!fs::exists(from / "CURRENT")) {
    throw UsageError("the clone's origin " + from.string() +
                     " holds no database (no file CURRENT); load one there first");
  }
  if (fs::exists(to) && !fs::is_empty(to)) {
    throw UsageError("the folder " + to.string() +
                     " for the clone is not empty; name a new folder or remove it");
  }
  if (Within(to, from)) {
    throw UsageError("the folder " + to.string() + " for the clone lies in its origin " +
                     from.string() + "; name one outside of it");
  }
}

CloneResult CloneFiles(const fs::path& from, const fs::path& to,
                       const std::vector<std::string>& immutable) {
  CloneResult result;
  fs::create_directories(to);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = to / fs::relative(entry.path(), from);
    const std::string name = entry.path().filename().string();
    if (entry.is_directory()) {
      fs::create_directories(target);
    } else if (entry.is_regular_file() && !LeftOut(name)) {
      const bool linkable = std::any_of(immutable.begin(), immutable.end(),
                                        [&](const auto& end) { return EndsWith(name, end); });
      CloneFile(entry.path(), target, linkable, &result);
    }
  }
  return result;
}

// Half a copy is no database, and would be in the way of the next attempt.
void RemoveContents(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

FolderSpace MeasureFolder(const fs::path& folder) {
  FolderSpace space;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    const uint64_t bytes = entry->file_size(gone);
    if (!gone) *Bin(entry->path().filename().string(), &space) += bytes;
  }
  return space;
}

KeepClosed::KeepClosed(const fs::path& folder) {
  file_ = open((folder / "LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) return;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(file_, F_SETLK, &lock) == 0) return;
  const bool in_use = errno == EACCES || errno == EAGAIN;
  const bool known = fcntl(file_, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(file_);
  file_ = -1;
  if (!in_use) return;  // a file system without locks
  throw UsageError("the database " + folder.string() + " is in use by " +
                   (known ? "process " + std::to_string(lock.l_pid) : "another process") +
                   "; wait until it has ended");
}

KeepClosed::~KeepClosed() {
  if (file_ >= 0) close(file_);
}

CloneResult CloneDatabase(const fs::path& from, const fs::path& to,
                          const std::vector<std::string>& immutable) {
  bool begun = false;
  try {
    CheckClone(from, to);
    begun = true;
    return CloneFiles(from, to, immutable);
  } catch (const fs::filesystem_error& error) {
    if (begun) RemoveContents(to);
    throw Failure("the database " + from.string() + " cannot be cloned to " + to.string() + ": " +
                  error.code().message() + "; check the disk and the permissions");
  }
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "lsmtune-ycsb-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Failure("no temporary folder can be made at " + name +
                  "; set TMPDIR to a folder with space");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace ycsb
