// Latency histograms with three significant digits.
//
// The bucket layout is that of Gil Tene's HdrHistogram (hdrhistogram.org): values below 2048 have a
// bucket each, and every further doubling is cut into 1024 equal buckets, so that a bucket is never
// wider than 1/1024 (0.1 %) of its values. Debian has no HdrHistogram library for C or C++.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/single_writer.h"

namespace ycsb {

// The bucket layout: pure arithmetic.
class LogLinear {
 public:
  // Larger values are counted as this one. In nanoseconds: 73 minutes.
  static constexpr uint64_t kHighest = (uint64_t{1} << 42) - 1;
  static constexpr size_t kBuckets = 2048 + 31 * 1024;

  static size_t Index(uint64_t value) {
    if (value > kHighest) value = kHighest;
    if (value < 2048) return static_cast<size_t>(value);
    const int shift = 53 - __builtin_clzll(value);  // leaves the 11 highest bits
    return static_cast<size_t>((static_cast<uint64_t>(shift) << 10) + (value >> shift));
  }

  static uint64_t Lowest(size_t index) {
    if (index < 2048) return index;
    return (1024 + (index & 1023)) << Shift(index);
  }

  static uint64_t HighestEquivalent(size_t index) {
    if (index < 2048) return index;
    return Lowest(index) + (uint64_t{1} << Shift(index)) - 1;
  }

 private:
  static uint64_t Shift(size_t index) { return (index >> 10) - 1; }
};

// A histogram of one thread. 270 KB from its first value on, nothing before. Copyable.
class Histogram {
 public:
  // Counts `value` `times` times. A few ns.
  void Record(uint64_t value, uint64_t times = 1);

  // Adds what `other` counted.
  void Add(const Histogram& other);

  // Takes away what `earlier` counted: leaves what was recorded since. Afterwards Max() is the end
  // of the highest bucket in use. REQUIRES: `earlier` is an earlier state of this histogram.
  void Subtract(const Histogram& earlier);

  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }

  // The mean, exact to 15 digits; 0 where nothing was recorded.
  double Mean() const;

  // How many values are above `value`, but for those in its own bucket.
  uint64_t CountAbove(uint64_t value) const;

  // The highest value that is equivalent (same bucket) to the smallest value that at least
  // `quantile` of all values do not exceed: at most 0.1 % above it, never below. 0 where nothing
  // was recorded. REQUIRES: 0 <= quantile <= 1. Costs a pass over the buckets.
  uint64_t At(double quantile) const;

 private:
  friend class SharedHistogram;

  void Prepare();

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  double sum_ = 0.0;  // of late operations of a long run it passes 2^64 ns
  uint64_t max_ = 0;
};

// A histogram that one thread records into while others read it, without a lock. 270 KB.
class SharedHistogram {
 public:
  SharedHistogram();

  // Counts `value`. A few ns: plain loads and stores. REQUIRES: always the same thread.
  void Record(uint64_t value) {
    (*counts_)[LogLinear::Index(value)].Add(1);
    sum_.Add(static_cast<double>(value));
    max_.Raise(value);
  }

  // Adds what was recorded so far to `target`. Any thread; values recorded at the same moment may
  // be missing from it, or be in the buckets and not yet in the sum.
  void AddTo(Histogram* target) const;

 private:
  std::unique_ptr<std::array<SingleWriterCounter, LogLinear::kBuckets>> counts_;
  SingleWriter<double> sum_;
  SingleWriterCounter max_;
};

}  // namespace ycsb
