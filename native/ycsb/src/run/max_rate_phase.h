// The search for the largest rate that a database bears.

#pragma once

#include <cstdint>

#include "results/results.h"
#include "run/measured_phase.h"
#include "run/rate_search.h"
#include "run/settle.h"
#include "workload/spec.h"

namespace ycsb {

// A phase of kind max_rate: a closed loop tells the most that the database does, and then rates
// are held one after the other, each open loop. Before each the debt of the one before is paid, and
// the rate runs half as long again before it is judged. Use once, in the thread that made the
// Interrupt.
class MaxRatePhase {
 public:
  // REQUIRES: the pointers of `context`, and `spec`, outlive it.
  MaxRatePhase(const PhaseContext& context, const PhaseId& id, const WorkloadSpec& spec,
               const SettleLimits& settle);

  // Works, reports progress, events and each rate that was held, and returns the result. Throws
  // Failure where an operation failed.
  PhaseResult Run();

 private:
  RateStep Hold(unsigned number, double rate_ops_s);
  double PayDebt();
  void ObserveEnd();
  void Add(PhaseResult part);

  PhaseContext context_;
  const WorkloadSpec& spec_;
  SettleLimits settle_;
  bool writes_;
  PhaseResult result_;  // its ending is complete as long as the search goes on
};

}  // namespace ycsb
