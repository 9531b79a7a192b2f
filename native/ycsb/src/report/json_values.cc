#include "report/json_values.h"

#include <array>
#include <utility>

#include "base/clock.h"

namespace ycsb {
namespace {

struct Quantile {
  const char* name;
  double value;
};

constexpr std::array<Quantile, 10> kQuantiles = {{{"p50_s", 0.50},
                                                  {"p75_s", 0.75},
                                                  {"p90_s", 0.90},
                                                  {"p95_s", 0.95},
                                                  {"p99_s", 0.99},
                                                  {"p995_s", 0.995},
                                                  {"p999_s", 0.999},
                                                  {"p9995_s", 0.9995},
                                                  {"p9999_s", 0.9999},
                                                  {"p99999_s", 0.99999}}};

Json HistogramJson(const Histogram& histogram) {
  Json json;
  json["count"] = histogram.count();
  json["mean_s"] = histogram.Mean() / 1e9;
  for (const Quantile& quantile : kQuantiles) {
    json[quantile.name] = ToSeconds(static_cast<int64_t>(histogram.At(quantile.value)));
  }
  json["max_s"] = ToSeconds(static_cast<int64_t>(histogram.max()));
  return json;
}

}  // namespace

Json LatencyJson(const Tally& tally, bool intended) {
  Json json = Json::object();
  for (const OperationType type : kAllOperations) {
    const OperationTally& of = tally.Of(type);
    const Histogram& histogram = intended ? of.intended : of.service;
    if (histogram.count() > 0) json[Name(type)] = HistogramJson(histogram);
  }
  if (intended && json.empty()) return nullptr;
  return json;
}

Json OutcomesJson(const Tally& tally) {
  Json json = Json::object();
  for (const OperationType type : kAllOperations) {
    const OperationTally& of = tally.Of(type);
    if (of.service.count() == 0) continue;
    json[Name(type)] = {{"operations", of.service.count()},
                        {"not_found", of.not_found},
                        {"corrupt", of.corrupt},
                        {"records", of.records}};
  }
  return json;
}

Json TreeJson(const TreeState& tree) {
  Json levels = Json::array();
  for (const Level& level : tree.levels) {
    levels.push_back({{"files", level.files}, {"bytes", level.bytes}});
  }
  const Json error = tree.background_error.empty() ? Json(nullptr) : Json(tree.background_error);
  return {{"levels", std::move(levels)},
          {"pending_compaction_bytes", OrNull(tree.pending_compaction_bytes)},
          {"running_compactions", tree.running_compactions},
          {"running_flushes", tree.running_flushes},
          {"compaction_pending", tree.compaction_pending},
          {"flush_pending", tree.flush_pending},
          {"writes_stopped", tree.writes_stopped},
          {"background_error", error},
          {"delayed_write_rate_bytes_s", OrNull(tree.delayed_write_rate_bytes_s)},
          {"memtable_bytes", OrNull(tree.memtable_bytes)},
          {"cache_bytes", OrNull(tree.cache_bytes)},
          {"table_reader_bytes", OrNull(tree.table_reader_bytes)}};
}

Json CountersJson(const Counters& counters, bool tickers) {
  Json stall = nullptr;
  if (counters.stall_us) stall = static_cast<double>(*counters.stall_us) / 1e6;
  Json json = {{"flush_bytes", counters.flush_bytes},
               {"compaction_bytes", counters.compaction_bytes},
               {"compaction_read_bytes", OrNull(counters.compaction_read_bytes)},
               {"wal_bytes", OrNull(counters.wal_bytes)},
               {"stall_s", stall},
               {"table_reads", OrNull(counters.table_reads)},
               {"cache_hits", OrNull(counters.cache_hits)},
               {"cache_misses", OrNull(counters.cache_misses)}};
  if (!tickers) return json;
  Json all = Json::object();
  for (const auto& [name, value] : counters.tickers) {
    if (value != 0) all[name] = value;
  }
  json["tickers"] = std::move(all);
  return json;
}

Json SpaceJson(const FolderSpace& space) {
  return {{"data_bytes", space.data_bytes()},       {"table_bytes", space.table_bytes},
          {"blob_bytes", space.blob_bytes},         {"wal_bytes", space.wal_bytes},
          {"manifest_bytes", space.manifest_bytes}, {"other_bytes", space.other_bytes}};
}

Json PhaseJson(const PhaseId& phase) {
  return {{"index", phase.index}, {"kind", Name(phase.spec.kind)}, {"label", phase.spec.label}};
}

Json EventJson(const Event& event) {
  Json json = Json::object();
  for (const auto& [name, value] : event.fields) {
    std::visit([&json, &name = name](const auto& held) { json[name] = held; }, value);
  }
  return json;
}

}  // namespace ycsb
