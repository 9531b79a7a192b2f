#include "run/rate_judge.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ycsb {
namespace {

// The values of one member in all looks; those that are not known are left out.
std::vector<uint64_t> Values(const std::vector<Debt>& looks,
                             std::optional<uint64_t> Debt::*member) {
  std::vector<uint64_t> values;
  for (const Debt& look : looks) {
    if (look.*member) values.push_back(*(look.*member));
  }
  return values;
}

}  // namespace

uint64_t LateAllowed(uint64_t due, double percentile) {
  // A half of a thousandth: 1 - 0.999 is a little more than 0.001.
  return static_cast<uint64_t>(static_cast<double>(due) * (100.0 - percentile) / 100.0 + 5e-4);
}

uint64_t Late(const Histogram& latency, double rate_ops_s, double span_s, double limit_s) {
  const auto limit_ns = static_cast<uint64_t>(limit_s * 1e9);
  const double wanted = std::floor(rate_ops_s * std::max(0.0, span_s - limit_s));
  const double missing = std::max(0.0, wanted - static_cast<double>(latency.count()));
  return latency.CountAbove(limit_ns) + static_cast<uint64_t>(missing);
}

Debt DebtOf(const TreeState& tree) {
  Debt debt;
  debt.pending_compaction_bytes = tree.pending_compaction_bytes;
  if (!tree.levels.empty()) {
    const bool wanted = tree.compaction_pending || tree.running_compactions > 0;
    debt.level0_files = wanted ? tree.levels.front().files : 0;
  }
  return debt;
}

bool Grew(const std::vector<uint64_t>& looks) {
  const auto third = static_cast<std::ptrdiff_t>(looks.size() / 3);
  if (third < 2) return false;
  const uint64_t before = *std::max_element(looks.begin(), looks.begin() + third);
  const uint64_t after = *std::min_element(looks.end() - third, looks.end());
  return after > before;
}

bool DebtGrew(const std::vector<Debt>& looks) {
  return Grew(Values(looks, &Debt::pending_compaction_bytes)) ||
         Grew(Values(looks, &Debt::level0_files));
}

std::vector<std::string> Reasons(const RateStep& step, const MaxRateSpec& spec,
                                 const std::vector<Debt>& looks) {
  std::vector<std::string> reasons;
  if (step.late > LateAllowed(step.due, spec.percentile)) reasons.emplace_back("late");
  const double achieved = static_cast<double>(step.operations);
  // A hold that is too short for its rate, in which nothing was due, has shown nothing.
  const bool saw_none = step.operations == 0;
  if (saw_none || achieved < kLeastAchieved * std::floor(step.rate_ops_s * step.hold_s)) {
    reasons.emplace_back("behind");
  }
  if (step.stops > 0) reasons.emplace_back("stopped");
  if (DebtGrew(looks)) reasons.emplace_back("debt");
  return reasons;
}

}  // namespace ycsb
