// Drawing numbers from the distributions of YCSB.

#pragma once

#include <cstdint>

#include "base/random.h"

namespace ycsb {

// A distribution over whole numbers. One object a thread: Next() may change it.
class NumberGenerator {
 public:
  virtual ~NumberGenerator() = default;

  // Draws a number, with randomness from `random` alone. No allocation.
  virtual uint64_t Next(Random& random) = 0;
};

}  // namespace ycsb
