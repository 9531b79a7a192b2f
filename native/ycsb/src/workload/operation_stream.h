// What a thread does next.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/random.h"
#include "measure/operation.h"
#include "workload/generator.h"
#include "workload/key_space.h"
#include "workload/row.h"
#include "workload/simple_generators.h"
#include "workload/spec.h"

namespace ycsb {

struct Operation {
  OperationType type = OperationType::kRead;
  uint64_t key = 0;           // the key's number
  size_t field = kAllFields;  // the field that is read
  uint64_t scan_length = 0;
};

// Chooses keys that exist, as the request distribution says. One object a thread; `keys` and
// `position` are shared. REQUIRES: `keys` outlives it.
std::unique_ptr<NumberGenerator> MakeKeyChooser(const WorkloadSpec& spec, const KeySpace& keys,
                                                SequentialGenerator::Position position);

// The operations of one thread of a run, or of a load. REQUIRES: `keys` outlives it.
class OperationStream {
 public:
  struct Shared {
    KeySpace* keys;
    SequentialGenerator::Position position;  // of the sequential distribution
  };

  OperationStream(const WorkloadSpec& spec, bool loading, Shared shared);

  // Draws the next operation. No allocation.
  Operation Next(Random& random);

 private:
  OperationType NextType(Random& random) const;
  Operation NextLoad();

  bool loading_;
  bool read_all_fields_;
  KeySpace* keys_;
  std::array<double, kOperationTypes> cumulative_{};
  OperationType last_type_ = OperationType::kRead;
  std::unique_ptr<NumberGenerator> key_chooser_;
  std::unique_ptr<NumberGenerator> scan_lengths_;
  UniformGenerator field_chooser_;
};

}  // namespace ycsb
