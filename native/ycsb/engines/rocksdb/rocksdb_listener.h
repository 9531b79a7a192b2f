// Flushes, compactions and stalls of RocksDB as events and sums.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "engine/event.h"
#include "rocksdb/listener.h"

namespace ycsb {

// Called by RocksDB's threads. Sums count complete table and blob files, so they are exact whatever
// the statistics level. Thread-safe.
class RocksdbListener final : public rocksdb::EventListener {
 public:
  explicit RocksdbListener(EventSink* events) : events_(events) {}

  uint64_t flush_bytes() const { return flush_bytes_.load(std::memory_order_relaxed); }
  uint64_t compaction_bytes() const { return compaction_bytes_.load(std::memory_order_relaxed); }

  // The last error of a background job that RocksDB has not recovered from; empty: none.
  std::string background_error() const;

  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override;
  void OnBlobFileCreated(const rocksdb::BlobFileCreationInfo& info) override;
  void OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override;

 private:
  // What is known of a flush before it is complete.
  struct Flush {
    int64_t start_ns = 0;
    uint64_t bytes = 0;
  };

  void AddFlushed(int job, uint64_t bytes);
  void PutFlush(int job, const std::string& reason, uint64_t entries);

  EventSink* events_;
  std::atomic<uint64_t> flush_bytes_{0};
  std::atomic<uint64_t> compaction_bytes_{0};
  mutable std::mutex mutex_;
  std::map<int, Flush> flushes_;  // by job; guarded by mutex_
  std::string background_error_;  // guarded by mutex_
};

}  // namespace ycsb
