// From the command line to what will be done.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "results/phase.h"
#include "run/settle.h"
#include "workload/spec.h"

namespace ycsb {

enum class Request { kWork, kHelp, kVersion };

struct Phase {
  PhaseSpec spec;
  WorkloadSpec workload;  // means nothing where the phase does no operations

  // Whether it does operations.
  bool Works() const {
    return spec.kind == PhaseKind::kLoad || spec.kind == PhaseKind::kRun ||
           spec.kind == PhaseKind::kMaxRate;
  }
};

// All that a process needs to know, checked.
struct Settings {
  Request request = Request::kWork;
  const EngineType* engine = nullptr;
  OpenRequest open;
  std::filesystem::path clone_from;  // empty: no clone
  bool destroy = false;              // what is in the folder, before anything else
  bool reopen = false;               // the database between phases, before each that does operations
  std::vector<Phase> phases;
  double interval_s = 1.0;  // between progress lines; 0: none
  SettleLimits settle;
  bool human = false;  // print tables although standard error is no terminal
  std::map<std::string, std::string> properties;
  std::vector<std::string> ignored_properties;
  std::vector<std::string> warnings;
  std::vector<std::string> binding_notes;  // those of the warnings that tell of engine properties
};

// Reads the command line, the program's name left out. Throws UsageError.
Settings ReadCommandLine(const std::vector<std::string>& arguments);

}  // namespace ycsb
