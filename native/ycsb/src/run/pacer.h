// When operations should start.

#pragma once

#include <atomic>
#include <cstdint>

namespace ycsb {

// The intended start times of one of several threads that together keep a rate. Pure arithmetic:
// the k-th operation of thread t starts at start + (k x threads + t) / rate, whatever became of
// those before: a slow database cannot slow the clock of its own measurement (coordinated
// omission).
class Schedule {
 public:
  // `rate_ops_s`: of all threads; 0 for none.
  Schedule(double rate_ops_s, unsigned thread, unsigned threads);

  bool active() const { return interval_ns_ > 0.0; }

  // ns after the start that operation `k` should start. REQUIRES: active().
  int64_t Offset(uint64_t k) const {
    return static_cast<int64_t>(first_ns_ + interval_ns_ * static_cast<double>(k));
  }

 private:
  double interval_ns_ = 0.0;
  double first_ns_ = 0.0;
};

// Holds one thread to its schedule. Not thread-safe.
class Pacer {
 public:
  // `spin`: wait by spinning (exact to 0.1 us, costs a processor) instead of sleeping (exact to
  // some 10 us). `stop` ends a wait within 50 ms. REQUIRES: `stop` outlives it.
  Pacer(const Schedule& schedule, bool spin, const std::atomic<bool>& stop);

  // Sets the start of the schedule and of operation 0. Call in the thread that will wait.
  void Start(int64_t start_ns);

  // Waits until the next operation should start, but not beyond `limit_ns` and not at all where
  // that is past, and returns the time at which it should start; 0 without a rate.
  int64_t Next(int64_t limit_ns) { return schedule_.active() ? WaitForNext(limit_ns) : 0; }

 private:
  int64_t WaitForNext(int64_t limit_ns);
  void WaitUntil(int64_t time_ns) const;

  Schedule schedule_;
  bool spin_;
  const std::atomic<bool>& stop_;
  int64_t start_ns_ = 0;
  uint64_t next_ = 0;
};

}  // namespace ycsb
