// Distributions that need a line or two.

#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>

#include "workload/generator.h"

namespace ycsb {

// Always `value`.
class ConstantGenerator final : public NumberGenerator {
 public:
  explicit ConstantGenerator(uint64_t value) : value_(value) {}
  uint64_t Next(Random& /*random*/) override { return value_; }

 private:
  uint64_t value_;
};

// Each of min .. max equally often. REQUIRES: min <= max.
class UniformGenerator final : public NumberGenerator {
 public:
  UniformGenerator(uint64_t min, uint64_t max) : min_(min), count_(max - min + 1) {}
  uint64_t Next(Random& random) override { return min_ + random.Below(count_); }

 private:
  uint64_t min_;
  uint64_t count_;
};

// min, min + 1 .. max, min ...: the threads share one position. REQUIRES: min <= max.
class SequentialGenerator final : public NumberGenerator {
 public:
  using Position = std::shared_ptr<std::atomic<uint64_t>>;

  SequentialGenerator(uint64_t min, uint64_t max, Position position)
      : min_(min), count_(max - min + 1), position_(std::move(position)) {}

  uint64_t Next(Random& /*random*/) override {
    return min_ + position_->fetch_add(1, std::memory_order_relaxed) % count_;
  }

 private:
  uint64_t min_;
  uint64_t count_;
  Position position_;
};

// `hot_operations` of the draws go, uniformly, to the first `hot_data` of min .. max, the others to
// the rest. Where a part is empty, all draws go to the other. REQUIRES: min <= max; shares in [0,
// 1].
class HotspotGenerator final : public NumberGenerator {
 public:
  struct Shares {
    double hot_data;
    double hot_operations;
  };

  HotspotGenerator(uint64_t min, uint64_t max, Shares shares)
      : min_(min),
        hot_(static_cast<uint64_t>(static_cast<double>(max - min + 1) * shares.hot_data)),
        cold_(max - min + 1 - hot_),
        hot_operations_(shares.hot_operations) {}

  uint64_t Next(Random& random) override {
    const bool hot = cold_ == 0 || (hot_ > 0 && random.Uniform() < hot_operations_);
    return hot ? min_ + random.Below(hot_) : min_ + hot_ + random.Below(cold_);
  }

 private:
  uint64_t min_;
  uint64_t hot_;
  uint64_t cold_;
  double hot_operations_;
};

// Exponentially distributed, rounded down: `percentile` percent of the draws are below `range`.
// REQUIRES: 0 < percentile < 100; range > 0.
class ExponentialGenerator final : public NumberGenerator {
 public:
  ExponentialGenerator(double percentile, double range)
      : gamma_(-std::log1p(-percentile / 100.0) / range) {}

  uint64_t Next(Random& random) override {
    // 1 - Uniform() is in (0, 1]: its logarithm is finite.
    return static_cast<uint64_t>(-std::log(1.0 - random.Uniform()) / gamma_);
  }

 private:
  double gamma_;
};

}  // namespace ycsb
