#include "base/process.h"

#include <link.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

namespace ycsb {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// VmHWM belongs to the memory that exec made. ru_maxrss does not: it begins with the peak of the
// program that called exec.
std::optional<uint64_t> ReadMemoryPeak() {
  std::ifstream status("/proc/self/status");
  std::string word;
  uint64_t kib = 0;
  while (status >> word) {
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return std::nullopt;
}

struct Search {
  std::string part;
  std::string path;
};

int CompareName(dl_phdr_info* info, size_t /*size*/, void* data) {
  auto* search = static_cast<Search*>(data);
  const std::string path = info->dlpi_name;
  if (path.find(search->part) == std::string::npos) return 0;
  search->path = path;
  return 1;
}

}  // namespace

ProcessFacts ReadProcessFacts() {
  ProcessFacts facts;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  facts.cpu_s = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  facts.memory_peak_bytes = ReadMemoryPeak();
  std::ifstream io("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (io >> name >> value) {
    if (name == "read_bytes:") facts.io_read_bytes = value;
    if (name == "write_bytes:") facts.io_written_bytes = value;
  }
  return facts;
}

std::optional<bool> LibraryAsserts(const char* name) {
  Search search{name, {}};
  if (dl_iterate_phdr(CompareName, &search) == 0) return std::nullopt;
  std::ifstream file(search.path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  std::string bytes(static_cast<size_t>(file.tellg()), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return std::nullopt;
  return bytes.find("__assert_fail") != std::string::npos;
}

}  // namespace ycsb
