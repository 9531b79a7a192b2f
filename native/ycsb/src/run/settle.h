// Waiting until an engine has paid its debt.

#pragma once

#include <functional>

#include "base/interrupt.h"
#include "engine/engine.h"
#include "results/results.h"

namespace ycsb {

// Whether the engine neither does nor wants to do anything in the background.
bool Settled(const TreeState& tree);

// Whether nothing runs, though the engine says that it wants to compact.
bool Idle(const TreeState& tree);

struct SettleLimits {
  double limit_s = 600.0;  // longest wait
  double idle_s = 5.0;     // an engine that wants to and does not for so long never will
  double poll_s = 0.01;
};

// Flushes the memtable and polls the engine until it is settled. No fixed sleep: a settled engine
// costs two polls. Ends as kFailed where the engine has given its background work up. `look` is
// called with each state that was seen.
Ending Settle(Engine* engine, Interrupt* interrupt, const SettleLimits& limits,
              const std::function<void(const EngineState&)>& look);

}  // namespace ycsb
