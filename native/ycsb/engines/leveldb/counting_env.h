// LevelDB's environment with counters: LevelDB itself counts next to nothing.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "leveldb/env.h"

namespace ycsb {

// A counter that many threads raise often: each thread has a slot, its own up to 16 threads. Lies
// on the path of every read: a few ns.
class SpreadCounter {
 public:
  void Add() { slots_[SlotOfThread()].value.fetch_add(1, std::memory_order_relaxed); }

  uint64_t Sum() const {
    uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.value.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr size_t kSlots = 16;

  struct alignas(64) Slot {
    std::atomic<uint64_t> value{0};
  };

  static size_t SlotOfThread() {
    static std::atomic<size_t> next{0};
    thread_local const size_t slot = next.fetch_add(1, std::memory_order_relaxed) % kSlots;
    return slot;
  }

  std::array<Slot, kSlots> slots_;
};

// What is counted. Shared by the environment, its files and the jobs that it queued, whichever
// lives longest. Thread-safe.
struct EnvCounts {
  std::atomic<uint64_t> wal_bytes{0};
  std::atomic<uint64_t> flush_bytes{0};       // of tables, as they are written
  std::atomic<uint64_t> compaction_bytes{0};  // the same
  std::atomic<uint64_t> manifest_bytes{0};
  std::atomic<uint64_t> background_read_bytes{0};  // of tables, by flushes and compactions
  std::atomic<uint64_t> slowdown_us{0};            // sleeps of writers because of level-0 files
  std::atomic<uint64_t> jobs{0};                   // background jobs that are queued or running
  std::atomic<std::thread::id> background{};       // the thread that does them
  SpreadCounter table_reads;                       // by all other threads

  bool InBackground() const {
    return std::this_thread::get_id() == background.load(std::memory_order_relaxed);
  }
};

// Forwards everything to the default environment. Costs an atomic addition for each WAL record and
// each read of a table.
class CountingEnv final : public leveldb::EnvWrapper {
 public:
  struct Hooks {
    // Called in the writing thread when LevelDB lets it begin a new WAL or slows it down: whatever
    // it waited for before is over then.
    std::function<void()> writer_wakes;
    // Whether the table file of this number, which is about to be made, is a flush's.
    std::function<bool(uint64_t)> is_flush;
  };

  explicit CountingEnv(Hooks hooks);

  const EnvCounts& counts() const { return *counts_; }
  std::shared_ptr<const EnvCounts> shared_counts() const { return counts_; }

  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override;
  leveldb::Status NewAppendableFile(const std::string& name, leveldb::WritableFile** file) override;
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** file) override;
  void Schedule(void (*function)(void*), void* argument) override;
  void SleepForMicroseconds(int micros) override;

 private:
  std::atomic<uint64_t>* CounterFor(const std::string& name) const;
  void Wrap(const std::string& name, leveldb::WritableFile** file) const;

  Hooks hooks_;
  std::shared_ptr<EnvCounts> counts_;
};

}  // namespace ycsb
