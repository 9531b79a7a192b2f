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

// Looks at a phase while it works, in the thread that watches it.
class PhaseWatcher {
 public:
  virtual ~PhaseWatcher() = default;

  // The phase begins now. Called once, before the rest.
  virtual void Start(int64_t now_ns) = 0;

  // When to look again.
  virtual int64_t next_ns() const = 0;

  // Looks at what was counted since the start, and at the engine. False: the phase is to end.
  virtual bool Look(int64_t now_ns, const Tally& total, const EngineState& state) = 0;
};

// One load or run. Use once, in the thread that made the Interrupt.
class MeasuredPhase {
 public:
  MeasuredPhase(const PhaseContext& context, const PhaseId& id, const WorkloadSpec& spec);

  // One of several runs that are a phase together. `round`: its number, below 100, so that it draws
  // other operations than the runs before it. REQUIRES: `watcher` and `spec` outlive it.
  MeasuredPhase(const PhaseContext& context, const PhaseId& id, const WorkloadSpec& spec,
                unsigned round, PhaseWatcher* watcher);

  // Works, reports progress and events, and returns the result; the engine's debt is in it as it
  // was when the last operation ended. Throws Failure where an operation failed.
  PhaseResult Run();

 private:
  void Plan();
  void MakeWorkers();
  void SetTimes();
  void Watch();
  bool LookOn(int64_t now_ns);
  int64_t NextWake(int64_t progress_ns) const;
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
  unsigned round_ = 0;
  PhaseWatcher* watcher_ = nullptr;
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
