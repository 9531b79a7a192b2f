// The hash of YCSB, which decides the keys' names and where popular records lie.

#pragma once

#include <cstdint>

namespace ycsb {

// FNV-1a over the 8 bytes of `value`, lowest first, then the absolute value as a signed number:
// what the original YCSB (in Java) does, so its keys are these keys. YCSB-cpp leaves the last step
// out.
inline uint64_t FnvHash64(uint64_t value) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (int i = 0; i < 8; ++i) {
    hash ^= value & 0xFF;
    hash *= 1099511628211u;
    value >>= 8;
  }
  const bool negative = (hash >> 63) != 0;
  return negative ? 0 - hash : hash;
}

}  // namespace ycsb
