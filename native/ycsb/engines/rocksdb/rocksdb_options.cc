#include "rocksdb_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/version.h"
#include "workload/properties.h"

namespace ycsb {
namespace {

using OptionMap = std::unordered_map<std::string, std::string>;

rocksdb::ConfigOptions Strict() {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  config.input_strings_escaped = false;
  return config;
}

bool NameUnknown(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  return status.IsNotFound() || text.find("Could not find option") != std::string::npos ||
         text.find("Unrecognized option") != std::string::npos;
}

rocksdb::Status TryDatabase(const OptionMap& map, rocksdb::Options* options) {
  rocksdb::DBOptions changed;
  const rocksdb::Status status = rocksdb::GetDBOptionsFromMap(Strict(), *options, map, &changed);
  if (status.ok()) static_cast<rocksdb::DBOptions&>(*options) = changed;
  return status;
}

rocksdb::Status TryColumnFamily(const OptionMap& map, rocksdb::Options* options) {
  rocksdb::ColumnFamilyOptions changed;
  const rocksdb::Status status =
      rocksdb::GetColumnFamilyOptionsFromMap(Strict(), *options, map, &changed);
  if (status.ok()) static_cast<rocksdb::ColumnFamilyOptions&>(*options) = changed;
  return status;
}

rocksdb::Status TryTable(const OptionMap& map, rocksdb::Options* options) {
  const auto* table = options->table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table == nullptr) return rocksdb::Status::NotFound("the table is not block based");
  rocksdb::BlockBasedTableOptions changed;
  const rocksdb::Status status =
      rocksdb::GetBlockBasedTableOptionsFromMap(Strict(), *table, map, &changed);
  if (status.ok()) options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(changed));
  return status;
}

// False where no part of RocksDB has an option of this name.
bool TryOption(const std::string& name, const std::string& value, rocksdb::Options* options) {
  const OptionMap map = {{name, value}};
  std::string reason;
  for (const auto attempt : {TryDatabase, TryColumnFamily, TryTable}) {
    const rocksdb::Status status = attempt(map, options);
    if (status.ok()) return true;
    if (!NameUnknown(status)) reason = status.ToString();
  }
  if (reason.empty()) return false;
  throw UsageError("RocksDB option " + name + "=" + value + " cannot be set: " + reason +
                   "; correct the value");
}

// What a property of YCSB-cpp holds.
enum class Content { kText, kNumber, kNumberOrMinusOne };

// A property of YCSB-cpp and what it sets. `unset` is the value that means "RocksDB's default".
struct Alias {
  const char* name;
  const char* option;
  const char* unset;
  Content content;
};

constexpr std::array<Alias, 16> kAliases = {{
    {"compression", "compression", "", Content::kText},
    {"max_background_jobs", "max_background_jobs", "0", Content::kNumber},
    {"target_file_size_base", "target_file_size_base", "0", Content::kNumber},
    {"target_file_size_multiplier", "target_file_size_multiplier", "0", Content::kNumber},
    {"max_bytes_for_level_base", "max_bytes_for_level_base", "0", Content::kNumber},
    {"write_buffer_size", "write_buffer_size", "0", Content::kNumber},
    {"max_write_buffer_number", "max_write_buffer_number", "0", Content::kNumber},
    {"compaction_pri", "compaction_pri", "-1", Content::kText},
    {"max_open_files", "max_open_files", "0", Content::kNumberOrMinusOne},
    {"level0_file_num_compaction_trigger", "level0_file_num_compaction_trigger", "0",
     Content::kNumber},
    {"level0_slowdown_writes_trigger", "level0_slowdown_writes_trigger", "0", Content::kNumber},
    {"level0_stop_writes_trigger", "level0_stop_writes_trigger", "0", Content::kNumber},
    {"use_direct_io_for_flush_compaction", "use_direct_io_for_flush_and_compaction", "",
     Content::kText},
    {"cache_size", "block_cache", "0", Content::kNumber},
    {"compressed_cache_size", "block_cache_compressed", "0", Content::kNumber},
    {"bloom_bits", "filter_policy", "0", Content::kNumber},
}};

