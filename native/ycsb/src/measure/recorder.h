// What the threads of a phase counted.

#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>

#include "base/single_writer.h"
#include "measure/histogram.h"
#include "measure/operation.h"

namespace ycsb {

// What came of one operation.
struct Outcome {
  bool found = true;           // false: there is no such key
  bool intact = true;          // false: a row could not be decoded, or held the wrong bytes
  uint64_t read_bytes = 0;     // key and value bytes that the engine returned
  uint64_t written_bytes = 0;  // key and value bytes that the engine was given
  uint64_t records = 1;        // rows of a scan
  uint64_t look_ups = 0;       // of one key
};

// Totals of one kind of operation.
struct OperationTally {
  Histogram service;   // ns from the operation's start
  Histogram intended;  // ns from the moment it should have started; empty without a target rate
  uint64_t not_found = 0;
  uint64_t corrupt = 0;
  uint64_t records = 0;
};

// Totals of a phase, or of an interval of it.
struct Tally {
  std::array<OperationTally, kOperationTypes> types;
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t look_ups = 0;  // of one key, those inside updates included

  OperationTally& Of(OperationType type) { return types[static_cast<size_t>(type)]; }
  const OperationTally& Of(OperationType type) const { return types[static_cast<size_t>(type)]; }

  uint64_t Operations() const;

  // Adds what `other` counted.
  void Add(const Tally& other);

  // Takes `earlier` away: leaves what happened since.
  void Subtract(const Tally& earlier);
};

using OperationSet = std::bitset<kOperationTypes>;

// Counts what one thread does. Record() is for that thread, AddTo() for any.
class Recorder {
 public:
  // `types`: the operations that may come. `intended`: there is a target rate.
  Recorder(const OperationSet& types, bool intended);

  // `service_ns` and `intended_ns`: latencies; the second is ignored without a target rate. A few
  // ns.
  void Record(OperationType type, const Outcome& outcome, int64_t service_ns, int64_t intended_ns) {
    Counts& counts = counts_[static_cast<size_t>(type)];
    counts.service->Record(static_cast<uint64_t>(service_ns));
    if (counts.intended) counts.intended->Record(static_cast<uint64_t>(intended_ns));
    if (!outcome.found) counts.not_found.Add(1);
    if (!outcome.intact) counts.corrupt.Add(1);
    counts.records.Add(outcome.records);
    read_bytes_.Add(outcome.read_bytes);
    written_bytes_.Add(outcome.written_bytes);
    look_ups_.Add(outcome.look_ups);
  }

  void AddTo(Tally* tally) const;

 private:
  struct Counts {
    std::unique_ptr<SharedHistogram> service;
    std::unique_ptr<SharedHistogram> intended;
    SingleWriterCounter not_found;
    SingleWriterCounter corrupt;
    SingleWriterCounter records;
  };

  std::array<Counts, kOperationTypes> counts_;
  SingleWriterCounter read_bytes_;
  SingleWriterCounter written_bytes_;
  SingleWriterCounter look_ups_;
};

}  // namespace ycsb
