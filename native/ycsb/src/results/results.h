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

// What an engine has put off, at one moment; absent: it cannot say.
struct Debt {
  std::optional<uint64_t> pending_compaction_bytes;
  std::optional<uint64_t> level0_files;
};

// A rate that was held: what came of it. Counts and latencies are of the hold, its lead-in left
// out.
struct RateStep {
  PhaseId phase;
  unsigned number = 0;      // from 1; 0 is the closed loop, which has no rate
  double rate_ops_s = 0.0;  // at which operations were due
  int64_t begin_ns = 0;     // of the hold, of NowNs()
  double settle_s = 0.0;    // before it: paying what the step before had put off
  double lead_s = 0.0;      // at the rate, before the hold
  double hold_s = 0.0;      // shorter than asked for where the outcome was certain before
  uint64_t operations = 0;  // that ended
  uint64_t due = 0;         // that should have started
  uint64_t late = 0;        // later than the limit, or not done that long after they were due
  Histogram latency;        // of all kinds of operations, from the intended start
  uint64_t stops = 0;       // times that the engine held all writes
  uint64_t slowdowns = 0;   // times that it began to delay them
  std::optional<uint64_t> stall_us;
  uint64_t flushes = 0;
  uint64_t compactions = 0;
  Debt debt_begin;
  Debt debt_end;
  bool borne = false;
  std::vector<std::string> reasons;  // why it was not borne
};

// What a search for the largest rate came to.
struct MaxRate {
  MaxRateSpec spec;
  double ceiling_ops_s = 0.0;    // of a closed loop
  double rate_ops_s = 0.0;       // largest that was borne; 0: none was
  double not_borne_ops_s = 0.0;  // least above it that was not; 0: none is known
  unsigned steps = 0;
  bool confirmed = false;  // both were held at least twice, and most of their holds agree
  bool precise = false;    // the two lie as close as asked for
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
  std::optional<double> reopen_s;  // before it, to close and open the database; absent: it stayed open
  Tally tally;
  std::optional<MaxRate> max_rate;  // of phases of that kind
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
  uint64_t look_ups = 0;  // of one key, those inside updates included
  TreeState tree;
  Counters counters;  // since the database was first opened, warm-ups left out
  FolderSpace space;
  uint64_t space_peak_bytes = 0;
  ProcessFacts process;
};

}  // namespace ycsb
