#include "run/rate_search.h"

#include <algorithm>
#include <cmath>

namespace ycsb {
namespace {

// An open loop at the rate of a closed one has queues without end: the answer lies below.
constexpr double kFirst = 0.7;

// Below this part of the ceiling the limit asks for what no rate keeps.
constexpr double kLeast = 1.0 / 1024.0;

// By how much the upper end is raised where it was borne after all: the closed loop was slower than
// the engine can be, for a reason of its own.
constexpr double kRaise = 1.25;

}  // namespace

RateSearch::RateSearch(double ceiling_ops_s, double precision, unsigned most)
    : top_ops_s_(ceiling_ops_s),
      least_ops_s_(ceiling_ops_s * kLeast),
      precision_(precision),
      most_(most) {}

const RateSearch::Holds& RateSearch::Of(double rate_ops_s) const {
  static const Holds kNone;
  const auto found = holds_.find(rate_ops_s);
  return found == holds_.end() ? kNone : found->second;
}

double RateSearch::borne_ops_s() const {
  double even = 0.0;
  for (auto each = holds_.rbegin(); each != holds_.rend(); ++each) {
    if (each->second.borne > each->second.not_borne) return each->first;
    if (each->second.borne == each->second.not_borne) even = std::max(even, each->first);
  }
  return even;
}

double RateSearch::not_borne_ops_s() const {
  const auto above = holds_.upper_bound(borne_ops_s());
  return above == holds_.end() ? 0.0 : above->first;
}

bool RateSearch::precise() const {
  const double low = borne_ops_s();
  const double high = not_borne_ops_s();
  return low > 0.0 && high > 0.0 && high <= low * (1.0 + precision_);
}

bool RateSearch::confirmed() const {
  const Holds& low = Of(borne_ops_s());
  const Holds& high = Of(not_borne_ops_s());
  return low.all() >= 2 && low.borne > low.not_borne && high.all() >= 2 &&
         high.not_borne > high.borne;
}

// The rate itself where one more hold of it is wanted: a first one, a second one, and a third one
// where two disagree.
std::optional<double> RateSearch::NextToSettle(double rate_ops_s) const {
  const Holds& holds = Of(rate_ops_s);
  if (holds.all() < 2 || holds.borne == holds.not_borne) return rate_ops_s;
  return std::nullopt;
}

std::optional<double> RateSearch::Next() const {
  if (steps_ == most_) return std::nullopt;
  for (const auto& [rate, holds] : holds_) {
    if (holds.borne == holds.not_borne) return rate;
  }
  const double low = borne_ops_s();
  if (low == 0.0) {
    if (holds_.empty()) return top_ops_s_ * kFirst;
    const double next = holds_.begin()->first / 2.0;
    if (next < least_ops_s_) return std::nullopt;
    return next;
  }
  const double known = not_borne_ops_s();
  const double high = known > 0.0 ? known : top_ops_s_;
  if (steps_ + 1 == most_) {
    // Kept for the answer: without a second hold an end is a claim of a single look.
    if (Of(low).all() < 2) return low;
    return known > 0.0 ? NextToSettle(known) : std::nullopt;
  }
  if (high > low * (1.0 + precision_)) return std::sqrt(low * high);
  if (const auto next = NextToSettle(high)) return next;
  return NextToSettle(low);
}

void RateSearch::Tell(bool borne) {
  const double rate = *Next();
  Holds& holds = holds_[rate];
  ++(borne ? holds.borne : holds.not_borne);
  ++steps_;
  if (rate >= top_ops_s_ && holds.borne > holds.not_borne) top_ops_s_ = rate * kRaise;
}

}  // namespace ycsb
