#include "workload/operation_stream.h"

#include <algorithm>
#include <utility>

#include "workload/zipfian.h"

namespace ycsb {
namespace {

// The newest record is the most popular: zipfian distance from it.
class LatestKeys final : public NumberGenerator {
 public:
  LatestKeys(const AcknowledgedCounter& inserted, double theta)
      : inserted_(inserted), distances_(0, std::max<uint64_t>(inserted.End(), 2) - 2, theta) {}

  uint64_t Next(Random& random) override {
    const uint64_t last = inserted_.End() - 1;
    // As in YCSB, the distance is below `last`, so that key 0 never comes.
    return last - distances_.NextOf(random, std::max<uint64_t>(last, 1));
  }

 private:
  const AcknowledgedCounter& inserted_;
  ZipfianGenerator distances_;
};

// Exponential distance from the newest record.
class ExponentialKeys final : public NumberGenerator {
 public:
  ExponentialKeys(const AcknowledgedCounter& inserted, ExponentialGenerator distances)
      : inserted_(inserted), distances_(distances) {}

  uint64_t Next(Random& random) override {
    const uint64_t last = inserted_.End() - 1;
    uint64_t distance = distances_.Next(random);
    while (distance > last) distance = distances_.Next(random);
    return last - distance;
  }

 private:
  const AcknowledgedCounter& inserted_;
  ExponentialGenerator distances_;
};

}  // namespace

std::unique_ptr<NumberGenerator> MakeKeyChooser(const WorkloadSpec& spec, const KeySpace& keys,
                                                SequentialGenerator::Position position) {
  const uint64_t first = spec.insert_start;
  const uint64_t last = first + spec.insert_count - 1;
  const KeyChoice& choice = spec.keys;
  switch (choice.requests) {
    case Requests::kZipfian:
      // The range, YCSB's to the last item, holds what the run will insert; what is not there yet
      // is drawn again.
      return std::make_unique<ScrambledZipfianGenerator>(first, last + 1 + spec.ExpectedInserts(),
                                                         choice.zipfian_constant);
    case Requests::kLatest:
      return std::make_unique<LatestKeys>(keys.inserted, choice.zipfian_constant);
    case Requests::kHotspot:
      return std::make_unique<HotspotGenerator>(
          first, last, HotspotGenerator::Shares{choice.hot_data, choice.hot_operations});
    case Requests::kExponential: {
      const double range = static_cast<double>(spec.record_count) * choice.exponential_fraction;
      return std::make_unique<ExponentialKeys>(
          keys.inserted, ExponentialGenerator(choice.exponential_percentile, range));
    }
    case Requests::kSequential:
      return std::make_unique<SequentialGenerator>(first, last, std::move(position));
    case Requests::kUniform:
      break;
  }
  return std::make_unique<UniformGenerator>(first, last);
}

OperationStream::OperationStream(const WorkloadSpec& spec, bool loading, Shared shared)
    : loading_(loading),
      read_all_fields_(spec.read_all_fields),
      keys_(shared.keys),
      key_chooser_(MakeKeyChooser(spec, *shared.keys, std::move(shared.position))),
      scan_lengths_(MakeLengthGenerator(spec.scan_length)),
      field_chooser_(0, spec.row.field_count - 1) {
  double sum = 0.0;
  for (const OperationType type : kAllOperations) {
    const auto i = static_cast<size_t>(type);
    sum += spec.proportions[i];
    cumulative_[i] = sum;
    if (spec.proportions[i] > 0.0) last_type_ = type;
  }
}

OperationType OperationStream::NextType(Random& random) const {
  const double draw = random.Uniform();
  for (const OperationType type : kAllOperations) {
    if (draw < cumulative_[static_cast<size_t>(type)]) return type;
  }
  return last_type_;  // the sum of the proportions may be just below 1
}

Operation OperationStream::NextLoad() {
  Operation operation;
  operation.type = OperationType::kInsert;
  operation.key = keys_->load_next.fetch_add(1, std::memory_order_relaxed);
  return operation;
}

Operation OperationStream::Next(Random& random) {
  if (loading_) return NextLoad();
  Operation operation;
  operation.type = NextType(random);
  if (operation.type == OperationType::kInsert) {
    operation.key = keys_->inserted.Next();
    return operation;
  }
  const uint64_t end = keys_->inserted.End();
  do {
    operation.key = key_chooser_->Next(random);
  } while (operation.key >= end);
  if (!read_all_fields_) {
    operation.field = static_cast<size_t>(field_chooser_.Next(random));
  }
  if (operation.type == OperationType::kScan) {
    operation.scan_length = scan_lengths_->Next(random);
  }
  return operation;
}

}  // namespace ycsb
