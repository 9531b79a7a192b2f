// The search for the largest rate, on engines that are arithmetic.

#include "run/rate_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/random.h"
#include "run/rate_judge.h"

namespace ycsb {
namespace {

// The rates that were held, in order.
std::vector<double> Search(RateSearch* search, const std::function<bool(double)>& bears) {
  std::vector<double> held;
  while (const auto rate = search->Next()) {
    held.push_back(*rate);
    search->Tell(bears(*rate));
  }
  return held;
}

TEST(RateSearch, ends_between_a_rate_that_is_borne_and_one_that_is_not) {
  for (const double capacity : {99000.0, 70001.0, 69999.0, 33333.0, 7000.0, 500.0}) {
    RateSearch search(100000.0, 0.05, 30);
    Search(&search, [capacity](double rate) { return rate <= capacity; });
    EXPECT_LE(search.borne_ops_s(), capacity);
    EXPECT_GT(search.not_borne_ops_s(), capacity);
    EXPECT_LE(search.not_borne_ops_s(), search.borne_ops_s() * 1.05);
    EXPECT_TRUE(search.precise());
    EXPECT_TRUE(search.confirmed());
  }
}

TEST(RateSearch, holds_both_ends_of_its_answer_twice) {
  RateSearch search(100000.0, 0.05, 30);
  const auto held = Search(&search, [](double rate) { return rate <= 40000.0; });
  EXPECT_EQ(std::count(held.begin(), held.end(), search.borne_ops_s()), 2);
  EXPECT_EQ(std::count(held.begin(), held.end(), search.not_borne_ops_s()), 2);
}

TEST(RateSearch, goes_above_a_closed_loop_that_was_too_slow) {
  RateSearch search(50000.0, 0.05, 30);
  Search(&search, [](double rate) { return rate <= 80000.0; });
  EXPECT_GT(search.borne_ops_s(), 80000.0 / 1.05);
  EXPECT_LE(search.borne_ops_s(), 80000.0);
}

TEST(RateSearch, recovers_from_one_stray_hold_wherever_it_comes) {
  // Any single hold tells the opposite of the truth; a third one settles it where it is held again.
  for (int stray = 0; stray < 12; ++stray) {
    RateSearch search(100000.0, 0.05, 40);
    int hold = 0;
    Search(&search, [&](double rate) { return (rate <= 60000.0) != (hold++ == stray); });
    EXPECT_GT(search.borne_ops_s(), 60000.0 / 1.05) << stray;
    EXPECT_LE(search.borne_ops_s(), 60000.0) << stray;
  }
}

TEST(RateSearch, keeps_to_its_number_of_holds_and_says_what_is_missing) {
  RateSearch search(100000.0, 0.01, 5);
  const auto held = Search(&search, [](double rate) { return rate <= 40000.0; });
  EXPECT_EQ(held.size(), 5u);
  EXPECT_EQ(search.steps(), 5u);
  EXPECT_FALSE(search.precise());
  EXPECT_LE(search.borne_ops_s(), 40000.0);
  EXPECT_EQ(held.back(), search.borne_ops_s());  // the last one is kept for the answer
}

TEST(RateSearch, uses_its_holds_up_or_has_its_answer_whatever_they_say) {
  for (unsigned most = 1; most <= 12; ++most) {
    for (unsigned said = 0; said < 1u << most; ++said) {
      RateSearch search(100000.0, 0.3, most);
      unsigned hold = 0;
      Search(&search, [&](double) { return (said >> hold++ & 1u) != 0; });
      if (hold == most || search.borne_ops_s() == 0.0) continue;
      // The last hold makes no answer worse: a new rate would be a claim of a single look.
      const bool enough = search.precise() || hold + 1 == most;
      const bool held = search.confirmed() || search.not_borne_ops_s() == 0.0;
      EXPECT_TRUE(enough && held) << most << " " << said;
    }
  }
}

TEST(RateSearch, that_ends_undecided_names_the_rate_and_does_not_call_it_confirmed) {
  RateSearch search(100000.0, 0.05, 4);
  int hold = 0;
  // 70000 is borne; 83666 and 76528 are not; the last hold is 70000 again, and disagrees.
  Search(&search, [&](double) { return hold++ == 0; });
  EXPECT_EQ(hold, 4);
  EXPECT_DOUBLE_EQ(search.borne_ops_s(), 70000.0);
  EXPECT_GT(search.not_borne_ops_s(), 70000.0);
  EXPECT_FALSE(search.confirmed());
}

TEST(RateSearch, gives_up_where_no_rate_is_borne) {
  RateSearch search(100000.0, 0.05, 100);
  const auto held = Search(&search, [](double) { return false; });
  EXPECT_EQ(search.borne_ops_s(), 0.0);
  EXPECT_FALSE(search.precise());
  EXPECT_FALSE(search.confirmed());
  EXPECT_LE(held.size(), 11u);
}

// A server of one queue, in virtual time: operations come evenly, each takes a time that is drawn
// anew. Its capacity is known.
class Server {
 public:
  Server(double service_s, uint64_t seed) : service_s_(service_s), random_(seed, 77) {}

  double capacity_ops_s() const { return 1.0 / service_s_; }

  // What a closed loop of a cold or a lucky moment tells: up to 20 % off.
  double Ceiling() { return (0.8 + 0.4 * Uniform()) * capacity_ops_s(); }

