// Phases that seek the largest rate, end to end.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "driver_fixture.h"
#include "message.h"

namespace ycsb {
namespace {

const Words kShort = {"-p", "lsmtune.max_rate.limit_s=0.05", "-p", "lsmtune.max_rate.hold_s=0.1",
                      "-p", "lsmtune.max_rate.steps=6",      "-p", "lsmtune.interval_s=0.02"};

// Whether what a search says of itself agrees with the steps that it printed.
void ExpectConsistent(const Lines& lines, const std::string& label) {
  const auto steps = lines.Of("rate_step");
  ASSERT_GE(steps.size(), 2u);
  nlohmann::json end;
  for (const auto& phase : lines.Of("phase_end")) {
    if (phase.at("phase").at("label") == label) end = phase;
  }
  const auto found = end.at("max_rate");
  EXPECT_TRUE(steps[0].at("rate_ops_s").is_null());
  EXPECT_EQ(found.at("ceiling_ops_s"), steps[0].at("achieved_ops_s"));
  EXPECT_EQ(found.at("steps"), steps.size() - 1);
  std::map<double, int> votes;
  for (size_t i = 1; i < steps.size(); ++i) {
    const auto& step = steps[i];
    EXPECT_EQ(step.at("number"), i);
    EXPECT_EQ(step.at("borne").get<bool>(), step.at("reasons").empty());
    votes[step.at("rate_ops_s").get<double>()] += step.at("borne").get<bool>() ? 1 : -1;
    if (!step.at("borne").get<bool>()) continue;
    EXPECT_LE(step.at("latency").at("p99_s").get<double>(),
              found.at("limit_s").get<double>() * 1.002);  // the histogram's error
    EXPECT_EQ(step.at("stops"), 0);
    EXPECT_GE(step.at("achieved_ops_s").get<double>(),
              0.98 * step.at("rate_ops_s").get<double>());
  }
  double largest = 0.0;
  double even = 0.0;  // counts where nothing else was borne
  for (const auto& [rate, vote] : votes) {
    if (vote > 0) largest = std::max(largest, rate);
    if (vote == 0) even = std::max(even, rate);
  }
  if (largest == 0.0) largest = even;
  if (largest > 0.0) {
    EXPECT_EQ(found.at("rate_ops_s"), largest);
  } else {
    EXPECT_TRUE(found.at("rate_ops_s").is_null());
  }
  EXPECT_TRUE(end.at("throughput_ops_s").is_null());
  EXPECT_TRUE(end.at("latency").empty());
  EXPECT_GT(end.at("operations").get<uint64_t>(), 0u);
}

class MaxRateTest : public DriverTest {};

TEST_P(MaxRateTest, climbs_a_staircase_whose_largest_borne_step_is_its_answer) {
  const Lines lines = RunDriver(Base() + kShort +
                                Words{"--phases", "load,max_rate:mix,settle", "-P", Workload("a")});
  ExpectConsistent(lines, "mix");
  EXPECT_EQ(lines.Of("phase_end").size(), 3u);
  // What was written at all rates is in the phase, so that amplification has its divisor.
  const auto end = lines.Of("phase_end").at(1);
  EXPECT_GT(end.at("user_written_bytes").get<uint64_t>(), 0u);
  EXPECT_EQ(lines.Of("summary").at(0).at("operations"),
            lines.Of("phase_end").at(0).at("operations").get<uint64_t>() +
                end.at("operations").get<uint64_t>());
}

TEST_P(MaxRateTest, tells_no_step_and_the_end_as_it_is_where_the_first_settle_is_cut_short) {
  const Lines lines = RunDriver(Base() + kShort +
                                Words{"--phases", "load,max_rate", "-P", Workload("a"), "-p",
                                      "lsmtune.settle_limit_s=0"});
  EXPECT_TRUE(lines.Of("rate_step").empty());  // nothing was held
  const auto end = lines.Of("phase_end").at(1);
  EXPECT_EQ(end.at("ending"), "time_limit");
  EXPECT_TRUE(end.at("max_rate").at("ceiling_ops_s").is_null());
  EXPECT_GT(end.at("space").at("data_bytes").get<uint64_t>(), 0u);
  EXPECT_GT(end.at("space_peak_bytes").get<uint64_t>(), 0u);
  EXPECT_GE(end.at("process").at("cpu_s").get<double>(), 0.0);
  EXPECT_FALSE(end.at("process").at("memory_peak_bytes").is_null());
}

INSTANTIATE_TEST_SUITE_P(AllStoring, MaxRateTest, testing::ValuesIn(StoringEngineNames()));

Words Null(const Words& more) {
  const Words base = {"--engine", "null", "--phases", "max_rate", "-p", "recordcount=1000"};
  return base + kShort + more;
}

TEST(MaxRate, of_a_read_only_mix_draws_other_operations_at_each_rate_and_needs_no_operationcount) {
  const Lines lines = RunDriver(Null({"-p", "updateproportion=0", "-p", "threadcount=2"}));
  ExpectConsistent(lines, "max_rate");
}

TEST(MaxRate, is_none_where_every_operation_is_too_late) {
  // Every operation takes 60 ms at least, and 50 ms are allowed.
  const Lines lines = RunDriver(Null({"-p", "updateproportion=0", "-p", "null.delay_us=60000"}));
  const auto found = lines.Of("phase_end").at(0).at("max_rate");
  EXPECT_TRUE(found.at("rate_ops_s").is_null());
  EXPECT_FALSE(found.at("confirmed").get<bool>());
  for (const auto& step : lines.Of("rate_step")) {
    EXPECT_FALSE(step.at("borne").get<bool>());
  }
}

TEST(MaxRate, needs_a_limit_and_refuses_another_rate) {
  const Words base = {"--engine", "null", "--phases", "max_rate", "-p", "recordcount=1000"};
  EXPECT_EQ(MessageOf<UsageError>([&] { ReadCommandLine(base); }),
            "phase max_rate has no limit to keep; give -p lsmtune.max_rate.limit_s=S");
  const Words paced = base + kShort + Words{"-p", "target=5"};
  EXPECT_EQ(MessageOf<UsageError>([&] { ReadCommandLine(paced); }),
            "phase max_rate finds its rate itself; take target and lsmtune.warmup_s out");
}

TEST(MaxRate, has_percentiles_of_99_and_99_9_alone) {
  const std::string message = MessageOf<UsageError>(
      [&] { ReadCommandLine(Null({"-p", "lsmtune.max_rate.percentile=95"})); });
  EXPECT_NE(message.find("lsmtune.max_rate.percentile"), std::string::npos);
  EXPECT_NE(message.find("99.9"), std::string::npos);
}

}  // namespace
}  // namespace ycsb
