// A counter that one thread adds to while others read it.

#pragma once

#include <atomic>
#include <cstdint>

namespace ycsb {

// Add() is a plain load and a plain store: no locked instruction, so it costs what a plain counter
// does. REQUIRES: only one thread calls Add() and Raise().
class SingleWriterCounter {
 public:
  void Add(uint64_t amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }

  void Raise(uint64_t candidate) {
    if (candidate > value_.load(std::memory_order_relaxed)) {
      value_.store(candidate, std::memory_order_relaxed);
    }
  }

  uint64_t Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace ycsb