  // Judges a hold by the functions that the driver judges with.
  bool Bears(double rate_ops_s, const MaxRateSpec& spec) {
    RateStep step;
    step.rate_ops_s = rate_ops_s;
    step.hold_s = spec.hold_s;
    step.due = static_cast<uint64_t>(rate_ops_s * spec.hold_s);
    double free_s = 0.0;
    for (uint64_t i = 0; i < step.due; ++i) {
      const double due_s = static_cast<double>(i) / rate_ops_s;
      const double begin_s = std::max(free_s, due_s);
      if (begin_s >= spec.hold_s) break;
      free_s = begin_s + Service();
      step.latency.Record(static_cast<uint64_t>((free_s - due_s) * 1e9));
    }
    step.operations = step.latency.count();
    step.late = Late(step.latency, rate_ops_s, spec.hold_s, spec.limit_s);
    return Reasons(step, spec, {}).empty();
  }

 private:
  // Between 0.5 and 1.5 of the mean.
  double Service() { return service_s_ * (0.5 + Uniform()); }

  double Uniform() { return static_cast<double>(random_.Next() >> 11) * 0x1p-53; }

  double service_s_;
  Random random_;
};

TEST(RateSearch, finds_a_known_capacity_within_5_percent_over_20_seeds) {
  MaxRateSpec spec;
  spec.limit_s = 0.002;
  spec.hold_s = 2.0;
  spec.most_steps = 16;
  std::vector<double> found;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Server server(100e-6, seed);
    RateSearch search(server.Ceiling(), spec.precision,
                      static_cast<unsigned>(spec.most_steps));
    Search(&search, [&](double rate) { return server.Bears(rate, spec); });
    EXPECT_TRUE(search.precise()) << seed;
    EXPECT_TRUE(search.confirmed()) << seed;
    found.push_back(search.borne_ops_s());
  }
  const auto [least, most] = std::minmax_element(found.begin(), found.end());
  EXPECT_LE(*most / *least, 1.05);
  // 20 operations of waiting are borne, and services vary little: nearly all of the capacity is.
  EXPECT_GT(*least, 0.9 * 10000.0);
  EXPECT_LT(*most, 1.01 * 10000.0);
}

TEST(RateJudge, allows_as_many_late_operations_as_the_percentile_leaves) {
  EXPECT_EQ(LateAllowed(1000, 99.0), 10u);
  EXPECT_EQ(LateAllowed(1000, 99.9), 1u);
  EXPECT_EQ(LateAllowed(999, 99.9), 0u);
}

TEST(RateJudge, counts_operations_as_late_that_never_ended) {
  Histogram latency;
  latency.Record(1000000, 400);   // 1 ms
  latency.Record(50000000, 100);  // 50 ms
  // 1000 were due in the second; the last 10 ms of them may be missing.
  EXPECT_EQ(Late(latency, 1000.0, 1.0, 0.010), 100u + 490u);
  EXPECT_EQ(Late(latency, 500.0, 1.0, 0.010), 100u);
}

TEST(RateJudge, calls_debt_grown_only_where_the_end_lies_above_all_of_the_beginning) {
  EXPECT_TRUE(Grew({0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(Grew({0, 4, 2, 3, 4, 5}));  // it was as high before
  EXPECT_FALSE(Grew({0, 4, 0, 4, 0, 4, 0, 4, 0}));
  EXPECT_FALSE(Grew({9, 9, 9, 9, 9, 9}));
  EXPECT_FALSE(Grew({0, 1, 2, 3}));  // too few looks
}

TEST(RateJudge, counts_level_0_as_debt_only_where_a_compaction_is_wanted) {
  TreeState tree;
  tree.levels = {{3, 100}};
  EXPECT_EQ(DebtOf(tree).level0_files, 0u);
  tree.compaction_pending = true;
  EXPECT_EQ(DebtOf(tree).level0_files, 3u);
  EXPECT_EQ(DebtOf(TreeState()).level0_files, std::nullopt);
}

class ReasonsTest : public testing::Test {
 protected:
  ReasonsTest() {
    spec_.limit_s = 0.005;
    step_.rate_ops_s = 1000.0;
    step_.hold_s = 10.0;
    step_.operations = step_.due = 10000;
  }

  std::vector<std::string> Judge() const { return Reasons(step_, spec_, looks_); }

  MaxRateSpec spec_;
  RateStep step_;
  std::vector<Debt> looks_;
};

using Words = std::vector<std::string>;

TEST_F(ReasonsTest, are_given_where_a_hold_was_too_short_to_see_any_operation) {
  step_.rate_ops_s = 0.05;
  step_.operations = step_.due = 0;
  EXPECT_EQ(Judge(), std::vector<std::string>{"behind"});
}

TEST_F(ReasonsTest, has_none_for_a_rate_that_was_borne) { EXPECT_EQ(Judge(), Words()); }

TEST_F(ReasonsTest, names_a_percentile_above_the_limit) {
  step_.late = 100;
  EXPECT_EQ(Judge(), Words());
  step_.late = 101;
  EXPECT_EQ(Judge(), Words{"late"});
}

TEST_F(ReasonsTest, names_a_rate_that_was_not_done) {
  step_.operations = 9899;
  EXPECT_EQ(Judge(), Words{"behind"});
}

TEST_F(ReasonsTest, names_stops_and_lets_slowdowns_be) {
  step_.slowdowns = 5;
  EXPECT_EQ(Judge(), Words());
  step_.stops = 1;
  EXPECT_EQ(Judge(), Words{"stopped"});
}

TEST_F(ReasonsTest, names_debt_that_grows_of_either_kind) {
  for (uint64_t look = 0; look < 9; ++look) looks_.push_back({look << 20, 2});
  EXPECT_EQ(Judge(), Words{"debt"});
  looks_.clear();
  for (uint64_t look = 0; look < 9; ++look) looks_.push_back({std::nullopt, look});
  EXPECT_EQ(Judge(), Words{"debt"});
}

}  // namespace
}  // namespace ycsb
