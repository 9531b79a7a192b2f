// One clock for everything: monotonic, in nanoseconds.

#pragma once

#include <cstdint>
#include <ctime>

namespace ycsb {

inline constexpr int64_t kNsPerSecond = 1000 * 1000 * 1000;

// Nanoseconds since an arbitrary moment. Costs about 20 ns: two calls are half of what the driver
// adds to an operation. Reading the processor's counter instead, in order (lfence, rdtsc), was
// left out: it saves 5 ns of a call, has to be calibrated, drifts from the clock that waits go by,
// and is not to be trusted on every virtual machine.
inline int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * kNsPerSecond + now.tv_nsec;
}

inline double ToSeconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

inline int64_t FromSeconds(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

}  // namespace ycsb
