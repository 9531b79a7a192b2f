#include "run/settle.h"

#include "base/clock.h"

namespace ycsb {

bool Idle(const TreeState& tree) {
  return tree.running_flushes == 0 && tree.running_compactions == 0 && !tree.flush_pending;
}

bool Settled(const TreeState& tree) {
  return Idle(tree) && (!tree.compaction_pending || tree.compaction_disabled);
}

Ending Settle(Engine* engine, Interrupt* interrupt, const SettleLimits& limits,
              const std::function<void(const EngineState&)>& look) {
  const int64_t deadline_ns = NowNs() + FromSeconds(limits.limit_s);
  int64_t idle_since_ns = 0;
  int settled = 0;
  engine->StartFlush();
  while (true) {
    const EngineState state = engine->Observe();
    look(state);
    if (!state.tree.background_error.empty()) return Ending::kFailed;
    const int64_t now_ns = NowNs();
    // Twice: between the end of a flush and the compaction that it asks for, both may be off for a
    // moment.
    settled = Settled(state.tree) ? settled + 1 : 0;
    if (settled == 2) return Ending::kComplete;
    if (!Idle(state.tree) || idle_since_ns == 0) idle_since_ns = now_ns;
    if (ToSeconds(now_ns - idle_since_ns) > limits.idle_s) return Ending::kIdle;
    if (now_ns >= deadline_ns) return Ending::kTimeLimit;
    interrupt->WaitUntil(now_ns + FromSeconds(limits.poll_s));
    if (interrupt->signal() != 0) return Ending::kInterrupted;
  }
}

}  // namespace ycsb
