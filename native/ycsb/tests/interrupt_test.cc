#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/clock.h"

namespace ycsb {
namespace {

// Waits up to 10 s, without the object's help.
bool Noticed(const Interrupt& interrupt) {
  for (int i = 0; i < 10000 && interrupt.signal() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return interrupt.signal() != 0;
}

TEST(Interrupt, notices_a_signal_whatever_its_owner_is_busy_with) {
  Interrupt interrupt;
  EXPECT_EQ(interrupt.signal(), 0);
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(Noticed(interrupt));
  EXPECT_EQ(interrupt.signal(), SIGTERM);
}

TEST(Interrupt, ends_a_wait_at_a_signal_and_does_not_begin_another) {
  Interrupt interrupt;
  const int64_t start_ns = NowNs();
  std::thread sender([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(getpid(), SIGINT);
  });
  interrupt.WaitUntil(start_ns + 60 * kNsPerSecond);
  sender.join();
  EXPECT_EQ(interrupt.signal(), SIGINT);
  interrupt.WaitUntil(start_ns + 60 * kNsPerSecond);
  EXPECT_LT(NowNs(), start_ns + 30 * kNsPerSecond);
}

TEST(Interrupt, ends_a_wait_at_a_notice_even_one_that_came_before) {
  Interrupt interrupt;
  const int64_t start_ns = NowNs();
  interrupt.Notify();
  interrupt.WaitUntil(start_ns + 60 * kNsPerSecond);
  EXPECT_LT(NowNs(), start_ns + 30 * kNsPerSecond);
  EXPECT_EQ(interrupt.signal(), 0);
}

void SignalTwice() {
  Interrupt interrupt;
  kill(getpid(), SIGTERM);
  if (!Noticed(interrupt)) return;
  kill(getpid(), SIGTERM);
  std::this_thread::sleep_for(std::chrono::seconds(10));
}

TEST(InterruptDeathTest, lets_the_second_signal_end_the_process) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(SignalTwice(), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace ycsb
