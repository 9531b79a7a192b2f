// The lines of LevelDB's LOG as events, waits and errors.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "engine/event.h"

namespace ycsb {

// Sums of what the lines said.
struct LeveldbLogSums {
  uint64_t memtable_waits = 0;  // "Current memtable full; waiting..."
  uint64_t level0_waits = 0;    // "Too many L0 files; waiting..."
  uint64_t wait_us = 0;         // spent in those waits that have ended
  std::string error;            // why background work ended for good; empty: it did not
};

// Reads lines of LevelDB 1.23 (and of its forks that print the same); others are passed over.
// Thread-safe.
class LeveldbLog {
 public:
  // `events` may be null: then only sums are kept.
  explicit LeveldbLog(EventSink* events) : events_(events) {}

  // `line` without time and thread in front of it; `now_ns` is when it was written.
  void Read(const std::string& line, int64_t now_ns);

  // What the writer waited for has come. LevelDB says when a wait begins and not when it ends; but
  // only one writer waits at a time, and the first thing that it does afterwards is to wait again,
  // to begin a new WAL, or to sleep for a slowdown: who sees one of the latter two calls this.
  void EndWait(int64_t now_ns);

  // From now on waits count or not: those of a flush that is waited for on purpose should not.
  void CountWaits(bool count);

  // Whether the table file `number`, which is just begun, will hold a memtable. LevelDB says so
  // before it begins one.
  bool IsFlush(uint64_t number) const;

  LeveldbLogSums Sums() const;

 private:
  bool ReadFlush(const std::string& line, int64_t now_ns);
  bool ReadCompaction(const std::string& line, int64_t now_ns);
  bool ReadMove(const std::string& line);
  bool ReadWait(const std::string& line, int64_t now_ns);
  void PutError(const std::string& message);
  void Put(Event event);

  EventSink* events_;
  mutable std::mutex mutex_;
  LeveldbLogSums sums_;         // guarded by mutex_, like the moments below
  int64_t flush_start_ns_ = 0;  // LevelDB does one flush and one compaction at a time
  int64_t compaction_start_ns_ = 0;
  std::optional<uint64_t> flush_number_;  // of the table that the last flush made or makes
  bool count_waits_ = true;
  std::optional<int64_t> wait_start_ns_;
};

}  // namespace ycsb
