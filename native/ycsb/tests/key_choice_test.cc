#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <vector>

#include "base/error.h"
#include "chi_squared.h"
#include "workload/key_space.h"
#include "workload/operation_stream.h"

namespace ycsb {
namespace {

WorkloadSpec SpecOf(Requests requests, uint64_t records) {
  WorkloadSpec spec;
  spec.record_count = records;
  spec.insert_count = records;
  spec.keys.requests = requests;
  spec.proportions = {1, 0, 0, 0, 0, 0};
  spec.pace.operation_count = 1000;
  return spec;
}

SequentialGenerator::Position NewPosition() { return std::make_shared<std::atomic<uint64_t>>(0); }

std::vector<uint64_t> CountKeys(const WorkloadSpec& spec, KeySpace* keys, int draws) {
  OperationStream stream(spec, /*loading=*/false, {keys, NewPosition()});
  Random random(11);
  std::vector<uint64_t> counts(static_cast<size_t>(keys->inserted.End()));
  for (int i = 0; i < draws; ++i) ++counts.at(static_cast<size_t>(stream.Next(random).key));
  return counts;
}

TEST(AcknowledgedCounter, ends_before_the_first_number_that_is_not_acknowledged) {
  AcknowledgedCounter counter(10);
  const uint64_t first = counter.Next();
  const uint64_t second = counter.Next();
  EXPECT_EQ(first, 10u);
  counter.Acknowledge(second);
  EXPECT_EQ(counter.End(), 10u);
  counter.Acknowledge(first);
  EXPECT_EQ(counter.End(), 12u);
}

TEST(AcknowledgedCounter, reaches_the_end_when_all_threads_are_done) {
  for (int round = 0; round < 20; ++round) {
    AcknowledgedCounter counter(0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&counter] {
        for (int i = 0; i < 2000; ++i) counter.Acknowledge(counter.Next());
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(counter.End(), 8000u) << round;
  }
}

TEST(AcknowledgedCounter, fails_before_a_number_that_hangs_is_taken_for_a_later_one) {
  AcknowledgedCounter counter(5);
  const uint64_t hangs = counter.Next();
  for (uint64_t i = 1; i < AcknowledgedCounter::kWindow; ++i) counter.Acknowledge(counter.Next());
  EXPECT_EQ(counter.End(), hangs);
  EXPECT_THROW(counter.Next(), Failure);
}

TEST(KeyChoice, uniform_takes_all_loaded_keys_equally_often) {
  KeySpace keys(0, 50);
  const auto counts = CountKeys(SpecOf(Requests::kUniform, 50), &keys, 100000);
  EXPECT_LT(ChiSquared(counts, std::vector<double>(50, 0.02)), ChiSquaredLimit(50));
}

TEST(KeyChoice, latest_prefers_the_newest_key_with_the_zipfian_share) {
  constexpr uint64_t kRecords = 1000;
  KeySpace keys(0, kRecords);
  const auto counts = CountKeys(SpecOf(Requests::kLatest, kRecords), &keys, 300000);
  const double share = static_cast<double>(counts[kRecords - 1]) / 300000.0;
  // The distances are zipfian over the number of the newest key.
  EXPECT_NEAR(share, 1.0 / Zeta(kRecords - 1, kZipfianConstant), 0.005);
  EXPECT_GT(counts[kRecords - 1], counts[kRecords - 2]);
  EXPECT_GT(counts[kRecords - 2], counts[kRecords - 50]);
  EXPECT_EQ(counts[0], 0u);  // as in YCSB
}

TEST(KeyChoice, latest_follows_inserts) {
  KeySpace keys(0, 100);
  OperationStream stream(SpecOf(Requests::kLatest, 100), false, {&keys, NewPosition()});
  Random random(1);
  for (int i = 0; i < 50; ++i) keys.inserted.Acknowledge(keys.inserted.Next());
  uint64_t highest = 0;
  for (int i = 0; i < 1000; ++i) highest = std::max(highest, stream.Next(random).key);
  EXPECT_EQ(highest, 149u);
}

TEST(KeyChoice, exponential_falls_off_from_the_newest_key) {
  constexpr uint64_t kRecords = 1000;
  KeySpace keys(0, kRecords);
  const auto counts = CountKeys(SpecOf(Requests::kExponential, kRecords), &keys, 200000);
  uint64_t recent = 0;
  for (size_t key = kRecords - 857; key < kRecords; ++key) recent += counts[key];
  // 95 % would be below the distance 857; those beyond all records are drawn again.
  const double beyond = std::exp(-1000.0 * 2.995732 / 857.142857);
  EXPECT_NEAR(static_cast<double>(recent) / 200000.0, 0.95 / (1.0 - beyond), 0.003);
}

TEST(KeyChoice, no_distribution_takes_a_key_that_does_not_exist) {
  for (const Requests requests :
       {Requests::kUniform, Requests::kZipfian, Requests::kLatest, Requests::kHotspot,
        Requests::kExponential, Requests::kSequential}) {
    WorkloadSpec spec = SpecOf(requests, 100);
    spec.proportions = {0.5, 0, 0.5, 0, 0, 0};
    KeySpace keys(0, 100);
    OperationStream stream(spec, false, {&keys, NewPosition()});
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
      const Operation operation = stream.Next(random);
      if (operation.type == OperationType::kInsert) {
        keys.inserted.Acknowledge(operation.key);
      } else {
        ASSERT_LT(operation.key, keys.inserted.End());
      }
    }
  }
}

TEST(KeyChoice, one_record_is_enough_for_every_distribution) {
  for (const Requests requests :
       {Requests::kUniform, Requests::kZipfian, Requests::kLatest, Requests::kHotspot,
        Requests::kExponential, Requests::kSequential}) {
    KeySpace keys(0, 1);
    EXPECT_EQ(CountKeys(SpecOf(requests, 1), &keys, 10), std::vector<uint64_t>{10});
  }
}

TEST(OperationStream, mixes_operations_in_the_given_proportions) {
  WorkloadSpec spec = SpecOf(Requests::kUniform, 100);
  spec.proportions = {0.4, 0.3, 0.1, 0.1, 0.06, 0.04};
  KeySpace keys(0, 100);
  OperationStream stream(spec, false, {&keys, NewPosition()});
  Random random(9);
  std::vector<uint64_t> counts(kOperationTypes);
  for (int i = 0; i < 100000; ++i) ++counts[static_cast<size_t>(stream.Next(random).type)];
  EXPECT_LT(ChiSquared(counts, {0.4, 0.3, 0.1, 0.1, 0.06, 0.04}), ChiSquaredLimit(6));
}

TEST(OperationStream, of_a_load_inserts_every_key_once_in_order) {
  const WorkloadSpec spec = SpecOf(Requests::kUniform, 100);
  KeySpace keys(20, 100);
  OperationStream stream(spec, /*loading=*/true, {&keys, NewPosition()});
  Random random(1);
  for (uint64_t key = 20; key < 30; ++key) {
    const Operation operation = stream.Next(random);
    EXPECT_EQ(operation.type, OperationType::kInsert);
    EXPECT_EQ(operation.key, key);
  }
}

TEST(OperationStream, draws_scan_lengths_between_their_bounds) {
  WorkloadSpec spec = SpecOf(Requests::kUniform, 100);
  spec.proportions = {0, 0, 0, 1, 0, 0};
  spec.scan_length = {Distribution::kUniform, 5, 9, nullptr};
  KeySpace keys(0, 100);
  OperationStream stream(spec, false, {&keys, NewPosition()});
  Random random(1);
  std::vector<uint64_t> counts(5);
  for (int i = 0; i < 50000; ++i) ++counts.at(stream.Next(random).scan_length - 5);
  EXPECT_LT(ChiSquared(counts, std::vector<double>(5, 0.2)), ChiSquaredLimit(5));
}

}  // namespace
}  // namespace ycsb
