#include "rocksdb_listener.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace ycsb {
namespace {

// Names of rocksdb::FlushReason and rocksdb::CompactionReason in their order; versions only append.
constexpr std::array<const char*, 16> kFlushReasons = {"others",
                                                       "get live files",
                                                       "shut down",
                                                       "external file",
                                                       "manual compaction",
                                                       "write buffer manager",
                                                       "write buffer full",
                                                       "test",
                                                       "delete files",
                                                       "auto compaction",
                                                       "manual flush",
                                                       "error recovery",
                                                       "error recovery retry",
                                                       "wal full",
                                                       "catch up after error recovery",
                                                       "memtable range deletions"};

constexpr std::array<const char*, 21> kCompactionReasons = {"unknown",
                                                            "level0 files",
                                                            "level size",
                                                            "universal size amp",
                                                            "universal size ratio",
                                                            "universal runs",
                                                            "fifo max size",
                                                            "fifo fewer files",
                                                            "fifo ttl",
                                                            "manual",
                                                            "marked files",
                                                            "bottommost files",
                                                            "ttl",
                                                            "flush",
                                                            "ingestion",
                                                            "periodic",
                                                            "temperature",
                                                            "forced blob gc",
                                                            "round robin ttl",
                                                            "refit level",
                                                            "read triggered"};

template <size_t N, typename Reason>
std::string ReasonName(const std::array<const char*, N>& names, Reason reason) {
  const auto index = static_cast<size_t>(reason);
  return index < N ? names[index] : "reason " + std::to_string(index);
}

std::string ConditionName(rocksdb::WriteStallCondition condition) {
  switch (condition) {
    case rocksdb::WriteStallCondition::kDelayed:
      return "delayed";
    case rocksdb::WriteStallCondition::kStopped:
      return "stopped";
    default:
      return "normal";
  }
}

}  // namespace

void RocksdbListener::OnFlushBegin(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  flushes_[info.job_id].start_ns = NowNs();
}

void RocksdbListener::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& info) {
  PutFlush(info.job_id, ReasonName(kFlushReasons, info.flush_reason),
           info.table_properties.num_entries);
}

void RocksdbListener::PutFlush(int job, const std::string& reason, uint64_t entries) {
  Flush flush;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    flush = flushes_[job];
    flushes_.erase(job);
  }
  Event event;
  event.type = "flush";
  event.fields = {
      {"job", static_cast<uint64_t>(job)},
      {"reason", reason},
      {"entries", entries},
      {"bytes", flush.bytes},
      {"elapsed_s", flush.start_ns == 0 ? 0.0 : ToSeconds(NowNs() - flush.start_ns)},
  };
  events_->Put(std::move(event));
}

void RocksdbListener::OnCompactionCompleted(rocksdb::DB* /*db*/,
                                            const rocksdb::CompactionJobInfo& info) {
  Event event;
  event.type = "compaction";
  event.fields = {
      {"job", static_cast<uint64_t>(info.job_id)},
      {"reason", ReasonName(kCompactionReasons, info.compaction_reason)},
      {"input_level", static_cast<uint64_t>(std::max(info.base_input_level, 0))},
      {"output_level", static_cast<uint64_t>(std::max(info.output_level, 0))},
      {"input_files", static_cast<uint64_t>(info.input_files.size())},
      {"output_files", static_cast<uint64_t>(info.output_files.size())},
      {"input_bytes", info.stats.total_input_bytes},
      {"output_bytes", info.stats.total_output_bytes + info.stats.total_output_bytes_blob},
      {"input_records", info.stats.num_input_records},
      {"output_records", info.stats.num_output_records},
      {"moved", !info.output_files.empty() && info.input_files == info.output_files},
      {"ok", info.status.ok()},
      {"elapsed_s", static_cast<double>(info.stats.elapsed_micros) / 1e6},
      {"cpu_s", static_cast<double>(info.stats.cpu_micros) / 1e6},
  };
  events_->Put(std::move(event));
}

void RocksdbListener::AddFlushed(int job, uint64_t bytes) {
  flush_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(mutex_);
  flushes_[job].bytes += bytes;
}

void RocksdbListener::OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) {
  if (!info.status.ok()) return;
  if (info.reason == rocksdb::TableFileCreationReason::kCompaction) {
    compaction_bytes_.fetch_add(info.file_size, std::memory_order_relaxed);
  } else {
    AddFlushed(info.job_id, info.file_size);
  }
  // Of what is written from the log while the database opens nothing else is told.
  if (info.reason == rocksdb::TableFileCreationReason::kRecovery) {
    PutFlush(info.job_id, "recovery", info.table_properties.num_entries);
  }
}

void RocksdbListener::OnBlobFileCreated(const rocksdb::BlobFileCreationInfo& info) {
  if (!info.status.ok()) return;
  if (info.reason == rocksdb::BlobFileCreationReason::kCompaction) {
    compaction_bytes_.fetch_add(info.total_blob_bytes, std::memory_order_relaxed);
  } else {
    AddFlushed(info.job_id, info.total_blob_bytes);
  }
}

void RocksdbListener::OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) {
  Event event;
  event.type = "stall";
  event.fields = {{"from", ConditionName(info.condition.prev)},
                  {"to", ConditionName(info.condition.cur)}};
  events_->Put(std::move(event));
}

void RocksdbListener::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/,
                                        rocksdb::Status* error) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    background_error_ = error->ToString();
  }
  Event event;
  event.type = "background_error";
  event.fields = {{"message", error->ToString()}};
  events_->Put(std::move(event));
}

void RocksdbListener::OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) {
  if (!info.new_bg_error.ok()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  background_error_.clear();
}

std::string RocksdbListener::background_error() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return background_error_;
}

}  // namespace ycsb
