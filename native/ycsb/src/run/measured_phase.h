// A load or a run: threads that work, and the main thread that watches them.

#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/interrupt.h"
#include "engine/engine.h"
#include "report/report.h"
#include "results/results.h"
#include "run/settings.h"
#include "run/worker.h"
#include "workload/key_space.h"

namespace ycsb {

// What all phases of a process share. The pointers outlive the phases.
struct PhaseContext {
  Engine* engine = nullptr;
  EventSink* events = nullptr;
  Interrupt* interrupt = nullptr;
  Report* report = nullptr;
  KeySpace* keys = nullptr;
  std::filesystem::path folder;  // of the database
  double interval_s = 1.0;
};

// One load or run. Use once, in the thread that made the Interrupt.
class MeasuredPhase {
 public:
  MeasuredPhase(const PhaseContext& context, const PhaseId& id, const WorkloadSpec& spec);

  // Works, reports progress and events, and returns the result; the engine's debt is in it as it
  // was when the last operation ended. Throws Failure where an operation failed.
  PhaseResult Run();

 private:
  void Plan();
  void MakeWorkers();
  void SetTimes();
  void Watch();
  void StartMeasuring(int64_t now_ns);
  void EndWarmUp(int64_t now_ns);
  void Observe(int64_t now_ns);
  void Conclude();
  Tally Total() const;
  Ending JudgeEnding() const;
  void RethrowFailure() const;

  PhaseContext context_;
  const WorkloadSpec& spec_;
  bool loading_;
  uint64_t quota_ = 0;  // of all threads
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> running_{0};
  WorkerPlan plan_;
  std::vector<std::unique_ptr<Worker>> workers_;

  bool measuring_ = false;
  bool interrupted_ = false;  // by a signal, while operations were to do
  bool cut_short_ = false;    // maxexecutiontime is below the wanted duration
  int64_t last_ns_ = 0;       // beginning of the interval
  Tally last_tally_;          // totals then
  Counters last_counters_;
  PhaseResult result_;
};

}  // namespace ycsb
