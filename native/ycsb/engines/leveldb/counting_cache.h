// LevelDB's block cache with counters.

#pragma once

#include <cstdint>
#include <memory>

#include "counting_env.h"
#include "leveldb/cache.h"

namespace ycsb {

// Forwards to an LRU cache. Counts the look-ups of all threads but the background one, whose misses
// are the work of compactions. Thread-safe.
class CountingCache final : public leveldb::Cache {
 public:
  // `counts` says which thread is in the background.
  CountingCache(size_t capacity, std::shared_ptr<const EnvCounts> counts);
  ~CountingCache() override;

  uint64_t hits() const { return hits_.Sum(); }
  uint64_t misses() const { return misses_.Sum(); }

  Handle* Insert(const leveldb::Slice& key, void* value, size_t charge,
                 void (*deleter)(const leveldb::Slice& key, void* value)) override;
  Handle* Lookup(const leveldb::Slice& key) override;
  void Release(Handle* handle) override;
  void* Value(Handle* handle) override;
  void Erase(const leveldb::Slice& key) override;
  uint64_t NewId() override;
  void Prune() override;
  size_t TotalCharge() const override;

 private:
  std::unique_ptr<leveldb::Cache> cache_;
  std::shared_ptr<const EnvCounts> counts_;
  SpreadCounter hits_;
  SpreadCounter misses_;
};

}  // namespace ycsb
