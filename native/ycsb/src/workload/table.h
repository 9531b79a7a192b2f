// YCSB's operations on an engine that knows only keys and values.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "engine/engine.h"
#include "measure/recorder.h"
#include "workload/operation_stream.h"
#include "workload/row.h"
#include "workload/spec.h"

namespace ycsb {

// The table of one thread. Updates read the row, change it and write it back whole, as the bindings
// of YCSB and YCSB-cpp for these engines do; a read-modify-write reads once more before. Not
// thread-safe.
class Table {
 public:
  // REQUIRES: `session` outlives it.
  Table(const WorkloadSpec& spec, Session* session);

  // Makes the key and the new values of `operation`: what a client has in hand before it calls the
  // database, not part of an operation's latency.
  void Prepare(const Operation& operation, Random& random);

  // Does what was prepared. Throws Failure where the engine fails.
  Outcome Execute(const Operation& operation);

 private:
  Outcome Read(const Operation& operation);
  Outcome Scan(const Operation& operation);
  Outcome Insert();
  Outcome Update();
  Outcome Delete();

  class RowCheck;

  bool hashed_keys_;
  size_t zero_padding_;
  bool write_all_fields_;
  bool blind_updates_;
  RowCodec codec_;
  Session* session_;
  size_t written_field_ = kAllFields;
  std::vector<char> key_room_;
  std::string_view key_;  // in key_room_
  std::string fresh_;     // the row, or the value of one field, that will be written
  std::string changed_;   // a row that was read and changed
};

}  // namespace ycsb
