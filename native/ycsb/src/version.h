// The driver's version.

#pragma once

namespace ycsb {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace ycsb
