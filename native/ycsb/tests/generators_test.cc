#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "chi_squared.h"
#include "workload/simple_generators.h"
#include "workload/zipfian.h"

namespace ycsb {
namespace {

std::vector<uint64_t> Count(NumberGenerator* generator, size_t cells, int draws,
                            uint64_t seed = 7) {
  Random random(seed);
  std::vector<uint64_t> counts(cells);
  for (int i = 0; i < draws; ++i) ++counts.at(static_cast<size_t>(generator->Next(random)));
  return counts;
}

double DirectZeta(uint64_t n, double theta) {
  double sum = 0.0;
  for (uint64_t i = n; i >= 1; --i) sum += std::pow(static_cast<double>(i), -theta);
  return sum;
}

// What the method of Gray et al. draws for ranks from 2 on, from the inverse of its formula.
std::vector<double> GrayProbabilities(size_t n, double theta) {
  const auto items = static_cast<double>(n);
  const double zetan = DirectZeta(n, theta);
  const double zeta2 = DirectZeta(2, theta);
  const double eta = (1 - std::pow(2 / items, 1 - theta)) / (1 - zeta2 / zetan);
  const auto inverse = [&](double rank) {
    return (std::pow(rank / items, 1 - theta) + eta - 1) / eta;
  };
  std::vector<double> probabilities = {1 / zetan, std::pow(0.5, theta) / zetan};
  for (size_t rank = 2; rank < n; ++rank) {
    const auto low = static_cast<double>(rank);
    probabilities.push_back(inverse(low + 1) - inverse(low));
  }
  return probabilities;
}

TEST(Random, is_uniform_below_a_bound_that_is_no_power_of_two) {
  UniformGenerator generator(0, 96);
  const auto counts = Count(&generator, 97, 200000);
  EXPECT_LT(ChiSquared(counts, std::vector<double>(97, 1.0 / 97)), ChiSquaredLimit(97));
}

TEST(Random, streams_of_one_seed_differ_and_repeat) {
  Random a(1, 0);
  Random b(1, 1);
  Random again(1, 0);
  const uint64_t first = a.Next();
  EXPECT_NE(first, b.Next());
  EXPECT_EQ(first, again.Next());
}

TEST(Random, uniform_numbers_have_mean_one_half_and_variance_one_twelfth) {
  Random random(3);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kDraws = 1000000;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = random.Uniform();
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    sum += draw;
    squares += draw * draw;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 0.5, 0.0015);
  EXPECT_NEAR(squares / kDraws - mean * mean, 1.0 / 12, 0.0007);
}

TEST(Zeta, equals_the_sum_term_by_term) {
  for (const double theta : {0.1, 0.5, 0.99}) {
    for (const uint64_t n : {1u, 2u, 999u, 1000u, 1001u, 200000u}) {
      EXPECT_NEAR(Zeta(n, theta) / DirectZeta(n, theta), 1.0, 1e-12) << n << " " << theta;
    }
  }
}

TEST(Zeta, of_ten_billion_is_the_constant_of_ycsb) {
  EXPECT_NEAR(Zeta(ScrambledZipfianGenerator::kItemCount, kZipfianConstant),
              ScrambledZipfianGenerator::kZetaN, 1e-7);
}

TEST(Zipfian, draws_the_first_two_ranks_with_exactly_the_zipfian_probability) {
  ZipfianGenerator generator(0, 9);
  const auto counts = Count(&generator, 10, 1000000);
  const double zetan = DirectZeta(10, kZipfianConstant);
  const double second = std::pow(2.0, -kZipfianConstant) / zetan;
  const std::vector<uint64_t> cells = {counts[0], counts[1], 1000000 - counts[0] - counts[1]};
  EXPECT_LT(ChiSquared(cells, {1 / zetan, second, 1 - 1 / zetan - second}), ChiSquaredLimit(3));
}

TEST(Zipfian, draws_all_ranks_as_the_method_of_gray_says) {
  for (const size_t n : {3u, 10u, 100u}) {
    ZipfianGenerator generator(0, n - 1);
    const auto counts = Count(&generator, n, 1000000);
    EXPECT_LT(ChiSquared(counts, GrayProbabilities(n, kZipfianConstant)), ChiSquaredLimit(n)) << n;
  }
}

TEST(Zipfian, is_close_to_the_exact_distribution_over_all_ranks) {
  constexpr size_t kItems = 100;
  ZipfianGenerator generator(0, kItems - 1);
  const auto counts = Count(&generator, kItems, 1000000);
  const double zetan = DirectZeta(kItems, kZipfianConstant);
  double seen = 0.0;
  double exact = 0.0;
  for (size_t rank = 0; rank < kItems; ++rank) {
    seen += static_cast<double>(counts[rank]) / 1e6;
    exact += std::pow(static_cast<double>(rank + 1), -kZipfianConstant) / zetan;
    EXPECT_NEAR(seen, exact, 0.02) << rank;
  }
}

TEST(Zipfian, begins_at_its_minimum_and_stays_in_its_range) {
  ZipfianGenerator generator(5, 8);
  Random random(1);
  uint64_t lowest = 100;
  uint64_t highest = 0;
  for (int i = 0; i < 10000; ++i) {
    const uint64_t draw = generator.Next(random);
    lowest = std::min(lowest, draw);
    highest = std::max(highest, draw);
  }
  EXPECT_EQ(lowest, 5u);
  EXPECT_EQ(highest, 8u);
}

TEST(Zipfian, of_one_or_two_items_draws_them_alone) {
  Random random(1);
  ZipfianGenerator one(4, 4);
  ZipfianGenerator two(4, 5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(one.Next(random), 4u);
    EXPECT_LE(two.Next(random), 5u);
  }
}

TEST(Zipfian, that_has_grown_draws_like_one_made_at_that_size) {
  ZipfianGenerator grown(0, 49);
  Random random(7);
  std::vector<uint64_t> counts(100);
  grown.NextOf(random, 60);
  for (int i = 0; i < 500000; ++i) ++counts.at(static_cast<size_t>(grown.NextOf(random, 100)));
  EXPECT_LT(ChiSquared(counts, GrayProbabilities(100, kZipfianConstant)), ChiSquaredLimit(100));
}

TEST(ScrambledZipfian, puts_the_most_popular_rank_where_its_hash_says) {
  constexpr uint64_t kKeys = 1000;
  ScrambledZipfianGenerator generator(0, kKeys - 1);
  const auto counts = Count(&generator, kKeys, 500000);
  const auto top = static_cast<double>(counts[FnvHash64(0) % kKeys]) / 500000.0;
  // Rank 0, and the share of the others that fall on the same key.
  const double first = 1.0 / ScrambledZipfianGenerator::kZetaN;
  EXPECT_NEAR(top, first + (1 - first) / kKeys, 0.003);
}

TEST(ScrambledZipfian, spreads_ranks_evenly_over_the_keys) {
  constexpr uint64_t kKeys = 1000;
  std::vector<uint64_t> keys(kKeys);
  std::vector<uint64_t> tenths(10);
  for (uint64_t rank = 0; rank < 1000000; ++rank) {
    const uint64_t key = FnvHash64(rank) % kKeys;
    ++keys[key];
    ++tenths[key / 100];
  }
  EXPECT_LT(ChiSquared(tenths, std::vector<double>(10, 0.1)), ChiSquaredLimit(10));
  // FNV of small numbers is no ideal hash: single keys get up to 13 % more or less than their
  // share.
  for (const uint64_t count : keys) EXPECT_NEAR(static_cast<double>(count), 1000.0, 150.0);
}

TEST(Hotspot, sends_the_given_share_to_the_hot_part_and_is_uniform_in_both) {
  HotspotGenerator generator(10, 109, {0.2, 0.8});
  auto counts = Count(&generator, 110, 500000);
  counts.erase(counts.begin(), counts.begin() + 10);
  std::vector<double> probabilities(100, 0.2 / 80);
  std::fill(probabilities.begin(), probabilities.begin() + 20, 0.8 / 20);
  EXPECT_LT(ChiSquared(counts, probabilities), ChiSquaredLimit(100));
}

TEST(Hotspot, without_a_hot_or_a_cold_part_draws_from_the_other) {
  HotspotGenerator cold(0, 9, {0.0, 0.8});
  HotspotGenerator hot(0, 9, {1.0, 0.0});
  const std::vector<double> even(10, 0.1);
  EXPECT_LT(ChiSquared(Count(&cold, 10, 50000), even), ChiSquaredLimit(10));
  EXPECT_LT(ChiSquared(Count(&hot, 10, 50000), even), ChiSquaredLimit(10));
}

TEST(Exponential, has_the_given_percentile_below_the_given_range) {
  ExponentialGenerator generator(95.0, 857.142857);
  Random random(5);
  int below = 0;
  double sum = 0.0;
  constexpr int kDraws = 400000;
  for (int i = 0; i < kDraws; ++i) {
    const uint64_t draw = generator.Next(random);
    below += draw < 857 ? 1 : 0;
    sum += static_cast<double>(draw);
  }
  EXPECT_NEAR(static_cast<double>(below) / kDraws, 0.95, 0.002);
  // The mean is 1/gamma = range / -ln(1 - 0.95), less one half for rounding down.
  EXPECT_NEAR(sum / kDraws, 857.142857 / 2.995732 - 0.5, 1.5);
}

TEST(Sequential, goes_round_and_is_shared) {
  const auto position = std::make_shared<std::atomic<uint64_t>>(0);
  SequentialGenerator one(3, 5, position);
  SequentialGenerator other(3, 5, position);
  Random random(1);
  EXPECT_EQ(one.Next(random), 3u);
  EXPECT_EQ(other.Next(random), 4u);
  EXPECT_EQ(one.Next(random), 5u);
  EXPECT_EQ(one.Next(random), 3u);
}

}  // namespace
}  // namespace ycsb
