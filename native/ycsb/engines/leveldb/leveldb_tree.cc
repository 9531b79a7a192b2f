#include "leveldb_tree.h"

#include <cinttypes>
#include <cstdio>
#include <sstream>

namespace ycsb {

std::vector<Level> ParseLeveldbTree(const std::string& text) {
  std::vector<Level> levels;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    uint64_t number = 0;
    uint64_t bytes = 0;
    if (std::sscanf(line.c_str(), "--- level %" SCNu64 " ---", &number) == 1 && number < 64) {
      if (levels.size() <= number) levels.resize(static_cast<size_t>(number) + 1);
    } else if (!levels.empty() &&
               std::sscanf(line.c_str(), " %" SCNu64 ":%" SCNu64 "[", &number, &bytes) == 2) {
      ++levels.back().files;
      levels.back().bytes += bytes;
    }
  }
  return levels;
}

uint64_t LeveldbPendingBytes(const std::vector<Level>& levels) {
  constexpr uint64_t kLevel0Files = 4;
  constexpr uint64_t kLevel1Bytes = 10 * 1048576;
  uint64_t pending = 0;
  uint64_t limit = kLevel1Bytes;
  for (size_t n = 0; n < levels.size(); ++n) {
    if (n == 0) {
      if (levels[0].files >= kLevel0Files) pending += levels[0].bytes;
      continue;
    }
    // The last level has no limit.
    if (n + 1 < levels.size() && levels[n].bytes > limit) pending += levels[n].bytes - limit;
    limit *= 10;
  }
  return pending;
}

}  // namespace ycsb
