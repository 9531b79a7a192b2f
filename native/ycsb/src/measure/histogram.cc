#include "measure/histogram.h"

#include <algorithm>
#include <cmath>

namespace ycsb {

void Histogram::Prepare() {
  if (counts_.empty()) counts_.resize(LogLinear::kBuckets);
}

void Histogram::Record(uint64_t value, uint64_t times) {
  Prepare();
  counts_[LogLinear::Index(value)] += times;
  count_ += times;
  sum_ += static_cast<double>(value) * static_cast<double>(times);
  max_ = std::max(max_, value);
}

void Histogram::Add(const Histogram& other) {
  if (other.counts_.empty()) return;
  Prepare();
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

void Histogram::Subtract(const Histogram& earlier) {
  if (earlier.counts_.empty()) return;
  Prepare();
  size_t highest = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] -= earlier.counts_[i];
    if (counts_[i] > 0) highest = i;
  }
  count_ -= earlier.count_;
  sum_ -= earlier.sum_;
  max_ = std::min(max_, LogLinear::HighestEquivalent(highest));
}

double Histogram::Mean() const {
  return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_);
}

uint64_t Histogram::CountAbove(uint64_t value) const {
  uint64_t above = 0;
  for (size_t i = LogLinear::Index(value) + 1; i < counts_.size(); ++i) above += counts_[i];
  return above;
}

uint64_t Histogram::At(double quantile) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(quantile * static_cast<double>(count_));
  const uint64_t rank = std::clamp<uint64_t>(static_cast<uint64_t>(wanted), 1, count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min(LogLinear::HighestEquivalent(i), max_);
  }
  return max_;
}

SharedHistogram::SharedHistogram()
    : counts_(std::make_unique<std::array<SingleWriterCounter, LogLinear::kBuckets>>()) {}

void SharedHistogram::AddTo(Histogram* target) const {
  target->Prepare();
  const uint64_t max = max_.Get();
  // Above the highest value all buckets are empty: most of the array need not be touched.
  const size_t end = LogLinear::Index(max) + 1;
  for (size_t i = 0; i < end; ++i) {
    const uint64_t count = (*counts_)[i].Get();
    target->counts_[i] += count;
    target->count_ += count;
  }
  target->sum_ += sum_.Get();
  target->max_ = std::max(target->max_, max);
}

}  // namespace ycsb
