#include "run/pacer.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"

namespace ycsb {
namespace {

constexpr int64_t kLongestSleepNs = kNsPerSecond / 20;

}  // namespace

Schedule::Schedule(double rate_ops_s, unsigned thread, unsigned threads) {
  if (rate_ops_s <= 0.0) return;
  const double between_ns = 1e9 / rate_ops_s;
  interval_ns_ = between_ns * threads;
  first_ns_ = between_ns * thread;
}

Pacer::Pacer(const Schedule& schedule, bool spin, const std::atomic<bool>& stop)
    : schedule_(schedule), spin_(spin), stop_(stop) {}

void Pacer::Start(int64_t start_ns) {
  start_ns_ = start_ns;
  next_ = 0;
  // Linux lets a sleep end up to 50 us late unless it is told not to.
  if (schedule_.active()) prctl(PR_SET_TIMERSLACK, 1);
}

int64_t Pacer::WaitForNext(int64_t limit_ns) {
  const int64_t time_ns = start_ns_ + schedule_.Offset(next_++);
  WaitUntil(std::min(time_ns, limit_ns));
  return time_ns;
}

void Pacer::WaitUntil(int64_t time_ns) const {
  int64_t now = NowNs();
  while (now < time_ns && !stop_.load(std::memory_order_relaxed)) {
    if (!spin_) {
      const int64_t left = std::min(time_ns - now, kLongestSleepNs);
      std::this_thread::sleep_for(std::chrono::nanoseconds(left));
    }
    now = NowNs();
  }
}

}  // namespace ycsb
