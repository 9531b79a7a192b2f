// Waiting for time, for other threads, or for the user's Ctrl-C, in one place.

#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <thread>

namespace ycsb {

// Takes SIGINT and SIGTERM over for the process. Make it in the main thread before any other thread
// starts, so that all of them have the signals blocked. A thread of its own takes the first signal,
// whatever the main thread is busy with (opening, cloning, waiting for an engine); after it the
// signals work as they did before: a second one ends the process at once.
class Interrupt {
 public:
  // Throws Failure where the system refuses.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Sleeps until `deadline_ns` (of NowNs()), a Notify(), or a signal, whichever is first; returns
  // at once where a signal came before. One thread only.
  void WaitUntil(int64_t deadline_ns);

  // Wakes WaitUntil(), now or at its next call. Any thread.
  void Notify();

  // The signal that came, or 0. Any thread.
  int signal() const { return signal_.load(); }

 private:
  void Listen();

  sigset_t before_{};
  int signal_fd_ = -1;
  int event_fd_ = -1;  // wakes WaitUntil()
  int end_fd_ = -1;    // ends the listener
  std::atomic<int> signal_{0};
  std::thread listener_;
};

}  // namespace ycsb
