#include "run/measured_phase.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "results/amplification.h"
#include "run/thread_group.h"

namespace ycsb {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr uint64_t kNoQuota = std::numeric_limits<uint64_t>::max();

// Random streams of a phase; more than it can have threads, in all its rounds.
constexpr uint64_t kStreams = 1 << 20;
constexpr uint64_t kStreamsOfRound = 10000;

}  // namespace

MeasuredPhase::MeasuredPhase(const PhaseContext& context, const PhaseId& id,
                             const WorkloadSpec& spec)
    : context_(context), spec_(spec), loading_(id.spec.kind == PhaseKind::kLoad) {
  result_.phase = id;
}

MeasuredPhase::MeasuredPhase(const PhaseContext& context, const PhaseId& id,
                             const WorkloadSpec& spec, unsigned round, PhaseWatcher* watcher)
    : MeasuredPhase(context, id, spec) {
  round_ = round;
  watcher_ = watcher;
}

void MeasuredPhase::Plan() {
  const Pace& pace = spec_.pace;
  const bool timed = pace.duration_s > 0.0 && !loading_;
  if (loading_) context_.keys->load_next.store(spec_.insert_start);
  quota_ = loading_ ? spec_.insert_count : pace.operation_count;
  if (timed || quota_ == 0) quota_ = kNoQuota;

  plan_.spec = &spec_;
  plan_.loading = loading_;
  plan_.shared = {context_.keys, std::make_shared<std::atomic<uint64_t>>(0)};
  plan_.stop = &stop_;
}

void MeasuredPhase::SetTimes() {
  const Pace& pace = spec_.pace;
  const bool timed = pace.duration_s > 0.0 && !loading_;
  const double warmup_s = loading_ ? 0.0 : pace.warmup_s;
  plan_.start_ns = NowNs();
  plan_.measure_from_ns = plan_.start_ns + FromSeconds(warmup_s);
  plan_.deadline_ns = timed ? plan_.measure_from_ns + FromSeconds(pace.duration_s) : kNever;
  if (pace.max_execution_s > 0.0) {
    const int64_t limit_ns = plan_.start_ns + FromSeconds(pace.max_execution_s);
    cut_short_ = timed && limit_ns < plan_.deadline_ns;
    plan_.deadline_ns = std::min(plan_.deadline_ns, limit_ns);
  }
}

void MeasuredPhase::MakeWorkers() {
  const unsigned threads = spec_.pace.threads;
  for (unsigned thread = 0; thread < threads; ++thread) {
    const uint64_t share = quota_ / threads + (thread < quota_ % threads ? 1 : 0);
    const uint64_t quota = quota_ == kNoQuota ? kNoQuota : share;
    const uint64_t stream = result_.phase.index * kStreams + round_ * kStreamsOfRound + thread;
    workers_.push_back(std::make_unique<Worker>(plan_, context_.engine, thread, quota, stream));
  }
}

PhaseResult MeasuredPhase::Run() {
  Plan();
  MakeWorkers();
  StartMeasuring(NowNs());
  SetTimes();
  measuring_ = plan_.measure_from_ns == plan_.start_ns;
  if (watcher_ != nullptr) watcher_->Start(plan_.start_ns);
  running_.store(spec_.pace.threads);
  {
    ThreadGroup threads(&stop_);
    for (const auto& worker : workers_) {
      threads.Start([this, worker = worker.get()] {
        worker->Run();
        running_.fetch_sub(1);
        context_.interrupt->Notify();
      });
    }
    Watch();
    threads.Join();
  }
  Conclude();
  context_.report->SayEvents(context_.events->Take());
  RethrowFailure();
  return std::move(result_);
}

void MeasuredPhase::Conclude() {
  if (!measuring_) EndWarmUp(NowNs());
  result_.after = context_.engine->Observe();
  result_.process_after = ReadProcessFacts();
  // Not by this thread's clock: it may have been printing when the last operation ended.
  int64_t end_ns = plan_.measure_from_ns;
  for (const auto& worker : workers_) end_ns = std::max(end_ns, worker->ended_ns());
  result_.elapsed_s = ToSeconds(end_ns - plan_.measure_from_ns);
  result_.warmup_s = ToSeconds(plan_.measure_from_ns - plan_.start_ns);
  result_.tally = Total();
  result_.space = MeasureFolder(context_.folder);
  result_.space_peak_bytes = std::max(result_.space_peak_bytes, result_.space.data_bytes());
  result_.ending = JudgeEnding();
}

