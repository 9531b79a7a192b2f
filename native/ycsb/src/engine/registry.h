// The engines of this build. The list is made by CMake from engines/CMakeLists.txt.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace ycsb {

// All engines of this build; they live for ever.
const std::vector<const EngineType*>& Engines();

// Engines of the list that this build lacks, and why.
const std::vector<std::pair<std::string, std::string>>& MissingEngines();

// The engine called `name`. Throws UsageError where this build has none.
const EngineType& FindEngine(const std::string& name);

}  // namespace ycsb
