// The bytes of field values.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/random.h"

namespace ycsb {

// Fills values with fresh random bytes: about 0.2 ns a byte, so no pool of ready bytes, which
// compressors with large blocks would find out, is needed. Immutable.
class ValueFiller {
 public:
  // `compressibility`: absent for bytes as YCSB draws them (printable, 5.7 bits each: no matches
  // for a compressor, some 29 % left to entropy coders). A share r: fragments of 100 bytes (less
  // where `value_length` is), of which the first r are random bytes and the rest repeats them, as
  // in RocksDB's db_bench: compressors that find matches come close to r.
  ValueFiller(std::optional<double> compressibility, size_t value_length);

  // Appends `length` bytes to `target`.
  void Append(size_t length, Random& random, std::string* target) const;

 private:
  size_t fragment_ = 0;  // 0: as YCSB
  size_t fresh_ = 0;
};

}  // namespace ycsb
