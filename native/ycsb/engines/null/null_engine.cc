// An engine that does nothing, to measure what the driver itself costs, and to test it.
//
// Every key exists and has the same row, of YCSB's standard shape; writes vanish. Its one option is
// null.delay_us: a sleep in every call.

#include <chrono>
#include <thread>

#include "base/error.h"
#include "engine/engine.h"
#include "workload/properties.h"

namespace ycsb {
namespace {

struct NullOptions {
  std::string row;
  std::chrono::microseconds delay{0};
};

// A row of YCSB's standard shape, 10 fields of 100 bytes, with nothing in it.
std::string StandardRow() {
  std::string row;
  const auto append = [&row](const std::string& piece) {
    const auto length = static_cast<uint32_t>(piece.size());
    row.append(reinterpret_cast<const char*>(&length), sizeof(length));
    row.append(piece);
  };
  for (int field = 0; field < 10; ++field) {
    append("field" + std::to_string(field));
    append(std::string(100, '.'));
  }
  return row;
}

class NullSession final : public Session {
 public:
  explicit NullSession(const NullOptions& options) : options_(options) {}

  bool Read(std::string_view /*key*/, std::string_view* value) override {
    Delay();
    *value = options_.row;
    return true;
  }

  void Write(std::string_view /*key*/, std::string_view /*value*/) override { Delay(); }

  void Delete(std::string_view /*key*/) override { Delay(); }

  uint64_t Scan(std::string_view first, uint64_t limit, RowVisitor* visitor) override {
    Delay();
    for (uint64_t i = 0; i < limit; ++i) visitor->Visit(first, options_.row);
    return limit;
  }

 private:
  void Delay() const {
    if (options_.delay.count() > 0) std::this_thread::sleep_for(options_.delay);
  }

  const NullOptions& options_;
};

class NullEngine final : public Engine {
 public:
  explicit NullEngine(NullOptions options) : options_(std::move(options)) {}

  std::unique_ptr<Session> NewSession() override { return std::make_unique<NullSession>(options_); }

  EngineState Observe() override { return {}; }

  OptionSections EffectiveOptions() override {
    return {{"null", {{"delay_us", std::to_string(options_.delay.count())}}}};
  }

  void StartFlush() override {}

  void Checkpoint(const std::filesystem::path& /*target*/) override {
    throw UsageError("the engine null keeps nothing to copy; leave the checkpoint out");
  }

  Counters Close() override { return {}; }

 private:
  NullOptions options_;
};

class NullType final : public EngineType {
 public:
  std::string name() const override { return "null"; }

  EngineFacts Facts() const override { return {"null", "1", false, {}}; }

  bool Knows(const std::string& name, const std::string& value) const override {
    if (name != kDelay) return false;
    NullOptions options;
    Set(name, value, &options);
    return true;
  }

  std::unique_ptr<Engine> Open(const OpenRequest& request) const override {
    NullOptions options;
    options.row = StandardRow();
    for (const auto& [name, value] : request.properties) Set(name, value, &options);
    for (const auto& [name, value] : request.options) Set(name, value, &options);
    return std::make_unique<NullEngine>(std::move(options));
  }

  void Destroy(const std::filesystem::path& /*path*/) const override {}

  std::vector<std::string> ImmutableFiles() const override { return {}; }

 private:
  static constexpr const char* kDelay = "delay_us";

  static void Set(const std::string& name, const std::string& value, NullOptions* options) {
    const auto number = ParseCount(value);
    if (name != kDelay || !number) {
      throw UsageError("the engine null has no option " + name + "=" + value +
                       "; it knows delay_us=N alone");
    }
    options->delay = std::chrono::microseconds(*number);
  }
};

}  // namespace

const EngineType& null_engine();

const EngineType& null_engine() {
  static const NullType type;
  return type;
}

}  // namespace ycsb
