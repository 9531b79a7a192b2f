// Ratios of counters. Absent where a part is not known or the divisor is 0.

#pragma once

#include <cstdint>
#include <optional>

#include "engine/engine.h"

namespace ycsb {

// What `after` counted beyond `before`; the same database, `before` earlier.
Counters Difference(const Counters& after, const Counters& before);

// What both counted; of the same database, opened twice.
Counters Sum(const Counters& one, const Counters& other);

// part / whole.
std::optional<double> Ratio(std::optional<uint64_t> part, std::optional<uint64_t> whole);

// (flush + compaction bytes) / user key and value bytes; `with_wal` adds the log's bytes above.
std::optional<double> WriteAmplification(const Counters& counters, uint64_t user_bytes,
                                         bool with_wal);

// hits / (hits + misses).
std::optional<double> CacheHitRatio(const Counters& counters);

}  // namespace ycsb
