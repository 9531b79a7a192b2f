// What tests of whole runs share.

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/folder.h"
#include "engine/registry.h"
#include "json_lines.h"

namespace ycsb {

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline std::string Workload(const std::string& letter) {
  return std::string(YCSB_WORKLOADS) + "/workload" + letter;
}

// Engines that keep what they are given.
inline std::vector<std::string> StoringEngineNames() {
  std::vector<std::string> names;
  for (const EngineType* engine : Engines()) {
    if (!engine->ImmutableFiles().empty()) names.push_back(engine->name());
  }
  return names;
}

// Runs the driver on one engine, in a folder of its own.
class DriverTest : public testing::TestWithParam<std::string> {
 protected:
  // A small tree: 64 KiB memtables.
  Words Base() const {
    return {"--engine", GetParam(),
            "--db",     (folder_.path() / "db").string(),
            "-o",       "write_buffer_size=65536",
            "-p",       "recordcount=3000",
            "-p",       "operationcount=4000",
            "-p",       "lsmtune.interval_s=0.02"};
  }

  TemporaryFolder folder_;
};

}  // namespace ycsb
