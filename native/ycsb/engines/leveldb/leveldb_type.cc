// LevelDB as a kind of engine.

#include "base/error.h"
#include "base/process.h"
#include "engine/engine.h"
#include "leveldb/options.h"
#include "leveldb/table_builder.h"
#include "leveldb_engine.h"
#include "leveldb_options.h"

namespace ycsb {
namespace {

// Forgets what is written.
class NoFile final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& /*data*/) override { return leveldb::Status::OK(); }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
};

// LevelDB built without Snappy writes blocks uncompressed and says nothing: try it.
bool SnappyWorks() {
  constexpr size_t kLength = 1 << 16;
  NoFile file;
  leveldb::Options options;
  options.compression = leveldb::kSnappyCompression;
  leveldb::TableBuilder builder(options, &file);
  builder.Add("key", std::string(kLength, 'x'));
  return builder.Finish().ok() && builder.FileSize() < kLength;
}

class LeveldbType final : public EngineType {
 public:
  std::string name() const override { return "leveldb"; }

  EngineFacts Facts() const override {
    EngineFacts facts;
    facts.name = name();
    facts.version =
        std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);
    facts.assertions = LibraryAsserts("libleveldb");
    facts.compressors = {"no"};
    if (SnappyWorks()) facts.compressors.push_back("snappy");
    return facts;
  }

  bool Knows(const std::string& name, const std::string& value) const override {
    return KnowsLeveldbProperty(name, value);
  }

  std::unique_ptr<Engine> Open(const OpenRequest& request) const override {
    return std::make_unique<LeveldbEngine>(request);
  }

  void Destroy(const std::filesystem::path& path) const override {
    if (!std::filesystem::exists(path / "CURRENT")) return;
    const leveldb::Status status = leveldb::DestroyDB(path.string(), leveldb::Options());
    if (!status.ok()) {
      throw Failure("LevelDB cannot destroy " + path.string() + ": " + status.ToString() +
                    "; is another process using it?");
    }
  }

  std::vector<std::string> ImmutableFiles() const override { return {".ldb", ".sst"}; }
};

}  // namespace

const EngineType& leveldb_engine();

const EngineType& leveldb_engine() {
  static const LeveldbType type;
  return type;
}

}  // namespace ycsb
