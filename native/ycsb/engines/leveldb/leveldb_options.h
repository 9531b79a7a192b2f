// LevelDB's options by name.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/engine.h"

namespace ycsb {

// Everything that LevelDB lets one choose, with its defaults. Sizes in bytes.
struct LeveldbOptions {
  uint64_t write_buffer_size = 4 << 20;
  uint64_t max_file_size = 2 << 20;
  uint64_t max_open_files = 1000;
  uint64_t block_size = 4096;
  uint64_t block_restart_interval = 16;
  uint64_t cache_size = 8 << 20;
  uint64_t filter_bits = 0;  // of a Bloom filter, a key; 0: no filter
  bool snappy = true;
  bool reuse_logs = false;
  bool paranoid_checks = false;
  bool verify_checksums = false;  // of all reads
  bool fill_cache = true;         // by reads
};

// The options of `request`: LevelDB's defaults, then the properties (the names of YCSB-cpp, where 0
// means the default), then the single options. Values are clipped to the ranges that LevelDB 1.23
// clips them to when it opens a database. Throws UsageError for what does not exist or cannot be
// read.
LeveldbOptions MakeLeveldbOptions(const OpenRequest& request);

// Whether the property leveldb.`name` is an option. Throws UsageError for a value that cannot be
// read.
bool KnowsLeveldbProperty(const std::string& name, const std::string& value);

// Name -> value, as LevelDB uses them.
std::map<std::string, std::string> Describe(const LeveldbOptions& options);

}  // namespace ycsb
