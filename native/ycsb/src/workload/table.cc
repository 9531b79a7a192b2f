#include "workload/table.h"

#include <string_view>

namespace ycsb {

// Decodes the rows of a scan: a client would.
class Table::RowCheck final : public RowVisitor {
 public:
  RowCheck(RowCodec* codec, size_t field, Outcome* outcome)
      : codec_(codec), field_(field), outcome_(outcome) {}

  void Visit(std::string_view key, std::string_view value) override {
    outcome_->read_bytes += key.size() + value.size();
    outcome_->intact = outcome_->intact && codec_->Decode(value, field_) != nullptr;
  }

 private:
  RowCodec* codec_;
  size_t field_;
  Outcome* outcome_;
};

Table::Table(const WorkloadSpec& spec, Session* session)
    : hashed_keys_(spec.hashed_keys),
      zero_padding_(static_cast<size_t>(spec.zero_padding)),
      write_all_fields_(spec.write_all_fields),
      blind_updates_(spec.blind_updates),
      codec_(spec.row),
      session_(session),
      key_room_(KeyNameRoom(zero_padding_)) {}

void Table::Prepare(const Operation& operation, Random& random) {
  char* const name = key_room_.data();
  const char* const end = WriteKeyName(operation.key, hashed_keys_, zero_padding_, name);
  key_ = std::string_view(name, static_cast<size_t>(end - name));
  fresh_.clear();
  switch (operation.type) {
    case OperationType::kInsert:
      codec_.AppendRow(operation.key, random, &fresh_);
      break;
    case OperationType::kUpdate:
    case OperationType::kReadModifyWrite:
      if (write_all_fields_) {
        codec_.AppendRow(operation.key, random, &fresh_);
      } else {
        written_field_ = static_cast<size_t>(random.Below(codec_.field_count()));
        codec_.AppendValue(operation.key, written_field_, random, &fresh_);
      }
      break;
    case OperationType::kRead:
    case OperationType::kScan:
    case OperationType::kDelete:
      break;
  }
}

Outcome Table::Execute(const Operation& operation) {
  switch (operation.type) {
    case OperationType::kRead:
      return Read(operation);
    case OperationType::kScan:
      return Scan(operation);
    case OperationType::kInsert:
      return Insert();
    case OperationType::kUpdate:
      return Update();
    case OperationType::kDelete:
      return Delete();
    case OperationType::kReadModifyWrite:
      break;
  }
  const Outcome read = Read(operation);
  if (!read.found) return read;
  Outcome outcome = Update();
  outcome.look_ups += read.look_ups;
  outcome.read_bytes += read.read_bytes;
  outcome.intact = outcome.intact && read.intact;
  return outcome;
}

Outcome Table::Read(const Operation& operation) {
  Outcome outcome;
  std::string_view row;
  outcome.look_ups = 1;
  outcome.found = session_->Read(key_, &row);
  if (!outcome.found) return outcome;
  outcome.read_bytes = key_.size() + row.size();
  const auto* values = codec_.Decode(row, operation.field);
  outcome.intact = values != nullptr && codec_.Verify(operation.key, operation.field, *values);
  return outcome;
}

Outcome Table::Scan(const Operation& operation) {
  Outcome outcome;
  RowCheck check(&codec_, operation.field, &outcome);
  outcome.records = session_->Scan(key_, operation.scan_length, &check);
  outcome.found = outcome.records > 0;
  return outcome;
}

Outcome Table::Insert() {
  Outcome outcome;
  session_->Write(key_, fresh_);
  outcome.written_bytes = key_.size() + fresh_.size();
  return outcome;
}

Outcome Table::Update() {
  if (blind_updates_) return Insert();
  Outcome outcome;
  std::string_view row;
  outcome.look_ups = 1;
  outcome.found = session_->Read(key_, &row);
  if (!outcome.found) return outcome;
  outcome.read_bytes = key_.size() + row.size();
  if (!write_all_fields_) {
    outcome.intact = codec_.Replace(row, written_field_, fresh_, &changed_);
    if (!outcome.intact) return outcome;
  }
  const std::string& written = write_all_fields_ ? fresh_ : changed_;
  session_->Write(key_, written);
  outcome.written_bytes = key_.size() + written.size();
  return outcome;
}

Outcome Table::Delete() {
  Outcome outcome;
  session_->Delete(key_);
  outcome.written_bytes = key_.size();
  return outcome;
}

}  // namespace ycsb
