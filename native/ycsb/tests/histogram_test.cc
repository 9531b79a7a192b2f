#include "measure/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "base/random.h"
#include "measure/recorder.h"

namespace ycsb {
namespace {

TEST(LogLinear, every_value_lies_within_its_bucket_and_a_thousandth_of_its_end) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t value = random.Next() >> (22 + random.Below(42));
    const size_t index = LogLinear::Index(value);
    ASSERT_LT(index, LogLinear::kBuckets);
    ASSERT_LE(LogLinear::Lowest(index), value);
    ASSERT_GE(LogLinear::HighestEquivalent(index), value);
    const auto error = static_cast<double>(LogLinear::HighestEquivalent(index) - value);
    ASSERT_LE(error, 0.001 * static_cast<double>(value));
  }
}

TEST(LogLinear, buckets_follow_one_another_without_gaps) {
  for (size_t index = 1; index < LogLinear::kBuckets; ++index) {
    ASSERT_EQ(LogLinear::Lowest(index), LogLinear::HighestEquivalent(index - 1) + 1);
    ASSERT_EQ(LogLinear::Index(LogLinear::Lowest(index)), index);
  }
  EXPECT_EQ(LogLinear::HighestEquivalent(LogLinear::kBuckets - 1), LogLinear::kHighest);
}

TEST(LogLinear, counts_values_beyond_its_end_in_the_last_bucket) {
  EXPECT_EQ(LogLinear::Index(UINT64_MAX), LogLinear::kBuckets - 1);
}

TEST(Histogram, gives_the_quantiles_of_known_values) {
  Histogram histogram;
  for (uint64_t value = 1; value <= 1000; ++value) histogram.Record(value);
  EXPECT_EQ(histogram.count(), 1000u);
  EXPECT_EQ(histogram.At(0.5), 500u);
  EXPECT_EQ(histogram.At(0.999), 999u);
  EXPECT_EQ(histogram.At(0.9991), 1000u);
  EXPECT_EQ(histogram.At(1.0), 1000u);
  EXPECT_EQ(histogram.At(0.0), 1u);
  EXPECT_DOUBLE_EQ(histogram.Mean(), 500.5);
  EXPECT_EQ(histogram.max(), 1000u);
}

TEST(Histogram, never_says_less_than_the_true_quantile_and_at_most_a_thousandth_more) {
  Histogram histogram;
  for (uint64_t i = 1; i <= 10000; ++i) histogram.Record(i * 12345);
  for (const double quantile : {0.1, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    const double exact = std::ceil(quantile * 10000.0) * 12345.0;
    const auto said = static_cast<double>(histogram.At(quantile));
    EXPECT_GE(said, exact);
    EXPECT_LE(said, exact * 1.001);
  }
}

TEST(Histogram, has_a_mean_of_values_whose_sum_is_beyond_a_whole_number) {
  Histogram histogram;
  histogram.Record(uint64_t{1} << 40, uint64_t{1} << 25);
  EXPECT_DOUBLE_EQ(histogram.Mean(), static_cast<double>(uint64_t{1} << 40));
}

TEST(Histogram, without_values_says_zero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.At(0.99), 0u);
  EXPECT_EQ(histogram.Mean(), 0.0);
}

TEST(Histogram, less_its_earlier_state_is_what_came_since) {
  Histogram before;
  before.Record(1000000);
  Histogram now = before;
  now.Record(10);
  now.Record(30);
  now.Subtract(before);
  EXPECT_EQ(now.count(), 2u);
  EXPECT_DOUBLE_EQ(now.Mean(), 20.0);
  EXPECT_EQ(now.max(), 30u);
  EXPECT_EQ(now.At(0.5), 10u);
}

TEST(SharedHistogram, adds_up_to_what_a_plain_one_says) {
  SharedHistogram shared;
  Histogram plain;
  Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t value = random.Below(5000000);
    shared.Record(value);
    plain.Record(value);
  }
  Histogram sum;
  shared.AddTo(&sum);
  EXPECT_EQ(sum.count(), plain.count());
  EXPECT_EQ(sum.max(), plain.max());
  EXPECT_EQ(sum.At(0.9), plain.At(0.9));
  EXPECT_DOUBLE_EQ(sum.Mean(), plain.Mean());
}

TEST(SharedHistogram, can_be_read_while_it_is_written) {
  SharedHistogram shared;
  std::thread writer([&shared] {
    for (uint64_t i = 0; i < 100000; ++i) shared.Record(i);
  });
  uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    Histogram seen;
    shared.AddTo(&seen);
    EXPECT_GE(seen.count(), last);
    last = seen.count();
  }
  writer.join();
  Histogram all;
  shared.AddTo(&all);
  EXPECT_EQ(all.count(), 100000u);
}

TEST(Recorder, keeps_kinds_of_operations_apart) {
  OperationSet types;
  types.set(static_cast<size_t>(OperationType::kRead));
  types.set(static_cast<size_t>(OperationType::kScan));
  Recorder recorder(types, /*intended=*/true);
  Outcome missing;
  missing.found = false;
  recorder.Record(OperationType::kRead, missing, 100, 300);
  Outcome scan;
  scan.records = 7;
  scan.read_bytes = 50;
  recorder.Record(OperationType::kScan, scan, 1000, 2000);
  Tally tally;
  recorder.AddTo(&tally);
  EXPECT_EQ(tally.Operations(), 2u);
  EXPECT_EQ(tally.Of(OperationType::kRead).not_found, 1u);
  EXPECT_EQ(tally.Of(OperationType::kRead).service.max(), 100u);
  EXPECT_EQ(tally.Of(OperationType::kRead).intended.max(), 300u);
  EXPECT_EQ(tally.Of(OperationType::kScan).records, 7u);
  EXPECT_EQ(tally.read_bytes, 50u);
}

}  // namespace
}  // namespace ycsb
