// What the driver asks of a storage engine.
//
// To add an engine: a folder below engines/ that implements these three classes and a
// CMakeLists.txt that defines the library `engine_NAME`; and its name in the list of
// engines/CMakeLists.txt. Engines include nothing of each other, and nothing outside of their
// folder includes their headers.
//
// Order of calls: EngineType::Destroy() perhaps, EngineType::Open(), then the Engine's methods; its
// destructor closes the database. All Sessions go before their Engine. Errors of an engine are
// thrown as Failure, with the path and the engine's own words.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/event.h"

namespace ycsb {

// Files and bytes of one level of the tree.
struct Level {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

// The tree and its background work at one moment. What an engine cannot say is absent, never 0.
struct TreeState {
  std::vector<Level> levels;
  uint64_t running_flushes = 0;      // that run or wait in a queue
  uint64_t running_compactions = 0;  // that run or wait in a queue
  bool flush_pending = false;        // a memtable is full, its flush is not done
  bool compaction_pending = false;   // the engine wants to compact
  bool compaction_disabled = false;  // ... and never will by itself
  bool writes_stopped = false;
  std::string background_error;  // why background work ended for good; empty: it did not
  std::optional<uint64_t> delayed_write_rate_bytes_s;  // absent also where writes are not delayed
  std::optional<uint64_t>
      pending_compaction_bytes;  // the engine's estimate, or ours from its rules
  std::optional<uint64_t> memtable_bytes;
  std::optional<uint64_t> cache_bytes;
  std::optional<uint64_t> table_reader_bytes;  // index and filter blocks outside of the cache
};

// What was counted since the database was opened. Absent: the engine, as it is configured, cannot
// say.
struct Counters {
  uint64_t flush_bytes = 0;       // table and blob bytes written by flushes
  uint64_t compaction_bytes = 0;  // table and blob bytes written by compactions
  std::optional<uint64_t> compaction_read_bytes;
  std::optional<uint64_t> wal_bytes;
  std::optional<uint64_t> stall_us;  // time that writers were held back, all together
  std::optional<uint64_t>
      table_reads;  // reads of table files; of users where they can be told apart, else all
  std::optional<uint64_t> cache_hits;  // look-ups in the block cache
  std::optional<uint64_t> cache_misses;
  std::map<std::string, uint64_t> tickers;  // all that the engine counts, under its own names
};

struct EngineState {
  TreeState tree;
  Counters counters;
};

// Section name -> option name -> value, as the engine uses them.
using OptionSections = std::map<std::string, std::map<std::string, std::string>>;

// Sees the rows of a scan.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;

  // `key` and `value` are valid during the call only.
  virtual void Visit(std::string_view key, std::string_view value) = 0;
};

// One thread's access to an open database.
class Session {
 public:
  virtual ~Session() = default;

  // Looks `key` up. False where there is none. `*value` is valid until the session's next call.
  virtual bool Read(std::string_view key, std::string_view* value) = 0;

  // Sets `key`, whether it exists or not.
  virtual void Write(std::string_view key, std::string_view value) = 0;

  // Removes `key`, whether it exists or not.
  virtual void Delete(std::string_view key) = 0;

  // Visits the pairs from the first key that is not below `first` on, in order, at most `limit`,
  // and returns how many.
  virtual uint64_t Scan(std::string_view first, uint64_t limit, RowVisitor* visitor) = 0;
};

// An open database. Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::unique_ptr<Session> NewSession() = 0;

  // A snapshot of tree and counters. May hold the database's lock for a moment: 1 ms with 1000s of
  // files.
  virtual EngineState Observe() = 0;

  // The options in use, read back after opening.
  virtual OptionSections EffectiveOptions() = 0;

  // Starts writing the memtable into the tree. Observe() tells when that is done.
  virtual void StartFlush() = 0;

  // Makes a copy of the database, of this moment, in the new folder `target`, by links where
  // possible. REQUIRES: no session is at work.
  virtual void Checkpoint(const std::filesystem::path& target) = 0;

  // Closes the database, which may write what its memtable holds, and returns what it counted until
  // then. Throws Failure where that write failed. REQUIRES: no session; nothing is called afterwards.
  virtual Counters Close() = 0;
};

// How much the engine itself counts.
enum class StatisticsLevel { kNone, kTickers, kFull };

// How to open a database.
struct OpenRequest {
  std::filesystem::path path;
  bool create = false;                            // where there is none
  std::map<std::string, std::string> properties;  // NAME.x=y of the property files, as x=y
  std::vector<std::pair<std::string, std::string>> options;  // -o, after everything else, in order
  std::string options_file;                                  // empty: none
  StatisticsLevel statistics = StatisticsLevel::kTickers;
  bool sync = false;  // sync the WAL at each write
  bool disable_wal = false;
  EventSink* events = nullptr;  // outlives the engine
};

// Facts of an engine's library.
struct EngineFacts {
  std::string name;
  std::string version;
  std::optional<bool> assertions;        // absent: not known
  std::vector<std::string> compressors;  // those that work
};

// A kind of engine. Stateless.
class EngineType {
 public:
  virtual ~EngineType() = default;

  virtual std::string name() const = 0;

  virtual EngineFacts Facts() const = 0;

  // Whether the property NAME.`name` means something to this engine's library. Throws UsageError for
  // a `value` that cannot be meant, and for what is refused.
  virtual bool Knows(const std::string& name, const std::string& value) const = 0;

  // Throws UsageError for options that do not exist or cannot be read, Failure for what the engine
  // rejects when it opens the database.
  virtual std::unique_ptr<Engine> Open(const OpenRequest& request) const = 0;

  // Removes the database at `path`: its files only. Nothing happens where there is none.
  virtual void Destroy(const std::filesystem::path& path) const = 0;

  // How names end of files that are never written again once they are complete.
  virtual std::vector<std::string> ImmutableFiles() const = 0;
};

}  // namespace ycsb
