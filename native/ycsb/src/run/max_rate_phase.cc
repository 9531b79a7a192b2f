#include "run/max_rate_phase.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "results/amplification.h"
#include "run/rate_judge.h"

namespace ycsb {
namespace {

// Part of a hold for which its rate runs before.
constexpr double kLead = 0.5;

// Looks at the engine in a hold.
constexpr int64_t kLooks = 60;
constexpr int64_t kShortestLookNs = kNsPerSecond / 200;

// How often and when the engine flushed, compacted and stalled, as its events tell; hands
// everything on.
class EventWatch final : public Report {
 public:
  explicit EventWatch(Report* report) : report_(report) {}

  void SayHello(const Hello& hello) override { report_->SayHello(hello); }
  void SayProgress(const Progress& progress) override { report_->SayProgress(progress); }
  void SayRateStep(const RateStep& step) override { report_->SayRateStep(step); }
  void SayPhaseEnd(const PhaseResult& result) override { report_->SayPhaseEnd(result); }
  void SaySummary(const Summary& summary) override { report_->SaySummary(summary); }

  void SayEvents(const std::vector<Event>& events) override {
    events_.insert(events_.end(), events.begin(), events.end());
    report_->SayEvents(events);
  }

  // Counts what happened from `begin_ns` on.
  void CountSince(int64_t begin_ns, RateStep* step) const {
    for (const Event& event : events_) {
      if (event.at_ns < begin_ns) continue;
      if (event.type == "flush") ++step->flushes;
      if (event.type == "compaction" && !Has(event, "moved", EventValue(true))) ++step->compactions;
      if (event.type != "stall") continue;
      if (Has(event, "to", EventValue(std::string("stopped")))) ++step->stops;
      if (Has(event, "to", EventValue(std::string("delayed")))) ++step->slowdowns;
    }
  }

 private:
  static bool Has(const Event& event, const std::string& name, const EventValue& value) {
    return std::any_of(event.fields.begin(), event.fields.end(), [&](const auto& field) {
      return field.first == name && field.second == value;
    });
  }

  Report* report_;
  std::vector<Event> events_;
};

Histogram Merged(const Tally& tally, bool intended) {
  Histogram all;
  for (const OperationTally& type : tally.types) all.Add(intended ? type.intended : type.service);
  return all;
}

// Follows one hold: notes where its lead-in ended, looks at the debt, and ends it as soon as more
// operations are late than the whole hold may have.
class HoldWatcher final : public PhaseWatcher {
 public:
  // `rate_ops_s`: 0 for a closed loop.
  HoldWatcher(const MaxRateSpec& spec, double rate_ops_s, double lead_s)
      : spec_(spec),
        rate_ops_s_(rate_ops_s),
        lead_ns_(FromSeconds(lead_s)),
        between_ns_(std::max(FromSeconds(spec.hold_s) / kLooks, kShortestLookNs)) {}

  void Start(int64_t now_ns) override {
    start_ns_ = now_ns;
    next_ns_ = now_ns + lead_ns_;
  }

  int64_t next_ns() const override { return next_ns_; }

  bool Look(int64_t now_ns, const Tally& total, const EngineState& state) override {
    next_ns_ = now_ns + between_ns_;
    looks_.push_back(DebtOf(state.tree));
    stopped_ = stopped_ || state.tree.writes_stopped;
    if (begin_ns_ == 0) {
      begin_ns_ = now_ns;
      before_ = total;
      stall_us_ = state.counters.stall_us;
      return true;
    }
    if (rate_ops_s_ <= 0.0) return true;
    const Histogram latency = Merged(Since(total), true);
    const auto due = static_cast<uint64_t>(rate_ops_s_ * spec_.hold_s);
    const double span_s = ToSeconds(now_ns - begin_ns_);
    return Late(latency, rate_ops_s_, span_s, spec_.limit_s) <= LateAllowed(due, spec_.percentile);
  }

  // What was counted since the lead-in ended.
  Tally Since(Tally total) const {
    if (begin_ns_ != 0) total.Subtract(before_);
    return total;
  }

  // Completes `step` by what was done in all, as `result` says.
  void Conclude(const PhaseResult& result, RateStep* step) {
    const int64_t end_ns = start_ns_ + FromSeconds(result.elapsed_s);
    step->begin_ns = begin_ns_ == 0 ? start_ns_ : begin_ns_;
    step->hold_s = std::max(0.0, ToSeconds(end_ns - step->begin_ns));
    step->latency = Merged(Since(result.tally), rate_ops_s_ > 0.0);
    step->operations = step->latency.count();
    const double span_s = std::min(step->hold_s, spec_.hold_s);
    step->due = static_cast<uint64_t>(rate_ops_s_ * span_s);
    step->late = Late(step->latency, rate_ops_s_, span_s, spec_.limit_s);
    looks_.push_back(DebtOf(result.after.tree));
    step->debt_begin = looks_.front();
    step->debt_end = looks_.back();
    if (result.after.counters.stall_us && stall_us_) {
      step->stall_us = *result.after.counters.stall_us - *stall_us_;
    }
  }

  // Whether all writes were held at a look.
  bool stopped() const { return stopped_; }

  const std::vector<Debt>& looks() const { return looks_; }

