// What happens inside an engine while it works: flushes, compactions, stalls.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"

namespace ycsb {

using EventValue = std::variant<bool, uint64_t, double, std::string>;

// One thing that happened. `fields` have the engine's meaning; README.md lists them.
struct Event {
  std::string type;   // "flush", "compaction", "stall", "background_error"
  int64_t at_ns = 0;  // of NowNs()
  std::vector<std::pair<std::string, EventValue>> fields;
};

// Collects events of the engine's threads for the thread that prints them: printing may block, and
// must not hold the engine up. Thread-safe.
class EventSink {
 public:
  // Keeps `event`, stamped with the time.
  void Put(Event event) {
    event.at_ns = NowNs();
    const std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(std::move(event));
  }

  // Returns all events since the last call, oldest first.
  std::vector<Event> Take() {
    std::vector<Event> taken;
    const std::lock_guard<std::mutex> lock(mutex_);
    taken.swap(events_);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::vector<Event> events_;
};

}  // namespace ycsb
