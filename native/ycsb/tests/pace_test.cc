// Rates and limits of time, on the engine that does nothing.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "json_lines.h"

namespace ycsb {
namespace {

using Words = std::vector<std::string>;

// A run on the engine that does nothing, with `more` words.
Words NullRun(const Words& more) {
  Words words = {"--engine", "null", "--phases", "run", "-p", "recordcount=1000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(TargetRate, is_kept_and_latency_counts_from_the_intended_start) {
  const Lines lines = RunDriver(NullRun({"-p", "operationcount=300", "-p", "target=3000", "-p",
                                         "threadcount=2", "-p", "updateproportion=0"}));
  const auto run = lines.Of("phase_end").at(0);
  EXPECT_GE(run.at("elapsed_s").get<double>(), 299.0 / 3000.0);
  EXPECT_EQ(run.at("intended_latency").at("read").at("count"), 300);
}

TEST(TargetRate, shows_the_waiting_that_a_slow_engine_causes) {
  // Each operation takes 2 ms at least, one should start every ms: the last of 100 starts 100 ms
  // late.
  const Lines lines = RunDriver(NullRun({"-p", "operationcount=100", "-p", "target=1000", "-p",
                                         "null.delay_us=2000", "-p", "updateproportion=0"}));
  const auto run = lines.Of("phase_end").at(0);
  EXPECT_GE(run.at("intended_latency").at("read").at("max_s").get<double>(), 0.100);
  EXPECT_GE(run.at("intended_latency").at("read").at("p50_s").get<double>(), 0.050);
  EXPECT_GE(run.at("latency").at("read").at("p50_s").get<double>(), 0.002);
  EXPECT_LT(run.at("latency").at("read").at("p50_s").get<double>(),
            run.at("intended_latency").at("read").at("p50_s").get<double>());
}

TEST(TargetRate, that_is_low_does_not_keep_a_phase_from_ending_in_time) {
  const Lines lines = RunDriver(
      NullRun({"-p", "lsmtune.duration_s=0.1", "-p", "target=0.01", "-p", "threadcount=2"}));
  const auto run = lines.Of("phase_end").at(0);
  EXPECT_EQ(run.at("operations"), 1);
  EXPECT_GE(run.at("elapsed_s").get<double>(), 0.1);
  EXPECT_LT(run.at("elapsed_s").get<double>(), 10.0);  // the second one should start after 100 s
  EXPECT_EQ(run.at("ending"), "complete");
}

// Takes its time to print progress.
class SlowReport final : public Report {
 public:
  void SayHello(const Hello& /*hello*/) override {}
  void SayProgress(const Progress& /*progress*/) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  }
  void SayEvents(const std::vector<Event>& /*events*/) override {}
  void SayRateStep(const RateStep& /*step*/) override {}
  void SayPhaseEnd(const PhaseResult& result) override { elapsed_s = result.elapsed_s; }
  void SaySummary(const Summary& /*summary*/) override {}

  double elapsed_s = 0.0;
};

TEST(Elapsed, ends_with_the_last_operation_and_not_when_printing_does) {
  Interrupt interrupt;
  SlowReport report;
  const Settings settings = ReadCommandLine(NullRun(
      {"-p", "operationcount=50", "-p", "null.delay_us=1000", "-p", "lsmtune.interval_s=0.01"}));
  Driver(settings, &report, &interrupt).Run();
  EXPECT_GE(report.elapsed_s, 0.05);
  EXPECT_LT(report.elapsed_s, 0.9);
}

TEST(MaxExecutionTime, that_cuts_a_run_of_given_duration_short_says_so) {
  const Words words = {"-p", "lsmtune.duration_s=60", "-p", "maxexecutiontime=0.05"};
  EXPECT_EQ(RunDriver(NullRun(words)).Of("phase_end").at(0).at("ending"), "time_limit");
  // Where nothing else ends a run, it is what was asked for.
  const Words alone = {"-p", "maxexecutiontime=0.05"};
  EXPECT_EQ(RunDriver(NullRun(alone)).Of("phase_end").at(0).at("ending"), "complete");
}

TEST(MaxExecutionTime, ends_a_run_and_says_so) {
  const Lines lines =
      RunDriver(NullRun({"-p", "operationcount=1000000000", "-p", "maxexecutiontime=0.05"}));
  EXPECT_EQ(lines.Of("phase_end").at(0).at("ending"), "time_limit");
}

}  // namespace
}  // namespace ycsb
