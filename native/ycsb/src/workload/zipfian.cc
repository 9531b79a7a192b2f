#include "workload/zipfian.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"

namespace ycsb {
namespace {

// Newly inserted keys are few between two draws; beyond this many the closed formula is cheaper.
constexpr uint64_t kIncremental = 1000;

}  // namespace

double Zeta(uint64_t n, double theta) {
  constexpr uint64_t kExact = 1000;
  double sum = 0.0;
  for (uint64_t i = std::min(n, kExact); i >= 1; --i) {
    sum += std::pow(static_cast<double>(i), -theta);
  }
  if (n <= kExact) return sum;
  const auto first = static_cast<double>(kExact);
  const auto last = static_cast<double>(n);
  const double f_first = std::pow(first, -theta);
  const double f_last = std::pow(last, -theta);
  const double integral = (last * f_last - first * f_first) / (1.0 - theta);
  const double slope = theta / 12.0 * (f_first / first - f_last / last);
  return sum + integral + (f_last - f_first) / 2.0 + slope;
}

ZipfianGenerator::ZipfianGenerator(uint64_t min, uint64_t max, double theta)
    : ZipfianGenerator(min, max, theta, Zeta(max - min + 1, theta)) {}

ZipfianGenerator::ZipfianGenerator(uint64_t min, uint64_t max, double theta, double zetan)
    : min_(min),
      items_(max - min + 1),
      theta_(theta),
      alpha_(1.0 / (1.0 - theta)),
      zeta2_(Zeta(2, theta)),
      zetan_(zetan) {
  Resize(items_);
}

uint64_t ZipfianGenerator::NextOf(Random& random, uint64_t items) {
  if (items != items_) Resize(items);
  const double u = random.Uniform();
  const double scaled = u * zetan_;
  if (scaled < 1.0 || items_ == 1) return min_;
  if (scaled < zeta2_ || items_ == 2) return min_ + 1;
  const double position = std::pow(eta_ * u - eta_ + 1.0, alpha_);
  const auto rank = static_cast<uint64_t>(static_cast<double>(items_) * position);
  return min_ + std::min(rank, items_ - 1);  // rounding may reach items_ where u is almost 1
}

void ZipfianGenerator::Resize(uint64_t items) {
  if (items > items_ && items - items_ <= kIncremental) {
    for (uint64_t i = items_ + 1; i <= items; ++i) {
      zetan_ += std::pow(static_cast<double>(i), -theta_);
    }
  } else if (items != items_) {
    zetan_ = Zeta(items, theta_);
  }
  items_ = items;
  const double tail = std::pow(2.0 / static_cast<double>(items), 1.0 - theta_);
  eta_ = (1.0 - tail) / (1.0 - zeta2_ / zetan_);
}

ScrambledZipfianGenerator::ScrambledZipfianGenerator(uint64_t min, uint64_t max, double theta)
    : min_(min),
      count_(max - min + 1),
      ranks_(0, kItemCount, theta,
             theta == kZipfianConstant ? kZetaN : Zeta(kItemCount + 1, theta)) {}

uint64_t ScrambledZipfianGenerator::Next(Random& random) {
  return min_ + FnvHash64(ranks_.Next(random)) % count_;
}

}  // namespace ycsb
