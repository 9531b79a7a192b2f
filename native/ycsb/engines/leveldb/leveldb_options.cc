#include "leveldb_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>

#include "base/error.h"
#include "workload/properties.h"

namespace ycsb {
namespace {

struct NumberOption {
  const char* name;
  uint64_t LeveldbOptions::*field;
  uint64_t low;
  uint64_t high;
};

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kKib = 1024;

// The limits are those of SanitizeOptions() in LevelDB's db_impl.cc.
constexpr std::array<NumberOption, 7> kNumbers = {{
    {"write_buffer_size", &LeveldbOptions::write_buffer_size, 64 * kKib, kKib* kKib* kKib},
    {"max_file_size", &LeveldbOptions::max_file_size, kKib* kKib, kKib* kKib* kKib},
    {"max_open_files", &LeveldbOptions::max_open_files, 64 + 10, 50000},
    {"block_size", &LeveldbOptions::block_size, kKib, 4 * kKib* kKib},
    {"block_restart_interval", &LeveldbOptions::block_restart_interval, 1, 1 << 30},
    {"cache_size", &LeveldbOptions::cache_size, 0, kNoLimit},
    {"filter_bits", &LeveldbOptions::filter_bits, 0, 1000},
}};

struct FlagOption {
  const char* name;
  bool LeveldbOptions::*field;
};

constexpr std::array<FlagOption, 4> kFlags = {{
    {"reuse_logs", &LeveldbOptions::reuse_logs},
    {"paranoid_checks", &LeveldbOptions::paranoid_checks},
    {"verify_checksums", &LeveldbOptions::verify_checksums},
    {"fill_cache", &LeveldbOptions::fill_cache},
}};

[[noreturn]] void Reject(const std::string& name, const std::string& value,
                         const std::string& step) {
  throw UsageError("LevelDB option " + name + "=" + value + ": " + step);
}

// A whole number, with K, M or G for its powers of 1024.
std::optional<uint64_t> ParseSize(std::string text) {
  uint64_t unit = 1;
  if (!text.empty()) {
    const size_t letter = std::string("KMG").find(static_cast<char>(std::toupper(text.back())));
    if (letter != std::string::npos) {
      unit = uint64_t{1} << (10 * (letter + 1));
      text.pop_back();
    }
  }
  const auto number = ParseCount(text);
  if (!number || *number > kNoLimit / unit) return std::nullopt;
  return *number * unit;
}

bool SetNumber(const std::string& name, const std::string& value, LeveldbOptions* options) {
  const auto* option = std::find_if(kNumbers.begin(), kNumbers.end(),
                                    [&](const NumberOption& known) { return name == known.name; });
  if (option == kNumbers.end()) return false;
  const auto number = ParseSize(value);
  if (!number) Reject(name, value, "write a whole number, such as 4194304 or 4M");
  options->*(option->field) = std::clamp(*number, option->low, option->high);
  return true;
}

bool SetFlag(const std::string& name, const std::string& value, LeveldbOptions* options) {
  const auto* option = std::find_if(kFlags.begin(), kFlags.end(),
                                    [&](const FlagOption& known) { return name == known.name; });
  if (option == kFlags.end()) return false;
  const auto flag = ParseFlag(value);
  if (!flag) Reject(name, value, "write true or false");
  options->*(option->field) = *flag;
  return true;
}

// False where there is no option of this name.
bool TrySet(const std::string& name, const std::string& value, LeveldbOptions* options) {
  if (SetNumber(name, value, options) || SetFlag(name, value, options)) return true;
  if (name != "compression") return false;
  const bool snappy = value == "snappy" || value == "kSnappyCompression";
  const bool none = value == "no" || value == "none" || value == "kNoCompression";
  if (!snappy && !none) Reject(name, value, "write snappy or no");
  options->snappy = snappy;
  return true;
}

void Set(const std::string& name, const std::string& value, LeveldbOptions* options) {
  if (TrySet(name, value, options)) return;
  std::string known = "compression";
  for (const NumberOption& option : kNumbers) known += std::string(", ") + option.name;
  for (const FlagOption& option : kFlags) known += std::string(", ") + option.name;
  Reject(name, value, "there is no such option; use one of " + known);
}

}  // namespace

LeveldbOptions MakeLeveldbOptions(const OpenRequest& request) {
  if (!request.options_file.empty()) {
    throw UsageError(
        "LevelDB has no OPTIONS files; give its options with -o NAME=VALUE instead of " +
        request.options_file);
  }
  if (request.disable_wal) {
    throw UsageError("LevelDB cannot write without its log; remove property lsmtune.disable_wal");
  }
  LeveldbOptions options;
  for (const auto& [name, value] : request.properties) {
    const bool number = std::any_of(kNumbers.begin(), kNumbers.end(),
                                    [&](const NumberOption& known) { return name == known.name; });
    if (!(number && value == "0")) Set(name, value, &options);
  }
  for (const auto& [name, value] : request.options) Set(name, value, &options);
  return options;
}

bool KnowsLeveldbProperty(const std::string& name, const std::string& value) {
  LeveldbOptions options;
  return TrySet(name, value, &options);
}

std::map<std::string, std::string> Describe(const LeveldbOptions& options) {
  std::map<std::string, std::string> texts;
  for (const NumberOption& option : kNumbers) {
    texts[option.name] = std::to_string(options.*(option.field));
  }
  for (const FlagOption& option : kFlags) {
    texts[option.name] = options.*(option.field) ? "true" : "false";
  }
  texts["compression"] = options.snappy ? "snappy" : "no";
  return texts;
}

}  // namespace ycsb
