// Pseudo-random numbers: xoshiro256++ (Blackman and Vigna 2021, "Scrambled Linear Pseudorandom
// Number Generators"), seeded through splitmix64 as its authors advise.

#pragma once

#include <array>
#include <cstdint>

namespace ycsb {

// One stream of numbers. About 1 ns a number. Not thread-safe: give each thread its own stream.
class Random {
 public:
  // Equal (seed, stream) give equal numbers; different streams of a seed are independent.
  explicit Random(uint64_t seed, uint64_t stream = 0) {
    uint64_t state = seed ^ (Mix(stream + 1) * 3);
    for (uint64_t& word : state_) {
      state += kGolden;
      word = Mix(state);
    }
  }

  // 64 random bits.
  uint64_t Next() {
    const uint64_t result = Rotate(state_[0] + state_[3], 23) + state_[0];
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  // Uniform in [0, bound), without bias (Lemire 2019). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound) {
    Wide product = static_cast<Wide>(Next()) * bound;
    if (static_cast<uint64_t>(product) < bound) {
      const uint64_t threshold = (0 - bound) % bound;
      while (static_cast<uint64_t>(product) < threshold) {
        product = static_cast<Wide>(Next()) * bound;
      }
    }
    return static_cast<uint64_t>(product >> 64);
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  static constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;

  static uint64_t Rotate(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
  }

  static uint64_t Mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
  }

  std::array<uint64_t, 4> state_{};
};

}  // namespace ycsb
