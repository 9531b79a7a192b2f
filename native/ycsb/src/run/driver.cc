#include "run/driver.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "results/amplification.h"
#include "run/max_rate_phase.h"

namespace ycsb {
namespace {

std::unique_ptr<KeySpace> MakeKeySpace(const std::vector<Phase>& phases) {
  for (const Phase& phase : phases) {
    if (!phase.Works()) continue;
    return std::make_unique<KeySpace>(phase.workload.insert_start, phase.workload.record_count);
  }
  return std::make_unique<KeySpace>(0, 1);
}

}  // namespace

Driver::Driver(const Settings& settings, Report* report, Interrupt* interrupt)
    : settings_(settings),
      report_(report),
      interrupt_(interrupt),
      keys_(MakeKeySpace(settings.phases)) {}

void Driver::Run() {
  const int64_t start_ns = NowNs();
  Hello hello;
  Prepare(&hello);
  Open(&hello);
  report_->SayHello(hello);
  for (size_t i = 0; i < settings_.phases.size() && interrupt_->signal() == 0; ++i) RunPhase(i);
  Summarise(start_ns);
  engine_.reset();
}

void Driver::Prepare(Hello* hello) const {
  const std::filesystem::path& path = settings_.open.path;
  if (settings_.destroy) settings_.engine->Destroy(path);
  if (!settings_.clone_from.empty()) {
    const KeepClosed closed(settings_.clone_from);
    const int64_t start_ns = NowNs();
    hello->clone = CloneDatabase(settings_.clone_from, path, settings_.engine->ImmutableFiles());
    hello->clone_s = ToSeconds(NowNs() - start_ns);
  }
  std::error_code error;
  if (settings_.open.create && !path.empty()) std::filesystem::create_directories(path, error);
  if (error) {
    throw Failure("the folder " + path.string() + " cannot be made: " + error.message() +
                  "; choose another one with --db");
  }
}

void Driver::Open(Hello* hello) {
  const int64_t start_ns = NowNs();
  OpenDatabase();
  hello->open_s = ToSeconds(NowNs() - start_ns);
  hello->engine = settings_.engine->Facts();
  hello->options = engine_->EffectiveOptions();
  hello->database = settings_.open.path.string();
  hello->properties = settings_.properties;
  hello->ignored_properties = settings_.ignored_properties;
  hello->warnings = settings_.warnings;
  for (const Phase& phase : settings_.phases) {
    hello->phases.push_back(phase.spec);
    if (phase.Works()) hello->seed = phase.workload.seed;
  }
}

void Driver::OpenDatabase() {
  OpenRequest request = settings_.open;
  request.events = &events_;
  engine_ = settings_.engine->Open(request);
  context_ = {engine_.get(), &events_,     interrupt_,          report_,
              keys_.get(),   request.path, settings_.interval_s};
}

// Closes the database and opens it again, as between two processes, and returns the seconds that
// took. The page cache stays as it is.
double Driver::Reopen() {
  const int64_t start_ns = NowNs();
  const Counters counted = engine_->Close();
  closed_ = reopened_ ? Sum(closed_, counted) : counted;
  reopened_ = true;
  engine_.reset();
  OpenDatabase();
  report_->SayEvents(events_.Take());
  return ToSeconds(NowNs() - start_ns);
}

void Driver::RunPhase(size_t index) {
  const Phase& phase = settings_.phases[index];
  const PhaseId id{index, phase.spec};
  std::optional<double> reopen_s;
  // A settle pays what the phase before it left, and a checkpoint copies it: both belong to it.
  if (settings_.reopen && index > 0 && phase.Works()) reopen_s = Reopen();
  PhaseResult result;
  if (phase.spec.kind == PhaseKind::kSettle) {
    result = RunSettle(id);
  } else if (phase.spec.kind == PhaseKind::kCheckpoint) {
    result = RunCheckpoint(id);
  } else if (phase.spec.kind == PhaseKind::kMaxRate) {
    result = MaxRatePhase(context_, id, phase.workload, settings_.settle).Run();
  } else {
    result = MeasuredPhase(context_, id, phase.workload).Run();
  }
  result.reopen_s = reopen_s;
  report_->SayPhaseEnd(result);
  Account(result);
  const std::string& error = result.after.tree.background_error;
  if (!error.empty()) {
    throw Failure("the engine's background work failed in phase " + phase.spec.label + ": " +
                  error + "; check the disk's space and the database's file LOG");
  }
}

PhaseResult Driver::BeginResult(const PhaseId& id) const {
  PhaseResult result;
  result.phase = id;
  result.before = engine_->Observe().counters;
  result.process_before = ReadProcessFacts();
  return result;
}

void Driver::EndResult(int64_t start_ns, PhaseResult* result) {
  result->elapsed_s = ToSeconds(NowNs() - start_ns);
  result->after = engine_->Observe();
  result->process_after = ReadProcessFacts();
  result->space = MeasureFolder(context_.folder);
  result->space_peak_bytes = std::max(result->space_peak_bytes, result->space.data_bytes());
  report_->SayEvents(events_.Take());
}

PhaseResult Driver::RunSettle(const PhaseId& id) {
  PhaseResult result = BeginResult(id);
  const int64_t start_ns = NowNs();
  int64_t last_ns = start_ns;
  Counters last = result.before;
  const auto look = [&](const EngineState& state) {
    const int64_t now_ns = NowNs();
    if (settings_.interval_s <= 0.0 || ToSeconds(now_ns - last_ns) < settings_.interval_s) return;
    Progress progress;
    progress.phase = id;
    progress.elapsed_s = ToSeconds(now_ns - start_ns);
    progress.interval_s = ToSeconds(now_ns - last_ns);
    progress.state = state;
    progress.before = last;
    progress.space = MeasureFolder(context_.folder);
    result.space_peak_bytes = std::max(result.space_peak_bytes, progress.space.data_bytes());
    report_->SayEvents(events_.Take());
    report_->SayProgress(progress);
    last_ns = now_ns;
    last = state.counters;
  };
  result.ending = Settle(engine_.get(), interrupt_, settings_.settle, look);
  EndResult(start_ns, &result);
  return result;
}

PhaseResult Driver::RunCheckpoint(const PhaseId& id) {
  PhaseResult result = BeginResult(id);
  const int64_t start_ns = NowNs();
  engine_->Checkpoint(id.spec.file);
  EndResult(start_ns, &result);
  return result;
}

void Driver::Account(const PhaseResult& result) {
  ++summary_.phases_done;
  summary_.operations += result.tally.Operations();
  summary_.user_written_bytes += result.tally.written_bytes;
  summary_.user_read_bytes += result.tally.read_bytes;
  summary_.look_ups += result.tally.look_ups;
  summary_.space_peak_bytes = std::max(summary_.space_peak_bytes, result.space_peak_bytes);
  if (result.warmup_s > 0.0) warmups_.push_back(result.warmup);
}

void Driver::Summarise(int64_t start_ns) {
  summary_.interrupted = interrupt_->signal() != 0;
  summary_.elapsed_s = ToSeconds(NowNs() - start_ns);
  EngineState state = engine_->Observe();
  summary_.tree = std::move(state.tree);
  summary_.counters = reopened_ ? Sum(closed_, state.counters) : std::move(state.counters);
  // Operations of warm-ups are not counted; what they made the engine do must not be either.
  for (const Counters& warmup : warmups_) {
    summary_.counters = Difference(summary_.counters, warmup);
  }
  summary_.space = MeasureFolder(context_.folder);
  summary_.space_peak_bytes = std::max(summary_.space_peak_bytes, summary_.space.data_bytes());
  summary_.process = ReadProcessFacts();
  report_->SaySummary(summary_);
}

}  // namespace ycsb
