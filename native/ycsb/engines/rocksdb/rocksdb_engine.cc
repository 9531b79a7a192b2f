#include "rocksdb_engine.h"

#include <system_error>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb_options.h"

namespace ycsb {
namespace {

[[noreturn]] void Fail(const std::string& doing, const std::string& path,
                       const rocksdb::Status& status) {
  const std::string step = status.IsNoSpace() || status.IsIOError()
                               ? "check the disk's space and the folder's permissions"
                               : "check the folder, the options and its file LOG";
  throw Failure("RocksDB cannot " + doing + " " + path + ": " + status.ToString() + "; " + step);
}

// DB::Open() gives a raw pointer up to RocksDB 10 and a unique_ptr from 11 on.
template <typename Db, typename Pointer, typename = void>
struct Opens : std::false_type {};

template <typename Db, typename Pointer>
struct Opens<
    Db, Pointer,
    std::void_t<decltype(Db::Open(std::declval<const rocksdb::Options&>(),
                                  std::declval<const std::string&>(), std::declval<Pointer*>()))>>
    : std::true_type {};

template <typename Db>
rocksdb::Status OpenDatabase(const rocksdb::Options& options, const std::string& path,
                             std::unique_ptr<Db>* db) {
  if constexpr (Opens<Db, std::unique_ptr<Db>>::value) {
    return Db::Open(options, path, db);
  } else {
    Db* raw = nullptr;
    const rocksdb::Status status = Db::Open(options, path, &raw);
    db->reset(raw);
    return status;
  }
}

rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

class RocksdbSession final : public Session {
 public:
  RocksdbSession(rocksdb::DB* db, std::string path, const rocksdb::WriteOptions& write_options)
      : db_(db), path_(std::move(path)), write_options_(write_options) {}

  bool Read(std::string_view key, std::string_view* value) override {
    value_.Reset();
    const rocksdb::Status status =
        db_->Get(read_options_, db_->DefaultColumnFamily(), ToSlice(key), &value_);
    if (status.IsNotFound()) return false;
    if (!status.ok()) Fail("read from", path_, status);
    *value = std::string_view(value_.data(), value_.size());
    return true;
  }

  void Write(std::string_view key, std::string_view value) override {
    value_.Reset();
    const rocksdb::Status status = db_->Put(write_options_, ToSlice(key), ToSlice(value));
    if (!status.ok()) Fail("write to", path_, status);
  }

  void Delete(std::string_view key) override {
    value_.Reset();
    const rocksdb::Status status = db_->Delete(write_options_, ToSlice(key));
    if (!status.ok()) Fail("write to", path_, status);
  }

  uint64_t Scan(std::string_view first, uint64_t limit, RowVisitor* visitor) override {
    value_.Reset();
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read_options_));
    uint64_t seen = 0;
    for (iterator->Seek(ToSlice(first)); iterator->Valid() && seen < limit; iterator->Next()) {
      const rocksdb::Slice key = iterator->key();
      const rocksdb::Slice value = iterator->value();
      visitor->Visit({key.data(), key.size()}, {value.data(), value.size()});
      ++seen;
    }
    if (!iterator->status().ok()) Fail("scan", path_, iterator->status());
    return seen;
  }

 private:
  rocksdb::DB* db_;
  std::string path_;
  rocksdb::ReadOptions read_options_;
  rocksdb::WriteOptions write_options_;
  rocksdb::PinnableSlice value_;
};

}  // namespace

RocksdbEngine::RocksdbEngine(const OpenRequest& request)
    : path_(request.path.string()), listener_(std::make_shared<RocksdbListener>(request.events)) {
  rocksdb::Options options = MakeRocksdbOptions(request);
  options.listeners = {listener_};
  statistics_ = options.statistics;
  compaction_disabled_ = options.disable_auto_compactions;
  write_options_.sync = request.sync;
  write_options_.disableWAL = request.disable_wal;
  const rocksdb::Status status = OpenDatabase(options, path_, &db_);
  if (!status.ok()) Fail("open", path_, status);
}

RocksdbEngine::~RocksdbEngine() = default;

