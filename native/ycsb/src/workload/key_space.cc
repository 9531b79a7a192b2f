#include "workload/key_space.h"

#include <string>

#include "base/error.h"

namespace ycsb {

AcknowledgedCounter::AcknowledgedCounter(uint64_t first)
    : next_(first), end_(first), window_(kWindow) {}

uint64_t AcknowledgedCounter::Next() {
  const uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
  if (number - End() >= kWindow) {
    throw Failure("an insert has hung while " + std::to_string(kWindow) +
                  " others were begun; look for what holds the engine up, or use fewer threads");
  }
  return number;
}

void AcknowledgedCounter::Acknowledge(uint64_t number) {
  // Sequentially consistent: whoever holds the lock may have looked just before this store, and
  // then either the lock is free for this thread or that thread looks again after giving it up.
  window_[number % kWindow].store(true);
  while (window_[end_.load() % kWindow].load()) {
    const std::unique_lock<std::mutex> lock(advancing_, std::try_to_lock);
    if (!lock) return;
    uint64_t end = end_.load(std::memory_order_relaxed);
    while (window_[end % kWindow].exchange(false)) ++end;
    end_.store(end, std::memory_order_release);
  }
}

}  // namespace ycsb
