// Which rate to hold next, to find the largest that is borne.

#pragma once

#include <map>
#include <optional>

namespace ycsb {

// A search for the largest rate that is borne. Pure: it asks for one rate after the other and is
// told what came of each.
//
// It begins at 0.7 of the rate of a closed loop, halves it until a rate is borne, and then bisects,
// by the geometric mean, until the largest rate that was borne and the least above it that was not
// lie as close as `precision`. One hold decides where the search goes; the two rates that it ends
// between are held again, and where two holds disagree a third decides: a stray moment of the host
// cannot put the answer an octave away.
class RateSearch {
 public:
  // `ceiling_ops_s`: of a closed loop, taken as not borne until the search comes near to it; then
  // it is held as well. `precision`: wanted ratio of the two ends, less 1. `most`: holds.
  // REQUIRES: all above 0.
  RateSearch(double ceiling_ops_s, double precision, unsigned most);

  // The rate to hold next; nullopt where the search is over. Repeated calls return the same.
  std::optional<double> Next() const;

  // What came of the rate that Next() asked for. REQUIRES: it asked for one.
  void Tell(bool borne);

  // The largest rate that was borne more often than not; where there is none, and the holds are
  // used up, one that was borne as often as not; 0 where there is none either.
  double borne_ops_s() const;

  // The least rate above it that was not borne more often than it was; 0 where none is known.
  double not_borne_ops_s() const;

  // Whether both were held at least twice, and most of their holds agree.
  bool confirmed() const;

  // Whether both lie as close as asked for.
  bool precise() const;

  unsigned steps() const { return steps_; }

 private:
  struct Holds {
    int borne = 0;
    int not_borne = 0;

    int all() const { return borne + not_borne; }
  };

  const Holds& Of(double rate_ops_s) const;
  std::optional<double> NextToSettle(double rate_ops_s) const;

  double top_ops_s_;  // not borne, by assumption
  double least_ops_s_;
  double precision_;
  unsigned most_;
  unsigned steps_ = 0;
  std::map<double, Holds> holds_;  // by rate
};

}  // namespace ycsb
