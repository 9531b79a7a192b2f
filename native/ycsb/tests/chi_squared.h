// Pearson's test of counts against probabilities.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ycsb {

// The statistic of `counts` against `probabilities`, which add up to 1. Cells expect at least 5
// each.
inline double ChiSquared(const std::vector<uint64_t>& counts,
                         const std::vector<double>& probabilities) {
  double total = 0.0;
  for (const uint64_t count : counts) total += static_cast<double>(count);
  double statistic = 0.0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    const double difference = static_cast<double>(counts[i]) - expected;
    statistic += difference * difference / expected;
  }
  return statistic;
}

// What a true hypothesis exceeds once in 10^5 times (Wilson and Hilferty 1931).
inline double ChiSquaredLimit(size_t cells) {
  const double freedom = static_cast<double>(cells) - 1.0;
  const double spread = 2.0 / (9.0 * freedom);
  return freedom * std::pow(1.0 - spread + 4.265 * std::sqrt(spread), 3.0);
}

}  // namespace ycsb
