// Opening a database with options, for tests of engines.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/folder.h"
#include "engine/engine.h"
#include "engine/registry.h"

namespace ycsb {

// A folder, an engine's type, and what to open the database there with.
struct Opener {
  explicit Opener(const std::string& engine) : type(FindEngine(engine)) {
    request.path = folder.path() / "db";
    request.create = true;
    request.events = &events;
  }

  std::unique_ptr<Engine> Open() const { return type.Open(request); }

  // The options in use after opening with `request`, all sections together.
  std::map<std::string, std::string> Effective() const {
    std::map<std::string, std::string> all;
    for (const auto& [section, options] : Open()->EffectiveOptions()) {
      all.insert(options.begin(), options.end());
    }
    return all;
  }

  TemporaryFolder folder;
  EventSink events;
  OpenRequest request;
  const EngineType& type;
};

}  // namespace ycsb
