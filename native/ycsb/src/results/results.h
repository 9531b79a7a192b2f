// What phases and the whole process came to: values that reports print.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/folder.h"
#include "base/process.h"
#include "engine/engine.h"
#include "measure/recorder.h"
#include "results/phase.h"
#include "workload/spec.h"

namespace ycsb {

// What is known before the first phase.
struct Hello {
  EngineFacts engine;
  OptionSections options;  // in use
  std::string database;
  std::map<std::string, std::string> properties;
  std::vector<std::string> ignored_properties;
  std::vector<std::string> warnings;
  std::vector<PhaseSpec> phases;
  uint64_t seed = 0;
  double open_s = 0.0;  // time to open the database
  std::optional<CloneResult> clone;
  double clone_s = 0.0;
};

// Where a phase stands in the sequence.
struct PhaseId {
  size_t index = 0;
  PhaseSpec spec;
};

// An interval of a phase.
struct Progress {
  PhaseId phase;
  double elapsed_s = 0.0;  // since the phase's start
  double interval_s = 0.0;
  bool warmup = false;
  uint64_t operations = 0;  // since measuring began
  uint64_t expected = 0;    // in all; 0: not known
  Tally interval;
  EngineState state;
  Counters before;  // at the beginning of the interval
  FolderSpace space;
};

enum class Ending { kComplete, kInterrupted, kTimeLimit, kIdle, kFailed };

constexpr const char* Name(Ending ending) {
  switch (ending) {
    case Ending::kInterrupted:
      return "interrupted";
    case Ending::kTimeLimit:
      return "time_limit";
    case Ending::kIdle:
      return "idle";
    case Ending::kFailed:
      return "failed";
    case Ending::kComplete:
      break;
  }
  return "complete";
}

// A whole phase. Counters are those since the database was opened, before and after it.
struct PhaseResult {
  PhaseId phase;
  Ending ending = Ending::kComplete;
  double elapsed_s = 0.0;  // without warm-up
  double warmup_s = 0.0;
  Tally tally;
  Counters warmup;  // counted during the warm-up, before `before`
  Counters before;
  EngineState after;
  FolderSpace space;
  uint64_t space_peak_bytes = 0;
  ProcessFacts process_before;
  ProcessFacts process_after;
};

// The process as a whole.
struct Summary {
  bool interrupted = false;
  double elapsed_s = 0.0;
  size_t phases_done = 0;
  uint64_t operations = 0;
  uint64_t user_written_bytes = 0;
  uint64_t user_read_bytes = 0;
  uint64_t point_reads = 0;  // look-ups of one key, those inside updates included
  TreeState tree;
  Counters counters;  // since the database was opened, warm-ups left out
  FolderSpace space;
  uint64_t space_peak_bytes = 0;
  ProcessFacts process;
};

}  // namespace ycsb
