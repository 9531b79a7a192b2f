// Phases: what a process does, in order.

#pragma once

#include <string>
#include <vector>

namespace ycsb {

enum class PhaseKind { kLoad, kRun, kMaxRate, kSettle, kCheckpoint };

constexpr const char* Name(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kLoad:
      return "load";
    case PhaseKind::kRun:
      return "run";
    case PhaseKind::kMaxRate:
      return "max_rate";
    case PhaseKind::kSettle:
      return "settle";
    case PhaseKind::kCheckpoint:
      break;
  }
  return "checkpoint";
}

// One phase: KIND, KIND:LABEL, KIND@FILE or KIND:LABEL@FILE.
struct PhaseSpec {
  PhaseKind kind = PhaseKind::kRun;
  std::string label;  // the kind where none is given
  std::string file;   // load, run, max_rate: properties on top of the common ones; checkpoint: the new folder
};

// Reads phases separated by commas, as in "load,settle,run:A@workloads/workloada". Throws
// UsageError.
std::vector<PhaseSpec> ParsePhases(const std::string& text);

}  // namespace ycsb
