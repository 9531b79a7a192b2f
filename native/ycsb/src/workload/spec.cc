#include "workload/spec.h"

#include <cmath>
#include <numeric>

#include "base/error.h"

namespace ycsb {
namespace {

// Beyond this a row cannot be meant: fields have 32-bit lengths, engines hold rows in memory.
constexpr uint64_t kLargestRow = uint64_t{1} << 30;

// Sums and products of such numbers stay below 2^63.
constexpr uint64_t kMostRecords = 1000000000000000;
constexpr uint64_t kMostOperations = 1000000000000000000;

// Below it, start times would be beyond the clock's end.
constexpr double kLeastRate = 0.001;

Distribution ReadDistribution(const std::string& name) {
  if (name == "uniform") return Distribution::kUniform;
  if (name == "zipfian") return Distribution::kZipfian;
  if (name == "histogram") return Distribution::kHistogram;
  return Distribution::kConstant;
}

void CheckOrder(const Lengths& lengths, const std::string& low, const std::string& high) {
  if (lengths.min <= lengths.max) return;
  throw UsageError("property \"" + low + "\" is " + std::to_string(lengths.min) + ", above \"" +
                   high + "\" = " + std::to_string(lengths.max) + "; make it smaller");
}

Lengths ReadFieldLength(const Properties& properties) {
  Lengths lengths;
  // field_len_dist is YCSB-cpp's name; the original's wins.
  const std::string theirs =
      properties.Choice("field_len_dist", {"constant", "uniform", "zipfian"});
  const std::string ours =
      properties.Choice("fieldlengthdistribution", {"constant", "uniform", "zipfian", "histogram"});
  lengths.distribution =
      ReadDistribution(properties.Has("fieldlengthdistribution") ? ours : theirs);
  lengths.max = properties.Count("fieldlength", 100);
  lengths.min = properties.Count("minfieldlength", 1);
  const std::string file = properties.Text("fieldlengthhistogram", "hist.txt");  // YCSB's default
  if (lengths.distribution == Distribution::kHistogram) {
    lengths.histogram = std::make_shared<LengthHistogram>(file);
    lengths.min = lengths.histogram->shortest();
    lengths.max = lengths.histogram->longest();
  } else if (lengths.distribution == Distribution::kConstant) {
    lengths.min = lengths.max;
  } else {
    CheckOrder(lengths, "minfieldlength", "fieldlength");
  }
  return lengths;
}

RowShape ReadRow(const Properties& properties) {
  RowShape row;
  row.field_count = properties.Count("fieldcount", 10, 1);
  row.field_prefix = properties.Text("fieldnameprefix", "field");
  row.field_length = ReadFieldLength(properties);
  if (properties.Has("lsmtune.value_compressibility")) {
    row.compressibility = properties.Number("lsmtune.value_compressibility", 1.0, 0.001, 1.0);
  }
  row.verifiable = properties.Flag("dataintegrity", false);
  if (row.verifiable && row.field_length.distribution != Distribution::kConstant) {
    throw UsageError("property " + properties.Describe("dataintegrity") +
                     " needs fieldlengthdistribution=constant; change one of them");
  }
  const uint64_t field = row.field_length.max + row.field_prefix.size() + 28;
  if (row.field_length.max > kLargestRow || row.field_count > kLargestRow / field) {
    throw UsageError(
        "fieldcount x fieldlength is over 1 GiB a row; make property \"fieldlength\" or " +
        std::string("\"fieldcount\" smaller"));
  }
  return row;
}

void ReadMix(const Properties& properties, WorkloadSpec* spec) {
  const std::array<std::pair<const char*, double>, kOperationTypes> sources = {{
      {"readproportion", 0.95},
      {"updateproportion", 0.05},
      {"insertproportion", 0.0},
      {"scanproportion", 0.0},
      {"readmodifywriteproportion", 0.0},
      {"lsmtune.deleteproportion", 0.0},
  }};
  for (size_t i = 0; i < sources.size(); ++i) {
    spec->proportions[i] = properties.Number(sources[i].first, sources[i].second, 0.0, 1e6);
  }
  const double sum = std::accumulate(spec->proportions.begin(), spec->proportions.end(), 0.0);
  if (sum <= 0.0) {
    throw UsageError(
        "the proportions of all operations are 0; set \"readproportion\" or another one");
  }
  if (std::abs(sum - 1.0) > 1e-3) {
    spec->warnings.push_back("the proportions add up to " + std::to_string(sum) +
                             ", not 1; they were divided by it, as YCSB does");
  }
  for (double& proportion : spec->proportions) proportion /= sum;
}

KeyChoice ReadKeys(const Properties& properties) {
  KeyChoice keys;
  const std::string name =
      properties.Choice("requestdistribution",
                        {"uniform", "zipfian", "latest", "hotspot", "exponential", "sequential"});
  if (name == "zipfian") keys.requests = Requests::kZipfian;
  if (name == "latest") keys.requests = Requests::kLatest;
  if (name == "hotspot") keys.requests = Requests::kHotspot;
  if (name == "exponential") keys.requests = Requests::kExponential;
  if (name == "sequential") keys.requests = Requests::kSequential;
  keys.zipfian_constant = properties.Number("zipfian_const", kZipfianConstant, 0.001, 0.9999);
  keys.hot_data = properties.Number("hotspotdatafraction", 0.2, 0.0, 1.0);
  keys.hot_operations = properties.Number("hotspotopnfraction", 0.8, 0.0, 1.0);
  // Flatter ones would hardly ever hit a record.
  keys.exponential_percentile = properties.Number("exponential.percentile", 95.0, 1.0, 99.999999);
  keys.exponential_fraction = properties.Number("exponential.frac", 0.8571428571, 1e-9, 1000.0);
  return keys;
}

Lengths ReadScans(const Properties& properties) {
  Lengths lengths;
  lengths.min = properties.Count("minscanlength", 1, 1);
  lengths.max = properties.Count("maxscanlength", 1000, 1);
  lengths.distribution =
      ReadDistribution(properties.Choice("scanlengthdistribution", {"uniform", "zipfian"}));
  CheckOrder(lengths, "minscanlength", "maxscanlength");
  return lengths;
}

Pace ReadPace(const Properties& properties) {
  Pace pace;
  const uint64_t threads = properties.Count("threadcount", 1, 1);
  if (threads > 10000) {
    throw UsageError("property " + properties.Describe("threadcount") + "; write 10000 or less");
  }
  pace.threads = static_cast<unsigned>(threads);
  // limit.ops is YCSB-cpp's name.
  const double limit = properties.Number("limit.ops", 0.0, 0.0, 1e9);
  pace.target_ops_s = properties.Number("target", limit, 0.0, 1e9);
  if (pace.target_ops_s > 0.0 && pace.target_ops_s < kLeastRate) {
    throw UsageError("property " +
                     properties.Describe(properties.Has("target") ? "target" : "limit.ops") +
                     "; write 0, for no limit, or at least 0.001");
  }
  if (!properties.Text("limit.file", "").empty()) {
    throw UsageError("property " + properties.Describe("limit.file") +
                     "; a rate that changes is not supported, remove it and set target");
  }
  pace.spin = properties.Flag("spin.sleep", false);
  pace.operation_count = properties.Count("operationcount", 0, 0, kMostOperations);
  pace.duration_s = properties.Number("lsmtune.duration_s", 0.0, 0.0, 1e9);
  pace.max_execution_s = properties.Number("maxexecutiontime", 0.0, 0.0, 1e9);
  pace.warmup_s = properties.Number("lsmtune.warmup_s", 0.0, 0.0, 1e9);
  return pace;
}

MaxRateSpec ReadMaxRate(const Properties& properties) {
  MaxRateSpec spec;
  spec.limit_s = properties.Number("lsmtune.max_rate.limit_s", 0.0, 0.0, 3600.0);
  spec.percentile = properties.Choice("lsmtune.max_rate.percentile", {"99", "99.9"}) == "99.9"
                        ? 99.9
                        : 99.0;
  spec.hold_s = properties.Number("lsmtune.max_rate.hold_s", spec.hold_s, 0.05, 86400.0);
  spec.precision = properties.Number("lsmtune.max_rate.precision", spec.precision, 0.005, 0.5);
  spec.most_steps = properties.Count("lsmtune.max_rate.steps", spec.most_steps, 4, 100);
  return spec;
}

void ReadRecords(const Properties& properties, WorkloadSpec* spec) {
  if (!properties.Has("recordcount")) {
    throw UsageError(
        "property \"recordcount\" is missing; give -p recordcount=N or a file with -P");
  }
  spec->record_count = properties.Count("recordcount", 0, 1, kMostRecords);
  spec->insert_start = properties.Count("insertstart", 0);
  if (spec->insert_start >= spec->record_count) {
    throw UsageError("property " + properties.Describe("insertstart") + ", not below recordcount " +
                     std::to_string(spec->record_count) + "; make it smaller");
  }
  const uint64_t room = spec->record_count - spec->insert_start;
  spec->insert_count = properties.Count("insertcount", room, 1);
  if (spec->insert_count > room) {
    throw UsageError("property " + properties.Describe("insertcount") +
                     ": insertstart + insertcount is above recordcount " +
                     std::to_string(spec->record_count) + "; make it smaller");
  }
  spec->hashed_keys = properties.Choice("insertorder", {"hashed", "ordered"}) == "hashed";
  spec->zero_padding = properties.Count("zeropadding", 1);
  if (spec->zero_padding > 4096) {
    throw UsageError("property " + properties.Describe("zeropadding") + "; write 4096 or less");
  }
}

void CheckClass(const Properties& properties) {
  const std::string name = properties.Text("workload", "CoreWorkload");
  const std::string core = "CoreWorkload";
  if (name.size() >= core.size() && name.substr(name.size() - core.size()) == core) return;
  throw UsageError("property " + properties.Describe("workload") +
                   "; only the CoreWorkload is known, remove the line");
}

}  // namespace

OperationSet WorkloadSpec::Operations(bool loading) const {
  OperationSet set;
  if (loading) return set.set(static_cast<size_t>(OperationType::kInsert));
  for (size_t i = 0; i < kOperationTypes; ++i) set.set(i, proportions[i] > 0.0);
  return set;
}

uint64_t WorkloadSpec::ExpectedInserts() const {
  const uint64_t operations = pace.operation_count > 0 ? pace.operation_count : record_count;
  const double share = proportions[static_cast<size_t>(OperationType::kInsert)];
  return static_cast<uint64_t>(static_cast<double>(operations) * share * 2.0);  // 2: YCSB's reserve
}

WorkloadSpec ReadWorkload(const Properties& properties) {
  WorkloadSpec spec;
  CheckClass(properties);
  ReadRecords(properties, &spec);
  spec.row = ReadRow(properties);
  ReadMix(properties, &spec);
  spec.read_all_fields = properties.Flag("readallfields", true);
  spec.blind_updates = properties.Flag("lsmtune.blindupdates", false);
  spec.write_all_fields = properties.Flag("writeallfields", false) || spec.blind_updates;
  spec.keys = ReadKeys(properties);
  spec.scan_length = ReadScans(properties);
  spec.pace = ReadPace(properties);
  spec.max_rate = ReadMaxRate(properties);
  spec.seed = properties.Count("lsmtune.seed", 1);
  return spec;
}

std::vector<std::string> AskIgnored(const Properties& properties) {
  std::vector<std::string> given;
  // They choose how the original and YCSB-cpp measure, print, retry and find their bindings.
  for (const char* name : {"table", "db", "doload", "dotransaction", "dotransactions",
                           "sleepafterload", "exporter", "exportfile", "measurementtype",
                           "readallfieldsbyname", "core_workload_insertion_retry_limit",
                           "core_workload_insertion_retry_interval",
                           "core_workload_insertion_keep_going_on_error", "status", "label",
                           "columnfamily", "latencytrackederrors", "maxscanrate", "scanoptimelimit",
                           "discardscannedrecord"}) {
    if (properties.Find(name)) given.push_back(name);
  }
  for (const char* prefix :
       {"measurement.", "hdrhistogram.", "histogram.", "timeseries.", "status.", "reportlatency",
        "htrace.", "basicdb.", "lmdb.", "sqlite.", "wiredtiger."}) {
    for (const auto& [rest, value] : properties.WithPrefix(prefix)) given.push_back(prefix + rest);
  }
  return given;
}

}  // namespace ycsb
