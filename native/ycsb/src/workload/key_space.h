// Which keys exist: shared by all threads and phases of a process.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ycsb {

// Numbers new keys 'first', 'first' + 1 ... and knows up to which all of them are in the database.
// Thread-safe.
class AcknowledgedCounter {
 public:
  // Numbers that may be handed out and not acknowledged at a time: far more than there are threads.
  static constexpr uint64_t kWindow = uint64_t{1} << 20;

  explicit AcknowledgedCounter(uint64_t first);

  // Hands out the next number. Throws Failure where one has not been acknowledged for so long that
  // the window has no room.
  uint64_t Next();

  // The record `number` is in the database. Never waits for another thread.
  void Acknowledge(uint64_t number);

  // How many numbers from 0 on are usable: all below are handed out and acknowledged, or below the
  // first.
  uint64_t End() const { return end_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint64_t> next_;
  alignas(64) std::atomic<uint64_t> end_;  // read at every operation: a cache line of its own
  std::vector<std::atomic<bool>> window_;
  std::mutex advancing_;
};

// The keys of a database. Loaded: numbers up to End(); each load or insert takes the next one.
struct KeySpace {
  KeySpace(uint64_t load_start, uint64_t record_count)
      : load_next(load_start), inserted(record_count) {}

  std::atomic<uint64_t> load_next;  // the next number of the load phase
  AcknowledgedCounter inserted;     // numbers beyond the loaded ones
};

}  // namespace ycsb
