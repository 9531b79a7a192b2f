#include "base/error.h"
#include "engine/registry.h"

namespace ycsb {

const EngineType& FindEngine(const std::string& name) {
  std::string list;
  for (const EngineType* engine : Engines()) {
    if (engine->name() == name) return *engine;
    list += (list.empty() ? "" : ", ") + engine->name();
  }
  for (const auto& [missing, reason] : MissingEngines()) {
    if (missing == name) {
      throw UsageError("engine \"" + name + "\" was left out of this build (" + reason +
                       "); install its library and build again, or use one of " + list);
    }
  }
  throw UsageError("engine \"" + name + "\" is unknown; use one of " + list);
}

}  // namespace ycsb
