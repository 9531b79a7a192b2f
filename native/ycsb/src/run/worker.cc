#include "run/worker.h"

#include "base/clock.h"

namespace ycsb {

Worker::Worker(const WorkerPlan& plan, Engine* engine, unsigned thread, uint64_t quota,
               uint64_t stream)
    : plan_(plan),
      random_(plan.spec->seed, stream),
      quota_(quota),
      pacer_(Schedule(plan.spec->pace.target_ops_s, thread, plan.spec->pace.threads),
             plan.spec->pace.spin, *plan.stop),
      session_(engine->NewSession()),
      operations_(*plan.spec, plan.loading, plan.shared),
      table_(*plan.spec, session_.get()),
      recorder_(plan.spec->Operations(plan.loading), plan.spec->pace.target_ops_s > 0.0) {}

void Worker::Run() {
  try {
    Work();
  } catch (...) {
    failure_ = std::current_exception();
    plan_.stop->store(true);
  }
  now_ns_ = NowNs();
}

bool Worker::Done() const {
  return measured_ >= quota_ || now_ns_ >= plan_.deadline_ns ||
         plan_.stop->load(std::memory_order_relaxed);
}

void Worker::Work() {
  now_ns_ = plan_.start_ns;
  pacer_.Start(plan_.start_ns);
  while (!Done()) {
    const int64_t intended_ns = pacer_.Next(plan_.deadline_ns);
    // A stop may have cut the wait short, and the wait may have passed the deadline.
    if (intended_ns >= plan_.deadline_ns || plan_.stop->load(std::memory_order_relaxed)) return;
    DoNext(intended_ns);
  }
}

void Worker::DoNext(int64_t intended_ns) {
  const Operation operation = operations_.Next(random_);
  table_.Prepare(operation, random_);
  const int64_t begin_ns = NowNs();
  const Outcome outcome = table_.Execute(operation);
  now_ns_ = NowNs();
  if (operation.type == OperationType::kInsert && !plan_.loading) {
    plan_.shared.keys->inserted.Acknowledge(operation.key);
  }
  if (now_ns_ < plan_.measure_from_ns) return;
  recorder_.Record(operation.type, outcome, now_ns_ - begin_ns, now_ns_ - intended_ns);
  ++measured_;
}

}  // namespace ycsb
