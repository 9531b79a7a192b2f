// What the system says about this process.

#pragma once

#include <cstdint>
#include <optional>

namespace ycsb {

struct ProcessFacts {
  double cpu_s = 0.0;                         // user and system time, all threads
  std::optional<uint64_t> memory_peak_bytes;  // most resident memory so far; absent where unreadable
  std::optional<uint64_t> io_read_bytes;      // reached the storage layer; absent where unreadable
  std::optional<uint64_t> io_written_bytes;   // the same for writes
};

// Reads /proc; about 50 us. Thread-safe.
ProcessFacts ReadProcessFacts();

// Whether the assertions of a shared library are compiled in: whether it can call __assert_fail.
// `name` is a part of its file name, such as "librocksdb". Absent where no such library is loaded
// (it is linked statically, or its file is gone). Reads the whole file once.
std::optional<bool> LibraryAsserts(const char* name);

}  // namespace ycsb
