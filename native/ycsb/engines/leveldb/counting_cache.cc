#include "counting_cache.h"

#include <utility>

namespace ycsb {

CountingCache::CountingCache(size_t capacity, std::shared_ptr<const EnvCounts> counts)
    : cache_(leveldb::NewLRUCache(capacity)), counts_(std::move(counts)) {}

CountingCache::~CountingCache() = default;

leveldb::Cache::Handle* CountingCache::Insert(const leveldb::Slice& key, void* value, size_t charge,
                                              void (*deleter)(const leveldb::Slice& key,
                                                              void* value)) {
  return cache_->Insert(key, value, charge, deleter);
}

leveldb::Cache::Handle* CountingCache::Lookup(const leveldb::Slice& key) {
  Handle* const handle = cache_->Lookup(key);
  if (!counts_->InBackground()) {
    (handle != nullptr ? hits_ : misses_).Add();
  }
  return handle;
}

void CountingCache::Release(Handle* handle) { cache_->Release(handle); }

void* CountingCache::Value(Handle* handle) { return cache_->Value(handle); }

void CountingCache::Erase(const leveldb::Slice& key) { cache_->Erase(key); }

uint64_t CountingCache::NewId() { return cache_->NewId(); }

void CountingCache::Prune() { cache_->Prune(); }

size_t CountingCache::TotalCharge() const { return cache_->TotalCharge(); }

}  // namespace ycsb
