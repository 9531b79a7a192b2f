// Pieces of JSON lines.

#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "base/folder.h"
#include "engine/engine.h"
#include "engine/event.h"
#include "measure/recorder.h"
#include "results/results.h"

namespace ycsb {

using Json = nlohmann::ordered_json;

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Operation name -> count and quantiles in s; only operations that happened. `intended`: from the
// intended starts; null where there was no target rate.
Json LatencyJson(const Tally& tally, bool intended);

// Operation name -> counts that are not latencies.
Json OutcomesJson(const Tally& tally);

// Levels, background work and memory at one moment.
Json TreeJson(const TreeState& tree);

// Bytes, stalls, reads and cache look-ups; `tickers`: also all that the engine counted.
Json CountersJson(const Counters& counters, bool tickers);

Json SpaceJson(const FolderSpace& space);

Json PhaseJson(const PhaseId& phase);

Json EventJson(const Event& event);

}  // namespace ycsb