// Values of YCSB-cpp that have another name in an OPTIONS file.
std::string Translate(const std::string& name, const std::string& value) {
  static const std::map<std::string, std::map<std::string, std::string>> kNames = {
      {"compression",
       {{"no", "kNoCompression"},
        {"snappy", "kSnappyCompression"},
        {"zlib", "kZlibCompression"},
        {"bzip2", "kBZip2Compression"},
        {"lz4", "kLZ4Compression"},
        {"lz4hc", "kLZ4HCCompression"},
        {"xpress", "kXpressCompression"},
        {"zstd", "kZSTD"}}},
      {"compaction_pri",
       {{"0", "kByCompensatedSize"},
        {"1", "kOldestLargestSeqFirst"},
        {"2", "kOldestSmallestSeqFirst"},
        {"3", "kMinOverlappingRatio"},
        {"4", "kRoundRobin"}}},
  };
  if (name == "bloom_bits") return "bloomfilter:" + value + ":false";
  const auto names = kNames.find(name);
  if (names == kNames.end()) return value;
  const auto known = names->second.find(value);
  return known == names->second.end() ? value : known->second;
}

// Digits, and K, M, G or T for powers of 1024. RocksDB's own parser reads "12abc" as 12 and wraps a
// number below 0 around.
bool IsNumber(const std::string& text) {
  const size_t digits =
      static_cast<size_t>(std::find_if(text.begin(), text.end(),
                                       [](unsigned char sign) { return std::isdigit(sign) == 0; }) -
                          text.begin());
  const std::string rest = text.substr(digits);
  const bool unit = rest.size() == 1 && std::string("kKmMgGtT").find(rest) != std::string::npos;
  return digits > 0 && (rest.empty() || unit);
}

void CheckContent(const Alias& alias, const std::string& value) {
  if (alias.content == Content::kText || IsNumber(value)) return;
  if (alias.content == Content::kNumberOrMinusOne && value == "-1") return;
  throw UsageError("property rocksdb." + std::string(alias.name) + " is \"" + value +
                   "\"; write a whole number" +
                   (alias.content == Content::kNumberOrMinusOne ? ", or -1 for no limit" : ""));
}

// False where this version has nothing that `name` sets.
bool TryProperty(const std::string& name, const std::string& value, rocksdb::Options* options) {
  const auto* alias = std::find_if(kAliases.begin(), kAliases.end(),
                                   [&](const Alias& candidate) { return name == candidate.name; });
  if (alias == kAliases.end()) return TryOption(name, value, options);
  if (value == alias->unset) return true;
  CheckContent(*alias, value);
  if (name == "compressed_cache_size" && ROCKSDB_MAJOR >= 8) return false;
  return TryOption(alias->option, Translate(name, value), options);
}

bool TakeFlag(std::map<std::string, std::string>* properties, const std::string& name) {
  const auto entry = properties->find(name);
  if (entry == properties->end()) return false;
  const auto flag = ParseFlag(entry->second);
  if (!flag) {
    throw UsageError("property rocksdb." + name + " is \"" + entry->second +
                     "\"; write true or false");
  }
  properties->erase(entry);
  return *flag;
}

void RejectUnsupported(std::map<std::string, std::string>* properties) {
  if (TakeFlag(properties, "mergeupdate")) {
    throw UsageError(
        "property rocksdb.mergeupdate is true; updates by merge are not built in, "
        "set it to false");
  }
  for (const char* name : {"env_uri", "fs_uri"}) {
    const auto entry = properties->find(name);
    if (entry == properties->end()) continue;
    if (!entry->second.empty()) {
      throw UsageError("property rocksdb." + std::string(name) + " is \"" + entry->second +
                       "\"; other environments are not supported, remove it");
    }
    properties->erase(entry);
  }
}

