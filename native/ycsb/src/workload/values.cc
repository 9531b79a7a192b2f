#include "workload/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ycsb {
namespace {

constexpr size_t kFragment = 100;

// YCSB keeps 31, 63 or 95 of each byte, in turn, and adds a blank: three words repeat the pattern.
constexpr uint64_t MaskWord(int phase) {
  constexpr std::array<uint64_t, 3> kMasks = {31, 63, 95};
  uint64_t word = 0;
  for (int byte = 0; byte < 8; ++byte) {
    word |= kMasks[static_cast<size_t>((phase + byte) % 3)] << (8 * byte);
  }
  return word;
}

constexpr std::array<uint64_t, 3> kMaskWords = {MaskWord(0), MaskWord(8), MaskWord(16)};
constexpr uint64_t kBlanks = 0x2020202020202020u;

// Fills `length` bytes with the words that `draw` returns.
template <typename Draw>
void FillWords(char* out, size_t length, const Draw& draw) {
  size_t at = 0;
  for (; at + 8 <= length; at += 8) {
    const uint64_t word = draw();
    std::memcpy(out + at, &word, 8);
  }
  if (at == length) return;
  const uint64_t word = draw();
  std::memcpy(out + at, &word, length - at);
}

void FillPrintable(char* out, size_t length, Random& random) {
  size_t turn = 0;
  FillWords(out, length, [&] {
    const uint64_t word = (random.Next() & kMaskWords[turn]) + kBlanks;
    turn = turn == 2 ? 0 : turn + 1;
    return word;
  });
}

void FillBytes(char* out, size_t length, Random& random) {
  FillWords(out, length, [&] { return random.Next(); });
}

}  // namespace

ValueFiller::ValueFiller(std::optional<double> compressibility, size_t value_length) {
  if (!compressibility) return;
  fragment_ = std::clamp<size_t>(value_length, 1, kFragment);
  const double fresh = std::round(*compressibility * static_cast<double>(fragment_));
  fresh_ = std::clamp<size_t>(static_cast<size_t>(fresh), 1, fragment_);
}

void ValueFiller::Append(size_t length, Random& random, std::string* target) const {
  const size_t start = target->size();
  target->resize(start + length);
  char* const out = target->data() + start;
  if (fragment_ == 0) return FillPrintable(out, length, random);
  for (size_t at = 0; at < length; at += fragment_) {
    const size_t whole = std::min(fragment_, length - at);
    const size_t fresh = std::min(fresh_, whole);
    FillBytes(out + at, fresh, random);
    for (size_t i = fresh; i < whole; ++i) out[at + i] = out[at + i - fresh];
  }
}

}  // namespace ycsb
