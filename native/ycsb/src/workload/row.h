// Rows: the fields of a record as one value of the engine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "workload/generator.h"
#include "workload/spec.h"
#include "workload/values.h"

namespace ycsb {

// A generator for `lengths`.
std::unique_ptr<NumberGenerator> MakeLengthGenerator(const Lengths& lengths);

// Bytes that the name of a key takes at most.
size_t KeyNameRoom(size_t zero_padding);

// Writes the name of the key `number`, as YCSB names it: "user" and the number, hashed unless keys
// are ordered, with zeros in front of it up to `zero_padding` digits. Returns its end. REQUIRES:
// KeyNameRoom(zero_padding) bytes at `out`.
char* WriteKeyName(uint64_t number, bool hashed, size_t zero_padding, char* out);

// Which field of a row is meant.
inline constexpr size_t kAllFields = SIZE_MAX;

// Writes and reads rows in YCSB-cpp's format: for each field its name and its value, each after its
// length (32 bits, little-endian). One object a thread. Methods do not allocate once buffers have
// grown.
class RowCodec {
 public:
  explicit RowCodec(const RowShape& shape);

  size_t field_count() const { return headers_.size(); }

  // Appends a fresh value for `field` of the key `number`.
  void AppendValue(uint64_t number, size_t field, Random& random, std::string* value);

  // Appends a row with a fresh value in every field.
  void AppendRow(uint64_t number, Random& random, std::string* row);

  // Writes into `changed` the row with the value of `field` replaced. False where `row` is
  // malformed or has no such field.
  bool Replace(std::string_view row, size_t field, std::string_view value,
               std::string* changed) const;

  // Finds the values in `row`: all of them, or only that of `field`. They point into `row`, and are
  // valid until the next call. Null where the row is malformed or lacks a field.
  const std::vector<std::string_view>* Decode(std::string_view row, size_t field) {
    return field == kAllFields && DecodeUsual(row) ? &decoded_ : DecodeAny(row, field);
  }

  // Whether the decoded `values` (of all fields, or of `field`) are those of the key `number`;
  // always true where rows are not verifiable.
  bool Verify(uint64_t number, size_t field, const std::vector<std::string_view>& values) {
    return !verifiable_ || Matches(number, field, values);
  }

 private:
  bool DecodeUsual(std::string_view row);
  const std::vector<std::string_view>* DecodeAny(std::string_view row, size_t field);
  bool Matches(uint64_t number, size_t field, const std::vector<std::string_view>& values);
  std::string_view Name(size_t field) const;
  void Fill(size_t length, uint64_t number, size_t field, Random& random,
            std::string* target) const;

  bool verifiable_;
  ValueFiller filler_;
  std::unique_ptr<NumberGenerator> lengths_;
  std::vector<std::string> headers_;  // of each field: the length of its name, and the name
  size_t usual_length_ = 0;           // of every field's value ...
  size_t usual_row_ = 0;              // ... and of the row; 0 where lengths vary
  std::vector<std::string_view> decoded_;
  std::string scratch_;
};

}  // namespace ycsb
