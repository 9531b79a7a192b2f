// Field lengths as they were measured somewhere, in a file of YCSB's format.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workload/generator.h"

namespace ycsb {

// The file: a line "BlockSize" and a number of bytes, then a line "bucket count" for each bucket,
// from 0 on, separated by tabs. Draws what YCSB's HistogramGenerator draws, whose last bucket has
// the length of the one before it, and whose counts are off by one.
class LengthHistogram {
 public:
  // Throws UsageError with file and line.
  explicit LengthHistogram(const std::string& file);

  // The sum of all counts; > 0.
  uint64_t total() const { return total_; }

  // The length for the draw `number`. REQUIRES: number < total().
  uint64_t LengthOf(uint64_t number) const;

  uint64_t shortest() const { return block_size_; }
  uint64_t longest() const { return block_size_ * cumulative_.size(); }

 private:
  uint64_t block_size_ = 0;
  uint64_t total_ = 0;
  std::vector<uint64_t> cumulative_;  // counts up to each bucket but the last, itself included
};

class HistogramGenerator final : public NumberGenerator {
 public:
  explicit HistogramGenerator(std::shared_ptr<const LengthHistogram> histogram)
      : histogram_(std::move(histogram)) {}

  uint64_t Next(Random& random) override {
    return histogram_->LengthOf(random.Below(histogram_->total()));
  }

 private:
  std::shared_ptr<const LengthHistogram> histogram_;
};

}  // namespace ycsb
