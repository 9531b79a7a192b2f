// The whole process: open, phases, summary.

#pragma once

#include <memory>
#include <vector>

#include "base/interrupt.h"
#include "engine/engine.h"
#include "report/report.h"
#include "results/results.h"
#include "run/measured_phase.h"
#include "run/settings.h"
#include "workload/key_space.h"

namespace ycsb {

// Does what `settings` ask for. Use once, in the thread that made `interrupt`.
class Driver {
 public:
  // REQUIRES: all arguments outlive it.
  Driver(const Settings& settings, Report* report, Interrupt* interrupt);

  // Throws UsageError or Failure. After a signal the phase under way is ended, it and the summary
  // are reported, and the rest is left out.
  void Run();

 private:
  void Prepare(Hello* hello) const;
  void Open(Hello* hello);
  void OpenDatabase();
  double Reopen();
  void RunPhase(size_t index);
  PhaseResult RunSettle(const PhaseId& id);
  PhaseResult RunCheckpoint(const PhaseId& id);
  PhaseResult BeginResult(const PhaseId& id) const;
  void EndResult(int64_t start_ns, PhaseResult* result);
  void Account(const PhaseResult& result);
  void Summarise(int64_t start_ns);

  const Settings& settings_;
  Report* report_;
  Interrupt* interrupt_;
  EventSink events_;
  std::unique_ptr<KeySpace> keys_;
  std::unique_ptr<Engine> engine_;
  PhaseContext context_;
  Counters closed_;                // what was counted until the database was closed last
  bool reopened_ = false;
  std::vector<Counters> warmups_;  // what was counted in each
  Summary summary_;
};

}  // namespace ycsb
