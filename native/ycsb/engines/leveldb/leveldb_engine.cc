#include "leveldb_engine.h"

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/folder.h"
#include "leveldb_tree.h"
#include "workload/properties.h"

namespace ycsb {
namespace {

[[noreturn]] void Fail(const std::string& doing, const std::string& path,
                       const leveldb::Status& status) {
  const std::string step = status.IsIOError()
                               ? "check the disk's space and the folder's permissions"
                               : "check the folder and its file LOG";
  throw Failure("LevelDB cannot " + doing + " " + path + ": " + status.ToString() + "; " + step);
}

leveldb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

// Hands each line to a LeveldbLog and writes it into the file LOG as LevelDB would.
class TeeLogger final : public leveldb::Logger {
 public:
  TeeLogger(LeveldbLog* log, leveldb::Logger* file) : log_(log), file_(file) {}

  void Logv(const char* format, std::va_list arguments) override {
    std::va_list copy;
    va_copy(copy, arguments);
    std::array<char, 512> line{};  // the lines that count are short
    std::vsnprintf(line.data(), line.size(), format, copy);
    va_end(copy);
    log_->Read(Trim(line.data()), NowNs());
    if (file_) file_->Logv(format, arguments);
  }

 private:
  LeveldbLog* log_;
  std::unique_ptr<leveldb::Logger> file_;
};

// Makes the LOG, the last one becoming LOG.old, as LevelDB does. Null where there is no folder.
leveldb::Logger* MakeLogFile(const std::string& path, bool create) {
  leveldb::Env* const env = leveldb::Env::Default();
  if (create) env->CreateDir(path);
  if (!env->FileExists(path)) return nullptr;
  env->RenameFile(path + "/LOG", path + "/LOG.old");
  leveldb::Logger* logger = nullptr;
  return env->NewLogger(path + "/LOG", &logger).ok() ? logger : nullptr;
}

class LeveldbSession final : public Session {
 public:
  LeveldbSession(leveldb::DB* db, std::string path, const LeveldbOptions& options, bool sync)
      : db_(db), path_(std::move(path)) {
    read_options_.verify_checksums = options.verify_checksums;
    read_options_.fill_cache = options.fill_cache;
    write_options_.sync = sync;
  }

  bool Read(std::string_view key, std::string_view* value) override {
    const leveldb::Status status = db_->Get(read_options_, ToSlice(key), &value_);
    if (status.IsNotFound()) return false;
    if (!status.ok()) Fail("read from", path_, status);
    *value = value_;
    return true;
  }

  void Write(std::string_view key, std::string_view value) override {
    const leveldb::Status status = db_->Put(write_options_, ToSlice(key), ToSlice(value));
    if (!status.ok()) Fail("write to", path_, status);
  }

  void Delete(std::string_view key) override {
    const leveldb::Status status = db_->Delete(write_options_, ToSlice(key));
    if (!status.ok()) Fail("write to", path_, status);
  }

  uint64_t Scan(std::string_view first, uint64_t limit, RowVisitor* visitor) override {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(read_options_));
    uint64_t seen = 0;
    for (iterator->Seek(ToSlice(first)); iterator->Valid() && seen < limit; iterator->Next()) {
      const leveldb::Slice key = iterator->key();
      const leveldb::Slice value = iterator->value();
      visitor->Visit({key.data(), key.size()}, {value.data(), value.size()});
      ++seen;
    }
    if (!iterator->status().ok()) Fail("scan", path_, iterator->status());
    return seen;
  }

 private:
  leveldb::DB* db_;
  std::string path_;
  leveldb::ReadOptions read_options_;
  leveldb::WriteOptions write_options_;
  std::string value_;
};

}  // namespace

LeveldbEngine::LeveldbEngine(const OpenRequest& request)
    : path_(request.path.string()),
      options_(MakeLeveldbOptions(request)),
      log_(request.events),
      sync_(request.sync),
      env_({[this] { log_.EndWait(NowNs()); },
            [this](uint64_t number) { return log_.IsFlush(number); }}),
      cache_(static_cast<size_t>(options_.cache_size), env_.shared_counts()) {
  Open(request);
}

LeveldbEngine::~LeveldbEngine() = default;

