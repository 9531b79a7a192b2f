#include "run/pacer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace ycsb {
namespace {

TEST(Schedule, spaces_the_starts_of_all_threads_evenly) {
  constexpr unsigned kThreads = 4;
  std::vector<int64_t> starts;
  for (uint64_t k = 0; k < 3; ++k) {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      starts.push_back(Schedule(1000.0, thread, kThreads).Offset(k));
    }
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(starts[i], static_cast<int64_t>(i) * 1000000);
  }
}

TEST(Schedule, does_not_drift_over_many_operations) {
  const Schedule schedule(333.0, 0, 1);
  EXPECT_NEAR(ToSeconds(schedule.Offset(333 * 86400)), 86400.0, 1e-6);
}

TEST(Schedule, is_off_without_a_rate) { EXPECT_FALSE(Schedule(0.0, 0, 1).active()); }

TEST(Pacer, waits_for_times_to_come_and_not_for_times_past) {
  for (const bool spin : {false, true}) {
    const std::atomic<bool> stop{false};
    Pacer pacer(Schedule(1000.0, 0, 1), spin, stop);
    const int64_t start_ns = NowNs();
    pacer.Start(start_ns - 5000000);  // 5 ms behind: six operations are due
    for (int i = 0; i < 6; ++i) EXPECT_EQ(pacer.Next(INT64_MAX), start_ns + (i - 5) * 1000000);
    const int64_t next_ns = pacer.Next(INT64_MAX);
    EXPECT_EQ(next_ns, start_ns + 1000000);
    EXPECT_GE(NowNs(), next_ns);
  }
}

TEST(Pacer, gives_up_waiting_when_it_is_stopped) {
  const std::atomic<bool> stop{true};
  Pacer pacer(Schedule(0.001, 0, 1), false, stop);
  pacer.Start(NowNs());
  pacer.Next(INT64_MAX);
  EXPECT_GT(pacer.Next(INT64_MAX), NowNs());  // 1000 s ahead, and here we are
}

TEST(Pacer, does_not_wait_beyond_the_limit) {
  const std::atomic<bool> stop{false};
  Pacer pacer(Schedule(0.01, 1, 2), false, stop);
  const int64_t start_ns = NowNs();
  pacer.Start(start_ns);
  EXPECT_EQ(pacer.Next(start_ns + 1000000), start_ns + 100 * kNsPerSecond);
  EXPECT_LT(NowNs(), start_ns + 50 * kNsPerSecond);
}

TEST(Pacer, without_a_rate_never_waits) {
  const std::atomic<bool> stop{false};
  Pacer pacer(Schedule(0.0, 0, 1), false, stop);
  pacer.Start(NowNs());
  EXPECT_EQ(pacer.Next(INT64_MAX), 0);
}

}  // namespace
}  // namespace ycsb