std::unique_ptr<Session> RocksdbEngine::NewSession() {
  return std::make_unique<RocksdbSession>(db_.get(), path_, write_options_);
}

EngineState RocksdbEngine::Observe() { return {ObserveTree(), Count()}; }

TreeState RocksdbEngine::ObserveTree() {
  const auto property = [this](const char* name) -> std::optional<uint64_t> {
    uint64_t value = 0;
    if (!db_->GetIntProperty(std::string("rocksdb.") + name, &value)) return std::nullopt;
    return value;
  };
  TreeState tree;
  rocksdb::ColumnFamilyMetaData meta;
  db_->GetColumnFamilyMetaData(&meta);
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    tree.levels.push_back({level.files.size(), level.size});
  }
  tree.running_flushes = property("num-running-flushes").value_or(0);
  tree.running_compactions = property("num-running-compactions").value_or(0);
  tree.flush_pending = property("mem-table-flush-pending").value_or(0) > 0 ||
                       property("num-immutable-mem-table").value_or(0) > 0;
  tree.compaction_pending = property("compaction-pending").value_or(0) > 0;
  tree.compaction_disabled = compaction_disabled_;
  tree.writes_stopped = property("is-write-stopped").value_or(0) > 0;
  tree.background_error = listener_->background_error();
  const uint64_t rate = property("actual-delayed-write-rate").value_or(0);
  if (rate > 0) tree.delayed_write_rate_bytes_s = rate;
  tree.pending_compaction_bytes = property("estimate-pending-compaction-bytes");
  tree.memtable_bytes = property("cur-size-all-mem-tables");
  tree.cache_bytes = property("block-cache-usage");
  tree.table_reader_bytes = property("estimate-table-readers-mem");
  return tree;
}

Counters RocksdbEngine::Count() const {
  Counters counters;
  counters.flush_bytes = listener_->flush_bytes();
  counters.compaction_bytes = listener_->compaction_bytes();
  if (!statistics_) return counters;
  const auto ticker = [this](uint32_t type) { return statistics_->getTickerCount(type); };
  counters.compaction_read_bytes = ticker(rocksdb::COMPACT_READ_BYTES);
  counters.wal_bytes = ticker(rocksdb::WAL_FILE_BYTES);
  counters.stall_us = ticker(rocksdb::STALL_MICROS);
  counters.table_reads =
      ticker(rocksdb::LAST_LEVEL_READ_COUNT) + ticker(rocksdb::NON_LAST_LEVEL_READ_COUNT);
  counters.cache_hits = ticker(rocksdb::BLOCK_CACHE_HIT);
  counters.cache_misses = ticker(rocksdb::BLOCK_CACHE_MISS);
  statistics_->getTickerMap(&counters.tickers);
  return counters;
}

Counters RocksdbEngine::Close() {
  db_.reset();
  const std::string error = listener_->background_error();
  if (!error.empty()) {
    throw Failure("RocksDB cannot close " + path_ + ": " + error +
                  "; check the disk's space and the folder's permissions");
  }
  return Count();
}

OptionSections RocksdbEngine::EffectiveOptions() { return ReadRocksdbOptionsFile(path_); }

void RocksdbEngine::StartFlush() {
  rocksdb::FlushOptions options;
  options.wait = false;
  // Otherwise RocksDB first waits until a flush would not stall writes: for ever, where compactions
  // are behind and nothing else makes them run.
  options.allow_write_stall = true;
  const rocksdb::Status status = db_->Flush(options);
  if (!status.ok()) Fail("flush", path_, status);
}

void RocksdbEngine::Checkpoint(const std::filesystem::path& target) {
  // RocksDB makes the folder itself, and refuses one that is there. One with files in it stays.
  std::error_code kept;
  if (std::filesystem::is_directory(target, kept)) std::filesystem::remove(target, kept);
  rocksdb::Checkpoint* raw = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(db_.get(), &raw);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  if (status.ok()) status = checkpoint->CreateCheckpoint(target.string());
  if (!status.ok()) Fail("make a checkpoint in " + target.string() + " of", path_, status);
}

}  // namespace ycsb
