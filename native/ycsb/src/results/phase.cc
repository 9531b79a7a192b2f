#include "results/phase.h"

#include <sstream>

#include "base/error.h"
#include "workload/properties.h"

namespace ycsb {
namespace {

PhaseKind ParseKind(const std::string& name, const std::string& text) {
  for (const PhaseKind kind : {PhaseKind::kLoad, PhaseKind::kRun, PhaseKind::kMaxRate,
                               PhaseKind::kSettle, PhaseKind::kCheckpoint}) {
    if (name == Name(kind)) return kind;
  }
  throw UsageError("phase \"" + text + "\" is unknown; use load, run, max_rate, settle or "
                   "checkpoint@FOLDER");
}

PhaseSpec ParsePhase(const std::string& text) {
  PhaseSpec phase;
  const size_t at = text.find('@');
  const std::string head = text.substr(0, at);
  if (at != std::string::npos) phase.file = text.substr(at + 1);
  const size_t colon = head.find(':');
  phase.kind = ParseKind(head.substr(0, colon), text);
  phase.label = colon == std::string::npos ? Name(phase.kind) : head.substr(colon + 1);
  const bool needs_file = phase.kind == PhaseKind::kCheckpoint;
  if (needs_file && phase.file.empty()) {
    throw UsageError("phase \"" + text + "\" names no folder; write checkpoint@FOLDER");
  }
  if (phase.kind == PhaseKind::kSettle && !phase.file.empty()) {
    throw UsageError("phase \"" + text + "\" names a file; settle takes none");
  }
  return phase;
}

}  // namespace

std::vector<PhaseSpec> ParsePhases(const std::string& text) {
  std::vector<PhaseSpec> phases;
  std::istringstream parts(text);
  std::string part;
  while (std::getline(parts, part, ',')) phases.push_back(ParsePhase(Trim(part)));
  if (phases.empty()) throw UsageError("no phases are given; write --phases load,run");
  return phases;
}

}  // namespace ycsb
