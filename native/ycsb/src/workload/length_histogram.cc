#include "workload/length_histogram.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "workload/properties.h"

namespace ycsb {
namespace {

// No file of lengths of fields is beyond it, and sums stay below 2^64.
constexpr uint64_t kLargest = uint64_t{1} << 30;

[[noreturn]] void Reject(const std::string& place, const std::string& wanted) {
  throw UsageError("the histogram of field lengths " + place +
                   " is not as YCSB writes it: " + wanted);
}

std::optional<uint64_t> ReadNumber(std::istringstream* words) {
  std::string word;
  *words >> word;
  const auto number = ParseCount(word);
  if (number && *number > kLargest) return std::nullopt;
  return number;
}

}  // namespace

LengthHistogram::LengthHistogram(const std::string& file) {
  std::ifstream input(file);
  if (!input) {
    throw UsageError("the histogram of field lengths " + file +
                     " cannot be read; check property \"fieldlengthhistogram\"");
  }
  std::string line;
  std::getline(input, line);
  std::istringstream first(line);
  std::string name;
  first >> name;
  block_size_ = ReadNumber(&first).value_or(0);
  if (name != "BlockSize" || block_size_ == 0) {
    Reject(file + ":1", "write BlockSize and a number of bytes in the first line");
  }
  for (uint64_t bucket = 0; std::getline(input, line); ++bucket) {
    std::istringstream words(line);
    const auto number = ReadNumber(&words);
    const auto count = ReadNumber(&words);
    if (number != bucket || !count) {
      Reject(file + ":" + std::to_string(bucket + 2),
             "write " + std::to_string(bucket) + " and a count, the buckets in order");
    }
    total_ += *count;
    cumulative_.push_back(total_);
  }
  if (cumulative_.size() < 2 || total_ == 0) {
    Reject(file, "write two buckets or more, not all of them empty");
  }
  cumulative_.pop_back();
}

uint64_t LengthHistogram::LengthOf(uint64_t number) const {
  const auto bucket = std::lower_bound(cumulative_.begin(), cumulative_.end(), number);
  const auto index = static_cast<uint64_t>(bucket - cumulative_.begin());
  return block_size_ * std::min<uint64_t>(index + 1, cumulative_.size());
}

}  // namespace ycsb