void LeveldbEngine::Open(const OpenRequest& request) {
  logger_ = std::make_unique<TeeLogger>(&log_, MakeLogFile(path_, request.create));
  if (options_.filter_bits > 0) {
    filter_.reset(leveldb::NewBloomFilterPolicy(static_cast<int>(options_.filter_bits)));
  }
  leveldb::Options options;
  options.create_if_missing = request.create;
  options.env = &env_;
  options.info_log = logger_.get();
  options.block_cache = &cache_;
  options.filter_policy = filter_.get();
  options.write_buffer_size = static_cast<size_t>(options_.write_buffer_size);
  options.max_file_size = static_cast<size_t>(options_.max_file_size);
  options.max_open_files = static_cast<int>(options_.max_open_files);
  options.block_size = static_cast<size_t>(options_.block_size);
  options.block_restart_interval = static_cast<int>(options_.block_restart_interval);
  options.compression = options_.snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  options.reuse_logs = options_.reuse_logs;
  options.paranoid_checks = options_.paranoid_checks;
  leveldb::DB* db = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, path_, &db);
  if (!status.ok()) Fail("open", path_, status);
  db_.reset(db);
}

std::unique_ptr<Session> LeveldbEngine::NewSession() {
  return std::make_unique<LeveldbSession>(db_.get(), path_, options_, sync_);
}

std::string LeveldbEngine::Property(const char* name) {
  std::string text;
  db_->GetProperty(name, &text);
  return text;
}

EngineState LeveldbEngine::Observe() {
  EngineState state;
  TreeState& tree = state.tree;
  // LevelDB queues its next job before it ends the last one: no job means that it wants to do
  // nothing.
  tree.running_compactions = env_.counts().jobs.load(std::memory_order_acquire);
  tree.levels = ParseLeveldbTree(Property("leveldb.sstables"));
  tree.pending_compaction_bytes = LeveldbPendingBytes(tree.levels);
  tree.cache_bytes = cache_.TotalCharge();
  const auto memory = ParseCount(Property("leveldb.approximate-memory-usage"));
  if (memory && *memory >= *tree.cache_bytes) tree.memtable_bytes = *memory - *tree.cache_bytes;
  const LeveldbLogSums sums = log_.Sums();
  tree.background_error = sums.error;
  state.counters = Count(sums);
  return state;
}

Counters LeveldbEngine::Count(const LeveldbLogSums& sums) const {
  const EnvCounts& counts = env_.counts();
  Counters counters;
  counters.flush_bytes = counts.flush_bytes.load(std::memory_order_relaxed);
  counters.compaction_bytes = counts.compaction_bytes.load(std::memory_order_relaxed);
  counters.compaction_read_bytes = counts.background_read_bytes.load(std::memory_order_relaxed);
  counters.wal_bytes = counts.wal_bytes.load(std::memory_order_relaxed);
  const uint64_t slowdown_us = counts.slowdown_us.load(std::memory_order_relaxed);
  counters.stall_us = slowdown_us + sums.wait_us;
  counters.table_reads = counts.table_reads.Sum();
  counters.cache_hits = cache_.hits();
  counters.cache_misses = cache_.misses();
  counters.tickers = {
      {"leveldb.manifest.bytes.written", counts.manifest_bytes.load(std::memory_order_relaxed)},
      {"leveldb.slowdown.micros", slowdown_us},
      {"leveldb.wait.micros", sums.wait_us},
      {"leveldb.wait.memtable.count", sums.memtable_waits},
      {"leveldb.wait.level0.count", sums.level0_waits},
  };
  return counters;
}

Counters LeveldbEngine::Close() {
  db_.reset();
  return Count(log_.Sums());
}

OptionSections LeveldbEngine::EffectiveOptions() { return {{"leveldb", Describe(options_)}}; }

void LeveldbEngine::StartFlush() {
  // LevelDB has no flush. A manual compaction first flushes the memtable and then compacts a range
  // of keys: this one holds none, all keys begin with "user", so that nothing but the flush is
  // done.
  const leveldb::Slice begin("\xff\xff\xff\xfe");
  const leveldb::Slice end("\xff\xff\xff\xff");
  log_.CountWaits(false);  // nobody's write is held up
  db_->CompactRange(&begin, &end);
  log_.CountWaits(true);
}

void LeveldbEngine::Checkpoint(const std::filesystem::path& target) {
  // Without jobs and sessions nothing writes into the folder: LevelDB hands every record of its log
  // and MANIFEST to the system at once.
  while (env_.counts().jobs.load(std::memory_order_acquire) > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CloneDatabase(path_, target, {".ldb", ".sst"});
}

}  // namespace ycsb
