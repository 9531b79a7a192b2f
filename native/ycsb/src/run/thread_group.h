// Threads that end when their owner goes.

#pragma once

#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ycsb {

// Joins its threads when it goes, after it has asked them to stop.
class ThreadGroup {
 public:
  // REQUIRES: the threads end soon after `*stop` is true, and `stop` outlives the group.
  explicit ThreadGroup(std::atomic<bool>* stop) : stop_(stop) {}

  ~ThreadGroup() {
    stop_->store(true);
    Join();
  }

  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Throws Failure where the system allows no further thread.
  template <typename Function>
  void Start(Function function) {
    try {
      threads_.emplace_back(std::move(function));
    } catch (const std::system_error& error) {
      throw Failure("after " + std::to_string(threads_.size()) +
                    " threads no other one can be started: " + error.what() +
                    "; make threadcount smaller");
    }
  }

  // Waits for all threads.
  void Join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  std::atomic<bool>* stop_;
  std::vector<std::thread> threads_;
};

}  // namespace ycsb
