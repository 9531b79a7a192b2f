#include "results/amplification.h"

namespace ycsb {
namespace {

using Amount = std::optional<uint64_t>;

Amount Minus(Amount after, Amount before) {
  if (!after || !before) return std::nullopt;
  return *after - *before;
}

Amount Plus(Amount one, Amount other) {
  if (!one || !other) return std::nullopt;
  return *one + *other;
}

}  // namespace

Counters Difference(const Counters& after, const Counters& before) {
  Counters difference;
  difference.flush_bytes = after.flush_bytes - before.flush_bytes;
  difference.compaction_bytes = after.compaction_bytes - before.compaction_bytes;
  difference.compaction_read_bytes =
      Minus(after.compaction_read_bytes, before.compaction_read_bytes);
  difference.wal_bytes = Minus(after.wal_bytes, before.wal_bytes);
  difference.stall_us = Minus(after.stall_us, before.stall_us);
  difference.table_reads = Minus(after.table_reads, before.table_reads);
  difference.cache_hits = Minus(after.cache_hits, before.cache_hits);
  difference.cache_misses = Minus(after.cache_misses, before.cache_misses);
  for (const auto& [name, value] : after.tickers) {
    const auto earlier = before.tickers.find(name);
    difference.tickers[name] = value - (earlier == before.tickers.end() ? 0 : earlier->second);
  }
  return difference;
}

Counters Sum(const Counters& one, const Counters& other) {
  Counters sum = one;
  sum.flush_bytes += other.flush_bytes;
  sum.compaction_bytes += other.compaction_bytes;
  sum.compaction_read_bytes = Plus(one.compaction_read_bytes, other.compaction_read_bytes);
  sum.wal_bytes = Plus(one.wal_bytes, other.wal_bytes);
  sum.stall_us = Plus(one.stall_us, other.stall_us);
  sum.table_reads = Plus(one.table_reads, other.table_reads);
  sum.cache_hits = Plus(one.cache_hits, other.cache_hits);
  sum.cache_misses = Plus(one.cache_misses, other.cache_misses);
  for (const auto& [name, value] : other.tickers) sum.tickers[name] += value;
  return sum;
}

std::optional<double> Ratio(std::optional<uint64_t> part, std::optional<uint64_t> whole) {
  if (!part || !whole || *whole == 0) return std::nullopt;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

std::optional<double> WriteAmplification(const Counters& counters, uint64_t user_bytes,
                                         bool with_wal) {
  uint64_t written = counters.flush_bytes + counters.compaction_bytes;
  if (with_wal) {
    if (!counters.wal_bytes) return std::nullopt;
    written += *counters.wal_bytes;
  }
  return Ratio(written, user_bytes);
}

std::optional<double> CacheHitRatio(const Counters& counters) {
  if (!counters.cache_hits || !counters.cache_misses) return std::nullopt;
  return Ratio(counters.cache_hits, *counters.cache_hits + *counters.cache_misses);
}

}  // namespace ycsb
