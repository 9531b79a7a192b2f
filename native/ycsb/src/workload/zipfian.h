// Zipfian distributions as YCSB draws them.

#pragma once

#include <cstdint>

#include "workload/generator.h"

namespace ycsb {

// The exponent that YCSB uses unless told otherwise.
inline constexpr double kZipfianConstant = 0.99;

// The sum of i^-theta for i = 1 .. n. Exact to about 1e-13 relative at any n and at the same price
// (some 10 us): terms up to 1000 one by one, the rest by the Euler-Maclaurin formula. REQUIRES: 0 <
// theta < 1.
double Zeta(uint64_t n, double theta);

// Draws ranks min .. max, min being the most popular, by the method of Gray et al. 1994, "Quickly
// Generating Billion-Record Synthetic Databases", which is YCSB's: the first two ranks have exactly
// the zipfian probability, for the others it is approximated by one closed formula.
class ZipfianGenerator final : public NumberGenerator {
 public:
  // REQUIRES: min <= max; 0 < theta < 1.
  ZipfianGenerator(uint64_t min, uint64_t max, double theta = kZipfianConstant);

  // As above with Zeta(max - min + 1, theta) given.
  ZipfianGenerator(uint64_t min, uint64_t max, double theta, double zetan);

  uint64_t Next(Random& random) override { return NextOf(random, items_); }

  // Draws from min .. min + items - 1. Where `items` has grown since the last call, one power is
  // computed for each new item. REQUIRES: items > 0.
  uint64_t NextOf(Random& random, uint64_t items);

 private:
  void Resize(uint64_t items);

  uint64_t min_;
  uint64_t items_;
  double theta_;
  double alpha_;
  double zeta2_;
  double zetan_;
  double eta_ = 0.0;
};

// Draws min .. max with zipfian popularity, popular numbers lying anywhere: ranks over 10^10 items
// are hashed onto the range, as in YCSB, so that what is popular hardly changes when the range
// grows.
class ScrambledZipfianGenerator final : public NumberGenerator {
 public:
  static constexpr uint64_t kItemCount = 10000000000;
  static constexpr double kZetaN = 26.46902820178302;  // Zeta(kItemCount, kZipfianConstant)

  // REQUIRES: min <= max; 0 < theta < 1.
  ScrambledZipfianGenerator(uint64_t min, uint64_t max, double theta = kZipfianConstant);

  uint64_t Next(Random& random) override;

 private:
  uint64_t min_;
  uint64_t count_;
  ZipfianGenerator ranks_;
};

}  // namespace ycsb
