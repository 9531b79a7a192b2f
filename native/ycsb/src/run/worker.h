// One thread of a phase.

#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "base/random.h"
#include "engine/engine.h"
#include "measure/recorder.h"
#include "run/pacer.h"
#include "workload/operation_stream.h"
#include "workload/spec.h"
#include "workload/table.h"

namespace ycsb {

// Limits and shared state of all threads of a phase.
struct WorkerPlan {
  const WorkloadSpec* spec = nullptr;
  bool loading = false;
  OperationStream::Shared shared{};
  std::atomic<bool>* stop = nullptr;  // set by whoever wants the phase to end
  int64_t start_ns = 0;
  int64_t measure_from_ns = 0;  // end of the warm-up
  int64_t deadline_ns = 0;      // no operation starts after it
};

// Draws, paces, does and counts the operations of one thread.
class Worker {
 public:
  // REQUIRES: `plan` outlives it; its times may be set until Run().
  // `quota`: measured operations to do at most. `stream` of the seed: unique to phase and thread.
  Worker(const WorkerPlan& plan, Engine* engine, unsigned thread, uint64_t quota, uint64_t stream);

  // Works until the quota, the deadline or the stop flag. Never throws: see failure(). Call once,
  // in the thread of its own.
  void Run();

  // Why Run() ended early; null where it did not. After Run().
  std::exception_ptr failure() const { return failure_; }

  // When Run() ended. After Run().
  int64_t ended_ns() const { return now_ns_; }

  // What was counted so far. Any thread.
  const Recorder& recorder() const { return recorder_; }

 private:
  void Work();
  bool Done() const;
  void DoNext(int64_t intended_ns);

  const WorkerPlan& plan_;
  Random random_;
  uint64_t quota_;
  uint64_t measured_ = 0;
  int64_t now_ns_ = 0;
  Pacer pacer_;
  std::unique_ptr<Session> session_;
  OperationStream operations_;
  Table table_;
  Recorder recorder_;
  std::exception_ptr failure_;
};

}  // namespace ycsb