void MeasuredPhase::Watch() {
  const int64_t interval_ns =
      context_.interval_s > 0.0 ? FromSeconds(context_.interval_s) : kNever / 4;
  int64_t next_ns = plan_.start_ns + interval_ns;
  while (running_.load() > 0) {
    context_.interrupt->WaitUntil(NextWake(next_ns));
    if (context_.interrupt->signal() != 0) {
      interrupted_ = running_.load() > 0;
      stop_.store(true);
      return;
    }
    const int64_t now_ns = NowNs();
    if (watcher_ != nullptr && now_ns >= watcher_->next_ns() && !LookOn(now_ns)) {
      stop_.store(true);
      return;
    }
    if (!measuring_ && now_ns >= plan_.measure_from_ns) {
      EndWarmUp(now_ns);
      next_ns = plan_.measure_from_ns + interval_ns;
    } else if (now_ns >= next_ns) {
      Observe(now_ns);
      next_ns += interval_ns * (1 + (now_ns - next_ns) / interval_ns);
    }
  }
}

bool MeasuredPhase::LookOn(int64_t now_ns) {
  const Tally total = Total();  // first: the engine may hold a look at it up
  return watcher_->Look(now_ns, total, context_.engine->Observe());
}

int64_t MeasuredPhase::NextWake(int64_t progress_ns) const {
  int64_t wake_ns = progress_ns;
  if (!measuring_) wake_ns = std::min(wake_ns, plan_.measure_from_ns);
  if (watcher_ != nullptr) wake_ns = std::min(wake_ns, watcher_->next_ns());
  return wake_ns;
}

void MeasuredPhase::StartMeasuring(int64_t now_ns) {
  result_.before = context_.engine->Observe().counters;
  result_.process_before = ReadProcessFacts();
  last_counters_ = result_.before;
  last_ns_ = now_ns;
}

void MeasuredPhase::EndWarmUp(int64_t now_ns) {
  const Counters begin = std::move(result_.before);
  StartMeasuring(now_ns);
  result_.warmup = Difference(result_.before, begin);
  measuring_ = true;
}

void MeasuredPhase::Observe(int64_t now_ns) {
  Progress progress;
  Tally total = Total();
  progress.phase = result_.phase;
  progress.elapsed_s = ToSeconds(now_ns - plan_.start_ns);
  progress.interval_s = ToSeconds(now_ns - last_ns_);
  progress.warmup = !measuring_;
  progress.operations = total.Operations();
  progress.expected = quota_ == kNoQuota ? 0 : quota_;
  progress.interval = total;
  progress.interval.Subtract(last_tally_);
  progress.state = context_.engine->Observe();
  progress.before = std::move(last_counters_);
  progress.space = MeasureFolder(context_.folder);
  result_.space_peak_bytes = std::max(result_.space_peak_bytes, progress.space.data_bytes());
  context_.report->SayEvents(context_.events->Take());
  context_.report->SayProgress(progress);
  last_ns_ = now_ns;
  last_tally_ = std::move(total);
  last_counters_ = std::move(progress.state.counters);
}

Tally MeasuredPhase::Total() const {
  Tally tally;
  for (const auto& worker : workers_) worker->recorder().AddTo(&tally);
  return tally;
}

Ending MeasuredPhase::JudgeEnding() const {
  if (interrupted_) return Ending::kInterrupted;
  const bool short_of = quota_ != kNoQuota && result_.tally.Operations() < quota_;
  if (short_of || cut_short_) return Ending::kTimeLimit;
  return Ending::kComplete;
}

void MeasuredPhase::RethrowFailure() const {
  for (const auto& worker : workers_) {
    if (worker->failure()) std::rethrow_exception(worker->failure());
  }
}

}  // namespace ycsb
