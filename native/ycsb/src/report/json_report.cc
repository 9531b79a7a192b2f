#include "report/json_report.h"

#include <ostream>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "report/json_values.h"
#include "results/amplification.h"
#include "version.h"

namespace ycsb {
namespace {

// Bytes that are no UTF-8, in a path for example, become question marks.
void Write(std::ostream* out, const Json& json) {
  *out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
  if (!*out) {
    throw Failure(
        "results cannot be written to standard output; is its reader gone or the disk full?");
  }
}

Json Line(const char* type, int64_t start_ns, int64_t at_ns) {
  return {{"type", type}, {"t_s", ToSeconds(at_ns - start_ns)}};
}

Json EngineJson(const Hello& hello) {
  return {{"name", hello.engine.name},
          {"version", hello.engine.version},
          {"assertions", OrNull(hello.engine.assertions)},
          {"compressors", hello.engine.compressors},
          {"effective_options", hello.options}};
}

Json CloneJson(const Hello& hello) {
  if (!hello.clone) return nullptr;
  return {{"elapsed_s", hello.clone_s},
          {"linked_files", hello.clone->linked_files},
          {"linked_bytes", hello.clone->linked_bytes},
          {"copied_files", hello.clone->copied_files},
          {"copied_bytes", hello.clone->copied_bytes}};
}

Json DebtJson(const Debt& debt) {
  return {{"pending_compaction_bytes", OrNull(debt.pending_compaction_bytes)},
          {"level0_files", OrNull(debt.level0_files)}};
}

// Quantiles of all kinds of operations together; null where none ended.
Json StepLatencyJson(const Histogram& latency) {
  if (latency.count() == 0) return nullptr;
  const auto seconds = [](uint64_t ns) { return ToSeconds(static_cast<int64_t>(ns)); };
  return {{"p50_s", seconds(latency.At(0.50))},
          {"p99_s", seconds(latency.At(0.99))},
          {"p999_s", seconds(latency.At(0.999))},
          {"max_s", seconds(latency.max())}};
}

Json RateOrNull(double rate) { return rate > 0.0 ? Json(rate) : Json(nullptr); }

Json MaxRateJson(const MaxRate& found) {
  return {{"limit_s", found.spec.limit_s},
          {"percentile", found.spec.percentile},
          {"hold_s", found.spec.hold_s},
          {"precision", found.spec.precision},
          {"ceiling_ops_s", RateOrNull(found.ceiling_ops_s)},
          {"rate_ops_s", RateOrNull(found.rate_ops_s)},
          {"not_borne_ops_s", RateOrNull(found.not_borne_ops_s)},
          {"steps", found.steps},
          {"confirmed", found.confirmed},
          {"precise", found.precise}};
}

// What a phase leaves to be done: read before anything is drained.
Json DebtJson(const TreeState& tree) {
  Json level0 = nullptr;
  if (!tree.levels.empty()) level0 = tree.levels.front().files;
  return {{"pending_compaction_bytes", OrNull(tree.pending_compaction_bytes)},
          {"memtable_bytes", OrNull(tree.memtable_bytes)},
          {"level0_files", level0},
          {"running_compactions", tree.running_compactions},
          {"running_flushes", tree.running_flushes},
          {"compaction_pending", tree.compaction_pending}};
}

Json ProcessJson(const ProcessFacts& before, const ProcessFacts& after) {
  const auto minus = [](const std::optional<uint64_t>& to, const std::optional<uint64_t>& from) {
    return to && from ? Json(*to - *from) : Json(nullptr);
  };
  return {{"cpu_s", after.cpu_s - before.cpu_s},
          {"memory_peak_bytes", OrNull(after.memory_peak_bytes)},
          {"io_read_bytes", minus(after.io_read_bytes, before.io_read_bytes)},
          {"io_written_bytes", minus(after.io_written_bytes, before.io_written_bytes)}};
}

Json AmplificationJson(const Counters& counters, uint64_t written, uint64_t look_ups) {
  return {{"waf", OrNull(WriteAmplification(counters, written, false))},
          {"waf_wal", OrNull(WriteAmplification(counters, written, true))},
          {"read_amp", OrNull(Ratio(counters.table_reads, look_ups))},
          {"cache_hit_ratio", OrNull(CacheHitRatio(counters))}};
}

Json Rate(uint64_t operations, double elapsed_s) {
  return elapsed_s > 0.0 ? Json(static_cast<double>(operations) / elapsed_s) : Json(nullptr);
}

}  // namespace

JsonReport::JsonReport(std::ostream* out) : out_(out), start_ns_(NowNs()) {}

void JsonReport::SayHello(const Hello& hello) {
  Json line = Line("hello", start_ns_, NowNs());
  line["format"] = kFormat;
  line["driver_version"] = kVersion;
  line["engine"] = EngineJson(hello);
  line["database"] = hello.database;
  line["seed"] = hello.seed;
  line["phases"] = Json::array();
  for (size_t i = 0; i < hello.phases.size(); ++i) {
    Json phase = PhaseJson({i, hello.phases[i]});
    phase["file"] = hello.phases[i].file.empty() ? Json(nullptr) : Json(hello.phases[i].file);
    line["phases"].push_back(std::move(phase));
  }
  line["properties"] = hello.properties;
  line["ignored_properties"] = hello.ignored_properties;
  line["warnings"] = hello.warnings;
  line["open_s"] = hello.open_s;
  line["clone"] = CloneJson(hello);
  Write(out_, line);
}

void JsonReport::SayProgress(const Progress& progress) {
  const uint64_t operations = progress.interval.Operations();
  Json line = Line("progress", start_ns_, NowNs());
  line["phase"] = PhaseJson(progress.phase);
  line["elapsed_s"] = progress.elapsed_s;
  line["interval_s"] = progress.interval_s;
  line["warmup"] = progress.warmup;
  line["operations"] = progress.operations;
  line["expected_operations"] = progress.expected > 0 ? Json(progress.expected) : Json(nullptr);
  line["interval_operations"] = operations;
  line["throughput_ops_s"] = Rate(operations, progress.interval_s);
  line["latency"] = LatencyJson(progress.interval, false);
  line["intended_latency"] = LatencyJson(progress.interval, true);
  line["tree"] = TreeJson(progress.state.tree);
  line["counters"] =
      CountersJson(Difference(progress.state.counters, progress.before), /*tickers=*/false);
  line["space_bytes"] = progress.space.data_bytes();
  Write(out_, line);
}

void JsonReport::SayEvents(const std::vector<Event>& events) {
  for (const Event& event : events) {
    Json line = Line(event.type.c_str(), start_ns_, event.at_ns);
    line.update(EventJson(event));
    Write(out_, line);
  }
}

void JsonReport::SayRateStep(const RateStep& step) {
  Json line = Line("rate_step", start_ns_, NowNs());
  line["phase"] = PhaseJson(step.phase);
  line["number"] = step.number;
  line["rate_ops_s"] = RateOrNull(step.rate_ops_s);
  line["begin_s"] = ToSeconds(step.begin_ns - start_ns_);
  line["settle_s"] = step.settle_s;
  line["lead_s"] = step.lead_s;
  line["hold_s"] = step.hold_s;
  line["operations"] = step.operations;
  line["achieved_ops_s"] = Rate(step.operations, step.hold_s);
  line["due_operations"] = step.due;
  line["late_operations"] = step.late;
  line["latency"] = StepLatencyJson(step.latency);
  line["stops"] = step.stops;
  line["slowdowns"] = step.slowdowns;
  line["stall_s"] = nullptr;
  if (step.stall_us) line["stall_s"] = static_cast<double>(*step.stall_us) * 1e-6;
  line["flushes"] = step.flushes;
  line["compactions"] = step.compactions;
  line["debt_begin"] = DebtJson(step.debt_begin);
  line["debt_end"] = DebtJson(step.debt_end);
  line["borne"] = step.borne;
  line["reasons"] = step.reasons;
  Write(out_, line);
}

void JsonReport::SayPhaseEnd(const PhaseResult& result) {
  const Counters counters = Difference(result.after.counters, result.before);
  const uint64_t operations = result.tally.Operations();
  Json line = Line("phase_end", start_ns_, NowNs());
  line["phase"] = PhaseJson(result.phase);
  line["ending"] = Name(result.ending);
  line["interrupted"] = result.ending == Ending::kInterrupted;
  line["elapsed_s"] = result.elapsed_s;
  line["warmup_s"] = result.warmup_s;
  if (result.reopen_s) line["reopen_s"] = *result.reopen_s;
  line["operations"] = operations;
  // Over rates of all sizes a rate and latencies would say nothing.
  const bool one_rate = !result.max_rate.has_value();
  line["throughput_ops_s"] = one_rate ? Rate(operations, result.elapsed_s) : Json(nullptr);
  line["outcomes"] = OutcomesJson(result.tally);
  line["latency"] = one_rate ? LatencyJson(result.tally, false) : Json::object();
  line["intended_latency"] = one_rate ? LatencyJson(result.tally, true) : Json(nullptr);
  if (!one_rate) line["max_rate"] = MaxRateJson(*result.max_rate);
  line["user_written_bytes"] = result.tally.written_bytes;
  line["user_read_bytes"] = result.tally.read_bytes;
  line["counters"] = CountersJson(counters, /*tickers=*/true);
  line["amplification"] =
      AmplificationJson(counters, result.tally.written_bytes, result.tally.look_ups);
  line["debt"] = DebtJson(result.after.tree);
  line["tree"] = TreeJson(result.after.tree);
  line["space"] = SpaceJson(result.space);
  line["space_peak_bytes"] = result.space_peak_bytes;
  line["process"] = ProcessJson(result.process_before, result.process_after);
  Write(out_, line);
}

void JsonReport::SaySummary(const Summary& summary) {
  Json line = Line("summary", start_ns_, NowNs());
  line["interrupted"] = summary.interrupted;
  line["elapsed_s"] = summary.elapsed_s;
  line["phases_done"] = summary.phases_done;
  line["operations"] = summary.operations;
  line["user_written_bytes"] = summary.user_written_bytes;
  line["user_read_bytes"] = summary.user_read_bytes;
  line["counters"] = CountersJson(summary.counters, /*tickers=*/true);
  line["amplification"] =
      AmplificationJson(summary.counters, summary.user_written_bytes, summary.look_ups);
  line["tree"] = TreeJson(summary.tree);
  line["space"] = SpaceJson(summary.space);
  line["space_peak_bytes"] = summary.space_peak_bytes;
  line["process"] = ProcessJson({0.0, 0, 0, 0}, summary.process);
  Write(out_, line);
}

}  // namespace ycsb
