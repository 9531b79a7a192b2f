#include "measure/recorder.h"

namespace ycsb {

uint64_t Tally::Operations() const {
  uint64_t sum = 0;
  for (const OperationTally& type : types) sum += type.service.count();
  return sum;
}

void Tally::Add(const Tally& other) {
  for (size_t i = 0; i < kOperationTypes; ++i) {
    types[i].service.Add(other.types[i].service);
    types[i].intended.Add(other.types[i].intended);
    types[i].not_found += other.types[i].not_found;
    types[i].corrupt += other.types[i].corrupt;
    types[i].records += other.types[i].records;
  }
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  look_ups += other.look_ups;
}

void Tally::Subtract(const Tally& earlier) {
  for (size_t i = 0; i < kOperationTypes; ++i) {
    types[i].service.Subtract(earlier.types[i].service);
    types[i].intended.Subtract(earlier.types[i].intended);
    types[i].not_found -= earlier.types[i].not_found;
    types[i].corrupt -= earlier.types[i].corrupt;
    types[i].records -= earlier.types[i].records;
  }
  read_bytes -= earlier.read_bytes;
  written_bytes -= earlier.written_bytes;
  look_ups -= earlier.look_ups;
}

Recorder::Recorder(const OperationSet& types, bool intended) {
  for (size_t i = 0; i < kOperationTypes; ++i) {
    if (!types.test(i)) continue;
    counts_[i].service = std::make_unique<SharedHistogram>();
    if (intended) counts_[i].intended = std::make_unique<SharedHistogram>();
  }
}

void Recorder::AddTo(Tally* tally) const {
  for (size_t i = 0; i < kOperationTypes; ++i) {
    const Counts& counts = counts_[i];
    OperationTally& total = tally->types[i];
    if (counts.service) counts.service->AddTo(&total.service);
    if (counts.intended) counts.intended->AddTo(&total.intended);
    total.not_found += counts.not_found.Get();
    total.corrupt += counts.corrupt.Get();
    total.records += counts.records.Get();
  }
  tally->read_bytes += read_bytes_.Get();
  tally->written_bytes += written_bytes_.Get();
  tally->look_ups += look_ups_.Get();
}

}  // namespace ycsb
