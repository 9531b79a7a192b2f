// A workload as YCSB's core properties describe it.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/operation.h"
#include "measure/recorder.h"
#include "workload/length_histogram.h"
#include "workload/properties.h"
#include "workload/zipfian.h"

namespace ycsb {

enum class Distribution { kConstant, kUniform, kZipfian, kHistogram };

// Numbers min .. max, drawn as `distribution` says; always max where it is constant, from
// `histogram` where it is that.
struct Lengths {
  Distribution distribution = Distribution::kConstant;
  uint64_t min = 1;
  uint64_t max = 1;
  std::shared_ptr<const LengthHistogram> histogram;
};

struct RowShape {
  uint64_t field_count = 10;
  std::string field_prefix = "field";
  Lengths field_length;
  // Size that a good compressor makes of a value, as a share of it; absent: bytes as YCSB draws
  // them.
  std::optional<double> compressibility;
  // Values follow from key and field, so that every read can be checked.
  bool verifiable = false;
};

enum class Requests { kUniform, kZipfian, kLatest, kHotspot, kExponential, kSequential };

struct KeyChoice {
  Requests requests = Requests::kUniform;
  double zipfian_constant = kZipfianConstant;
  double hot_data = 0.2;
  double hot_operations = 0.8;
  double exponential_percentile = 95.0;
  double exponential_fraction = 0.8571428571;
};

struct Pace {
  unsigned threads = 1;
  double target_ops_s = 0.0;     // all threads together; 0: as fast as possible
  bool spin = false;             // wait for the next start by spinning, not sleeping
  uint64_t operation_count = 0;  // 0: no limit
  double duration_s = 0.0;       // 0: no limit; else `operation_count` does not count
  double max_execution_s = 0.0;  // 0: no limit
  double warmup_s = 0.0;         // done before, counted nowhere
};

// What a search for the largest rate is to keep, and what it may cost.
struct MaxRateSpec {
  double limit_s = 0.0;      // of `percentile` of the intended latency; 0: none is given
  double percentile = 99.0;  // 99 or 99.9
  double hold_s = 10.0;      // for which each rate is judged
  double precision = 0.05;   // the rate that is borne and the one that is not lie so close
  uint64_t most_steps = 16;  // rates that are held at most, repeats included
};

struct WorkloadSpec {
  uint64_t record_count = 0;
  uint64_t insert_start = 0;
  uint64_t insert_count = 0;
  bool hashed_keys = true;
  uint64_t zero_padding = 1;
  RowShape row;
  std::array<double, kOperationTypes> proportions{};  // add up to 1
  bool read_all_fields = true;
  bool write_all_fields = false;
  bool blind_updates = false;  // not read first; only with write_all_fields
  KeyChoice keys;
  Lengths scan_length;
  Pace pace;
  MaxRateSpec max_rate;  // of phases of that kind
  uint64_t seed = 1;
  std::vector<std::string> warnings;

  // The operations that can come, of a run or of a load.
  OperationSet Operations(bool loading) const;

  // Records that are expected to be inserted at most during a run.
  uint64_t ExpectedInserts() const;
};

// Reads the properties of YCSB's core workload and those of ours (README.md lists them). Throws
// UsageError where one is impossible.
WorkloadSpec ReadWorkload(const Properties& properties);

// Notes the properties of YCSB that mean nothing here as asked for and returns those that were
// given.
std::vector<std::string> AskIgnored(const Properties& properties);

}  // namespace ycsb