 private:
  const MaxRateSpec& spec_;
  double rate_ops_s_;
  int64_t lead_ns_;
  int64_t between_ns_;
  int64_t start_ns_ = 0;
  int64_t next_ns_ = 0;
  int64_t begin_ns_ = 0;  // of the hold; 0: it has not begun
  bool stopped_ = false;
  Tally before_;
  std::optional<uint64_t> stall_us_;
  std::vector<Debt> looks_;
};

// Whether a run of `spec` changes the database.
bool Writes(const WorkloadSpec& spec) {
  const OperationSet set = spec.Operations(/*loading=*/false);
  return set.test(static_cast<size_t>(OperationType::kUpdate)) ||
         set.test(static_cast<size_t>(OperationType::kInsert)) ||
         set.test(static_cast<size_t>(OperationType::kReadModifyWrite)) ||
         set.test(static_cast<size_t>(OperationType::kDelete));
}

}  // namespace

MaxRatePhase::MaxRatePhase(const PhaseContext& context, const PhaseId& id, const WorkloadSpec& spec,
                           const SettleLimits& settle)
    : context_(context), spec_(spec), settle_(settle), writes_(Writes(spec)) {
  result_.phase = id;
}

PhaseResult MaxRatePhase::Run() {
  const int64_t start_ns = NowNs();
  result_.before = context_.engine->Observe().counters;
  result_.process_before = ReadProcessFacts();
  const MaxRateSpec& spec = spec_.max_rate;
  MaxRate found;
  found.spec = spec;
  const auto goes_on = [this] { return result_.ending == Ending::kComplete; };

  const RateStep closed = Hold(0, 0.0);
  if (closed.hold_s > 0.0) {
    context_.report->SayRateStep(closed);
    found.ceiling_ops_s = static_cast<double>(closed.operations) / closed.hold_s;
  }
  RateSearch search(std::max(found.ceiling_ops_s, 1e-3), spec.precision,
                    static_cast<unsigned>(spec.most_steps));
  while (found.ceiling_ops_s > 0.0 && goes_on()) {
    const std::optional<double> rate = search.Next();
    if (!rate) break;
    const RateStep step = Hold(search.steps() + 1, *rate);
    if (!goes_on()) break;  // it was cut short
    search.Tell(step.borne);
    context_.report->SayRateStep(step);
  }
  found.rate_ops_s = search.borne_ops_s();
  found.not_borne_ops_s = search.not_borne_ops_s();
  found.steps = search.steps();
  found.confirmed = search.confirmed();
  found.precise = search.precise();
  result_.max_rate = found;
  result_.elapsed_s = ToSeconds(NowNs() - start_ns);
  return std::move(result_);
}

// Pays what was put off, and returns the time that it took. An engine that wants to compact and
// does not is taken as it is.
double MaxRatePhase::PayDebt() {
  if (!writes_) return 0.0;
  const int64_t start_ns = NowNs();
  const Ending ending =
      Settle(context_.engine, context_.interrupt, settle_, [](const EngineState&) {});
  if (ending != Ending::kIdle) result_.ending = ending;
  context_.report->SayEvents(context_.events->Take());
  return ToSeconds(NowNs() - start_ns);
}

RateStep MaxRatePhase::Hold(unsigned number, double rate_ops_s) {
  const MaxRateSpec& spec = spec_.max_rate;
  RateStep step;
  step.phase = result_.phase;
  step.number = number;
  step.rate_ops_s = rate_ops_s;
  step.lead_s = spec.hold_s * kLead;
  step.settle_s = PayDebt();
  if (result_.ending != Ending::kComplete) {
    ObserveEnd();
    return step;
  }

  WorkloadSpec held = spec_;
  held.pace.target_ops_s = rate_ops_s;
  held.pace.operation_count = spec_.pace.operation_count;
  held.pace.duration_s = step.lead_s + spec.hold_s;
  held.pace.max_execution_s = 0.0;
  EventWatch events(context_.report);
  PhaseContext context = context_;
  context.report = &events;
  HoldWatcher watcher(spec, rate_ops_s, step.lead_s);
  PhaseResult part = MeasuredPhase(context, result_.phase, held, number, &watcher).Run();
  watcher.Conclude(part, &step);
  events.CountSince(step.begin_ns, &step);
  if (step.stops == 0 && watcher.stopped()) step.stops = 1;
  if (rate_ops_s > 0.0) {
    step.reasons = Reasons(step, spec, watcher.looks());
    step.borne = step.reasons.empty();
  }
  Add(std::move(part));
  return step;
}

// Takes the end of the phase where a settle was cut short, and no hold tells it: with the error that
// ended the engine's work, if one did.
void MaxRatePhase::ObserveEnd() {
  result_.after = context_.engine->Observe();
  result_.process_after = ReadProcessFacts();
  result_.space = MeasureFolder(context_.folder);
  result_.space_peak_bytes = std::max(result_.space_peak_bytes, result_.space.data_bytes());
}

void MaxRatePhase::Add(PhaseResult part) {
  result_.ending = part.ending;
  result_.tally.Add(part.tally);
  result_.after = std::move(part.after);
  result_.space = part.space;
  result_.space_peak_bytes = std::max(result_.space_peak_bytes, part.space_peak_bytes);
  result_.process_after = part.process_after;
}

}  // namespace ycsb
