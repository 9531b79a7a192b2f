// Numbers that one thread adds to while others read them.

#pragma once

#include <atomic>
#include <cstdint>

namespace ycsb {

// Add() is a plain load and a plain store: no locked instruction, so it costs what a plain counter
// does. REQUIRES: only one thread calls Add() and Raise().
template <typename Number>
class SingleWriter {
 public:
  void Add(Number amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }

  void Raise(Number candidate) {
    if (candidate > value_.load(std::memory_order_relaxed)) {
      value_.store(candidate, std::memory_order_relaxed);
    }
  }

  Number Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Number> value_{0};
};

using SingleWriterCounter = SingleWriter<uint64_t>;

}  // namespace ycsb
