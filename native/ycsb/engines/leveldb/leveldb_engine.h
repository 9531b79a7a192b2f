// An open LevelDB database.

#pragma once

#include <memory>
#include <string>

#include "counting_cache.h"
#include "counting_env.h"
#include "engine/engine.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb_log.h"
#include "leveldb_options.h"

namespace ycsb {

// LevelDB counts nothing itself: bytes, reads and cache look-ups come from wrappers around its
// environment and cache, which tell users' work from that of compactions; what a table is written
// for, how long writers wait, and errors, from its LOG.
class LeveldbEngine final : public Engine {
 public:
  // Opens the database. Throws as EngineType::Open() does.
  explicit LeveldbEngine(const OpenRequest& request);
  ~LeveldbEngine() override;

  std::unique_ptr<Session> NewSession() override;
  EngineState Observe() override;
  OptionSections EffectiveOptions() override;
  void StartFlush() override;
  void Checkpoint(const std::filesystem::path& target) override;
  Counters Close() override;

 private:
  void Open(const OpenRequest& request);
  Counters Count(const LeveldbLogSums& sums) const;
  std::string Property(const char* name);

  std::string path_;
  LeveldbOptions options_;
  LeveldbLog log_;
  bool sync_;
  // Destroyed from below: the database first, then what it uses.
  CountingEnv env_;
  std::unique_ptr<leveldb::Logger> logger_;
  CountingCache cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> db_;
};

}  // namespace ycsb
