// Whether a rate was borne.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "results/results.h"
#include "workload/spec.h"

namespace ycsb {

// Least part of a rate that has to be achieved.
inline constexpr double kLeastAchieved = 0.99;

// How many of `due` operations may be later than the limit.
uint64_t LateAllowed(uint64_t due, double percentile);

// Operations that were later than the limit, or that were due at least the limit before the end of
// the hold and are not among those that ended. `span_s`: in which operations were due.
uint64_t Late(const Histogram& latency, double rate_ops_s, double span_s, double limit_s);

// What `tree` has put off. Files in level 0 count where the engine wants to compact: fewer are none
// of its debt.
Debt DebtOf(const TreeState& tree);

// Whether `looks`, evenly over a hold, grew: whether each look of the last third saw more than
// every look of the first. Debt goes up and down with each flush and compaction, and two looks at
// the wrong moments would tell anything. Fewer than 6 looks tell nothing.
bool Grew(const std::vector<uint64_t>& looks);

// Whether the engine put off more and more.
bool DebtGrew(const std::vector<Debt>& looks);

// Why the rate of `step` was not borne: "late", "behind" (fewer operations than were due),
// "stopped" (the engine held all writes), "debt"; empty where it was borne.
std::vector<std::string> Reasons(const RateStep& step, const MaxRateSpec& spec,
                                 const std::vector<Debt>& looks);

}  // namespace ycsb
