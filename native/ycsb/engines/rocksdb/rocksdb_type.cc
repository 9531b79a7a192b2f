// RocksDB as a kind of engine.

#include "base/error.h"
#include "base/process.h"
#include "engine/engine.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/version.h"
#include "rocksdb_engine.h"
#include "rocksdb_options.h"

namespace ycsb {
namespace {

class RocksdbType final : public EngineType {
 public:
  std::string name() const override { return "rocksdb"; }

  EngineFacts Facts() const override {
    EngineFacts facts;
    facts.name = name();
    facts.version = rocksdb::GetRocksVersionAsString();
    facts.assertions = LibraryAsserts("librocksdb");
    for (const rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
      std::string text;
      if (rocksdb::GetStringFromCompressionType(&text, type).ok())
        facts.compressors.push_back(text);
    }
    return facts;
  }

  bool Knows(const std::string& name, const std::string& value) const override {
    return KnowsRocksdbProperty(name, value);
  }

  std::unique_ptr<Engine> Open(const OpenRequest& request) const override {
    return std::make_unique<RocksdbEngine>(request);
  }

  void Destroy(const std::filesystem::path& path) const override {
    if (!std::filesystem::exists(path / "CURRENT")) return;
    const rocksdb::Status status = rocksdb::DestroyDB(path.string(), rocksdb::Options());
    if (!status.ok()) {
      throw Failure("RocksDB cannot destroy " + path.string() + ": " + status.ToString() +
                    "; is another process using it?");
    }
  }

  std::vector<std::string> ImmutableFiles() const override { return {".sst", ".blob"}; }
};

}  // namespace

const EngineType& rocksdb_engine();

const EngineType& rocksdb_engine() {
  static const RocksdbType type;
  return type;
}

}  // namespace ycsb