void ApplyProperties(std::map<std::string, std::string> properties, rocksdb::Options* options) {
  RejectUnsupported(&properties);
  const bool parallel = TakeFlag(&properties, "increase_parallelism");
  const bool leveled = TakeFlag(&properties, "optimize_level_style_compaction");
  for (const auto& [name, value] : properties) TryProperty(name, value, options);
  // YCSB-cpp does these two last, over the options above.
  if (parallel) options->IncreaseParallelism();
  if (leveled) options->OptimizeLevelStyleCompaction();
}

rocksdb::Options LoadFile(const std::string& file) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = false;
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const rocksdb::Status status = rocksdb::LoadOptionsFromFile(config, file, &database, &families);
  if (!status.ok()) {
    throw UsageError("the OPTIONS file " + file + " cannot be used: " + status.ToString() +
                     "; correct it, or write one with this RocksDB version");
  }
  if (families.size() != 1) {
    throw UsageError("the OPTIONS file " + file + " has " + std::to_string(families.size()) +
                     " column families; leave \"default\" alone in it");
  }
  return {database, families.front().options};
}

void SetStatistics(StatisticsLevel level, rocksdb::Options* options) {
  options->statistics.reset();
  if (level == StatisticsLevel::kNone) return;
  options->statistics = rocksdb::CreateDBStatistics();
  options->statistics->set_stats_level(level == StatisticsLevel::kFull
                                           ? rocksdb::StatsLevel::kExceptDetailedTimers
                                           : rocksdb::StatsLevel::kExceptHistogramOrTimers);
}

}  // namespace

void ApplyRocksdbOption(const std::string& name, const std::string& value,
                        rocksdb::Options* options) {
  if (TryOption(name, value, options)) return;
  throw UsageError("RocksDB option " + name + "=" + value +
                   ": this version has no option of this name; look for it in an OPTIONS file " +
                   "that it wrote");
}

bool KnowsRocksdbProperty(const std::string& name, const std::string& value) {
  if (name == "optionsfile") return true;
  std::map<std::string, std::string> property = {{name, value}};
  RejectUnsupported(&property);
  TakeFlag(&property, "increase_parallelism");
  TakeFlag(&property, "optimize_level_style_compaction");
  rocksdb::Options options;
  return property.empty() || TryProperty(name, value, &options);
}

rocksdb::Options MakeRocksdbOptions(const OpenRequest& request) {
  std::map<std::string, std::string> properties = request.properties;
  std::string file = properties["optionsfile"];
  properties.erase("optionsfile");
  if (!request.options_file.empty()) file = request.options_file;

  rocksdb::Options options;
  if (file.empty()) {
    ApplyProperties(std::move(properties), &options);
  } else {
    options = LoadFile(file);
  }
  for (const auto& [name, value] : request.options) ApplyRocksdbOption(name, value, &options);
  options.create_if_missing = request.create;
  options.error_if_exists = false;
  SetStatistics(request.statistics, &options);
  return options;
}

OptionSections ReadRocksdbOptionsFile(const std::string& path) {
  std::string name;
  if (!rocksdb::GetLatestOptionsFileName(path, rocksdb::Env::Default(), &name).ok()) return {};
  std::ifstream file(path + "/" + name);
  OptionSections sections;
  std::string line;
  std::string section;
  while (std::getline(file, line)) {
    const std::string text = Trim(line);
    if (text.empty() || text[0] == '#') continue;
    if (text[0] == '[') {
      section = text.substr(1, text.find_first_of(" ]") - 1);
      continue;
    }
    const size_t mark = text.find('=');
    if (mark != std::string::npos) sections[section][text.substr(0, mark)] = text.substr(mark + 1);
  }
  return sections;
}

}  // namespace ycsb
