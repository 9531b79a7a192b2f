#include "workload/row.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/hash.h"
#include "workload/simple_generators.h"
#include "workload/zipfian.h"

namespace ycsb {
namespace {

constexpr size_t kLengthSize = sizeof(uint32_t);

void AppendLength(size_t length, std::string* row) {
  const auto value = static_cast<uint32_t>(length);
  row->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

size_t LoadLength(const char* at) {
  uint32_t length = 0;
  std::memcpy(&length, at, kLengthSize);
  return length;
}

// Takes one length-prefixed piece off the front of `rest`.
bool TakePiece(std::string_view* rest, std::string_view* piece) {
  if (rest->size() < kLengthSize) return false;
  const size_t length = LoadLength(rest->data());
  rest->remove_prefix(kLengthSize);
  if (rest->size() < length) return false;
  *piece = std::string_view(rest->data(), length);
  rest->remove_prefix(length);
  return true;
}

constexpr uint64_t kEightDigits = 100000000;
constexpr size_t kMostDigits = 20;
constexpr std::string_view kKeyPrefix = "user";

// Writes exactly eight digits. The four pairs do not wait for one another.
void WriteEight(uint32_t value, char* out) {
  const uint32_t high = value / 10000;
  const uint32_t low = value % 10000;
  for (const uint32_t pair : {high / 100, high % 100, low / 100, low % 100}) {
    *out++ = static_cast<char>('0' + pair / 10);
    *out++ = static_cast<char>('0' + pair % 10);
  }
}

// Writes `value` in decimal, into room for kMostDigits, and returns the end. Nearly all hashed
// numbers have 17 digits or more, of which std::to_chars would divide off two after two.
char* WriteDigits(uint64_t value, char* out) {
  if (value < kEightDigits * kEightDigits) return std::to_chars(out, out + kMostDigits, value).ptr;
  const uint64_t upper = value / kEightDigits;
  out = std::to_chars(out, out + kMostDigits, upper / kEightDigits).ptr;
  WriteEight(static_cast<uint32_t>(upper % kEightDigits), out);
  WriteEight(static_cast<uint32_t>(value % kEightDigits), out + 8);
  return out + 16;
}

}  // namespace

std::unique_ptr<NumberGenerator> MakeLengthGenerator(const Lengths& lengths) {
  switch (lengths.distribution) {
    case Distribution::kUniform:
      return std::make_unique<UniformGenerator>(lengths.min, lengths.max);
    case Distribution::kZipfian:
      return std::make_unique<ZipfianGenerator>(lengths.min, lengths.max);
    case Distribution::kHistogram:
      return std::make_unique<HistogramGenerator>(lengths.histogram);
    case Distribution::kConstant:
      break;
  }
  return std::make_unique<ConstantGenerator>(lengths.max);
}

size_t KeyNameRoom(size_t zero_padding) {
  return kKeyPrefix.size() + std::max(zero_padding, kMostDigits);
}

char* WriteKeyName(uint64_t number, bool hashed, size_t zero_padding, char* out) {
  std::memcpy(out, kKeyPrefix.data(), kKeyPrefix.size());
  char* const digits = out + kKeyPrefix.size();
  char* const end = WriteDigits(hashed ? FnvHash64(number) : number, digits);
  const auto count = static_cast<size_t>(end - digits);
  if (count >= zero_padding) return end;
  std::memmove(digits + zero_padding - count, digits, count);
  std::memset(digits, '0', zero_padding - count);
  return digits + zero_padding;
}

RowCodec::RowCodec(const RowShape& shape)
    : verifiable_(shape.verifiable),
      filler_(shape.compressibility, static_cast<size_t>(shape.field_length.max)),
      lengths_(MakeLengthGenerator(shape.field_length)) {
  for (uint64_t i = 0; i < shape.field_count; ++i) {
    const std::string name = shape.field_prefix + std::to_string(i);
    std::string header;
    AppendLength(name.size(), &header);
    headers_.push_back(header + name);
  }
  decoded_.resize(headers_.size());
  if (shape.field_length.distribution != Distribution::kConstant) return;
  usual_length_ = static_cast<size_t>(shape.field_length.max);
  for (const std::string& header : headers_) {
    usual_row_ += header.size() + kLengthSize + usual_length_;
  }
}

std::string_view RowCodec::Name(size_t field) const {
  return std::string_view(headers_[field]).substr(kLengthSize);
}

void RowCodec::Fill(size_t length, uint64_t number, size_t field, Random& random,
                    std::string* target) const {
  if (!verifiable_) return filler_.Append(length, random, target);
  Random determined(number, field + 1);
  filler_.Append(length, determined, target);
}

void RowCodec::AppendValue(uint64_t number, size_t field, Random& random, std::string* value) {
  Fill(static_cast<size_t>(lengths_->Next(random)), number, field, random, value);
}

void RowCodec::AppendRow(uint64_t number, Random& random, std::string* row) {
  for (size_t field = 0; field < headers_.size(); ++field) {
    const auto length = static_cast<size_t>(lengths_->Next(random));
    row->append(headers_[field]);
    AppendLength(length, row);
    Fill(length, number, field, random, row);
  }
}

bool RowCodec::Replace(std::string_view row, size_t field, std::string_view value,
                       std::string* changed) const {
  std::string_view rest = row;
  std::string_view old;
  bool found = false;
  while (!rest.empty()) {
    std::string_view name;
    std::string_view piece;
    if (!TakePiece(&rest, &name) || !TakePiece(&rest, &piece)) return false;
    if (found || name != Name(field)) continue;
    old = piece;
    found = true;
  }
  if (!found) return false;
  const auto start = static_cast<size_t>(old.data() - row.data());
  changed->assign(row.substr(0, start - kLengthSize));
  AppendLength(value.size(), changed);
  changed->append(value);
  changed->append(row.substr(start + old.size()));
  return true;
}

// Rows of constant lengths have everything at a known place. All lengths are read and compared as
// DecodeAny() does, but none is waited for: the processor reads them side by side.
bool RowCodec::DecodeUsual(std::string_view row) {
  if (usual_row_ == 0 || row.size() != usual_row_) return false;
  decoded_.resize(headers_.size());
  const char* at = row.data();
  bool usual = true;
  for (size_t field = 0; field < headers_.size(); ++field) {
    const size_t header = headers_[field].size();
    usual = usual & (LoadLength(at) == header - kLengthSize);
    usual = usual & (LoadLength(at + header) == usual_length_);
    at += header + kLengthSize;
    decoded_[field] = std::string_view(at, usual_length_);
    at += usual_length_;
  }
  return usual;
}

const std::vector<std::string_view>* RowCodec::DecodeAny(std::string_view row, size_t field) {
  const size_t wanted = field == kAllFields ? headers_.size() : 1;
  size_t found = 0;
  decoded_.resize(wanted);
  while (!row.empty()) {
    std::string_view name;
    std::string_view value;
    if (!TakePiece(&row, &name) || !TakePiece(&row, &value)) return nullptr;
    if (field != kAllFields && name != Name(field)) continue;
    if (found == wanted) return nullptr;
    decoded_[found++] = value;
  }
  return found == wanted ? &decoded_ : nullptr;
}

bool RowCodec::Matches(uint64_t number, size_t field, const std::vector<std::string_view>& values) {
  Random unused(0);
  for (size_t i = 0; i < values.size(); ++i) {
    scratch_.clear();
    AppendValue(number, field == kAllFields ? i : field, unused, &scratch_);
    if (values[i] != scratch_) return false;
  }
  return true;
}

}  // namespace ycsb
