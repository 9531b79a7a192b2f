// Where results go.

#pragma once

#include <vector>

#include "engine/event.h"
#include "results/results.h"

namespace ycsb {

// Prints results as they come: Hello() once, Progress() and Events() at each interval of a phase,
// RateStep() after each rate that a search for the largest one held, PhaseEnd() for each phase,
// Summary() once unless the process fails. Called by one thread.
class Report {
 public:
  virtual ~Report() = default;

  virtual void SayHello(const Hello& hello) = 0;
  virtual void SayProgress(const Progress& progress) = 0;
  virtual void SayEvents(const std::vector<Event>& events) = 0;
  virtual void SayRateStep(const RateStep& step) = 0;
  virtual void SayPhaseEnd(const PhaseResult& result) = 0;
  virtual void SaySummary(const Summary& summary) = 0;
};

}  // namespace ycsb
