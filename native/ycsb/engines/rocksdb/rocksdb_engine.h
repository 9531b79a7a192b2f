// An open RocksDB database.

#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "rocksdb/db.h"
#include "rocksdb_listener.h"

namespace ycsb {

// One column family, "default". What it counts of the block cache and of table reads includes the
// work of compactions.
class RocksdbEngine final : public Engine {
 public:
  // Opens the database. Throws as EngineType::Open() does.
  explicit RocksdbEngine(const OpenRequest& request);
  ~RocksdbEngine() override;

  std::unique_ptr<Session> NewSession() override;
  EngineState Observe() override;
  OptionSections EffectiveOptions() override;
  void StartFlush() override;
  void Checkpoint(const std::filesystem::path& target) override;
  Counters Close() override;

 private:
  TreeState ObserveTree();
  Counters Count() const;

  std::string path_;
  std::shared_ptr<RocksdbListener> listener_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  rocksdb::WriteOptions write_options_;
  bool compaction_disabled_ = false;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace ycsb
