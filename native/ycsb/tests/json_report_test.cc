#include "report/json_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "json_lines.h"
#include "report/human_report.h"
#include "results/amplification.h"

namespace ycsb {
namespace {

PhaseResult SomeResult() {
  PhaseResult result;
  result.phase = {1, {PhaseKind::kRun, "A", ""}};
  result.elapsed_s = 2.0;
  for (uint64_t i = 1; i <= 1000; ++i) {
    result.tally.Of(OperationType::kRead).service.Record(i * 1000);
  }
  result.tally.written_bytes = 100;
  result.before.flush_bytes = 50;
  result.after.counters.flush_bytes = 250;
  result.after.counters.compaction_bytes = 300;
  result.after.counters.tickers = {{"zero", 0}, {"some", 4}};
  return result;
}

nlohmann::json Print(const PhaseResult& result) {
  std::ostringstream out;
  JsonReport report(&out);
  report.SayPhaseEnd(result);
  return nlohmann::json::parse(out.str());
}

TEST(JsonReport, gives_latencies_in_seconds) {
  const auto read = Print(SomeResult()).at("latency").at("read");
  EXPECT_EQ(read.at("count"), 1000);
  EXPECT_NEAR(read.at("p50_s").get<double>(), 500e-6, 0.5e-6);
  EXPECT_NEAR(read.at("p999_s").get<double>(), 999e-6, 1e-6);
  EXPECT_NEAR(read.at("mean_s").get<double>(), 500.5e-6, 1e-9);
  EXPECT_NEAR(read.at("max_s").get<double>(), 1e-3, 1e-12);
}

TEST(JsonReport, counts_from_the_beginning_of_the_phase) {
  const auto line = Print(SomeResult());
  EXPECT_EQ(line.at("counters").at("flush_bytes"), 200);
  EXPECT_EQ(line.at("throughput_ops_s"), 500.0);
  EXPECT_EQ(line.at("amplification").at("waf"), 5.0);
}

TEST(JsonReport, says_null_for_what_is_not_known_and_never_zero) {
  const auto line = Print(SomeResult());
  EXPECT_TRUE(line.at("counters").at("wal_bytes").is_null());
  EXPECT_TRUE(line.at("counters").at("stall_s").is_null());
  EXPECT_TRUE(line.at("amplification").at("waf_wal").is_null());
  EXPECT_TRUE(line.at("amplification").at("cache_hit_ratio").is_null());
  EXPECT_TRUE(line.at("debt").at("pending_compaction_bytes").is_null());
  EXPECT_TRUE(line.at("intended_latency").is_null());
}

TEST(JsonReport, leaves_out_tickers_that_are_zero) {
  EXPECT_EQ(Print(SomeResult()).at("counters").at("tickers"), nlohmann::json({{"some", 4}}));
}

TEST(JsonReport, prints_an_event_with_its_fields) {
  std::ostringstream out;
  JsonReport report(&out);
  Event event;
  event.type = "flush";
  event.fields = {{"bytes", uint64_t{7}}, {"reason", std::string("full \xff")}, {"ok", true}};
  report.SayEvents({event});
  const auto line = nlohmann::json::parse(out.str());
  EXPECT_EQ(line.at("type"), "flush");
  EXPECT_EQ(line.at("bytes"), 7);
  EXPECT_EQ(line.at("ok"), true);
}

TEST(JsonReport, fails_where_its_output_does) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  JsonReport report(&out);
  EXPECT_THROW(report.SayPhaseEnd(SomeResult()), Failure);
}

TEST(HumanReport, prints_a_question_mark_for_what_is_not_known) {
  std::ostringstream out;
  HumanReport report(&out);
  report.SayPhaseEnd(SomeResult());
  EXPECT_NE(out.str().find("write amplification 5.00, with WAL ?"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("500 ops/s"), std::string::npos) << out.str();
}

TEST(HumanReport, gives_times_and_bytes_with_the_unit_that_fits) {
  EXPECT_EQ(FormatTime(1.5e-8), "15 ns");
  EXPECT_EQ(FormatTime(1.234e-3), "1.23 ms");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(12), "12 B");
  EXPECT_EQ(FormatBytes(std::nullopt), "?");
}

TEST(HumanReport, rounds_into_the_next_unit_and_gives_no_powers_of_ten) {
  EXPECT_EQ(FormatTime(9.996e-7), "1 us");
  EXPECT_EQ(FormatTime(9.996e-4), "1 ms");
  EXPECT_EQ(FormatTime(0.9996), "1 s");
  EXPECT_EQ(FormatTime(1234.5678), "1235 s");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes((1 << 20) - 1), "1.0 MiB");
}

TEST(Amplification, of_nothing_written_is_not_known) {
  Counters counters;
  counters.flush_bytes = 10;
  EXPECT_EQ(WriteAmplification(counters, 0, false), std::nullopt);
  counters.cache_hits = 0;
  counters.cache_misses = 0;
  EXPECT_EQ(CacheHitRatio(counters), std::nullopt);
}

}  // namespace
}  // namespace ycsb
