#include "workload/length_histogram.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/error.h"
#include "base/folder.h"
#include "chi_squared.h"
#include "message.h"

namespace ycsb {
namespace {

LengthHistogram Read(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "hist.txt").string();
  std::ofstream(path) << text;
  return LengthHistogram(path);
}

// Worked out by hand from YCSB's HistogramGenerator.nextValue(): a draw of 0 to 99 less 30 is not
// above 0 for 31 numbers, less 80 for 50 more; all others get the last bucket, which has the length
// of the one before.
TEST(LengthHistogram, draws_what_ycsb_draws) {
  const LengthHistogram histogram = Read("BlockSize\t10\n0\t30\n1\t50\n2\t15\n3\t5\n");
  ASSERT_EQ(histogram.total(), 100u);
  std::map<uint64_t, int> draws;
  for (uint64_t number = 0; number < 100; ++number) ++draws[histogram.LengthOf(number)];
  EXPECT_EQ(draws, (std::map<uint64_t, int>{{10, 31}, {20, 50}, {30, 19}}));
  EXPECT_EQ(histogram.shortest(), 10u);
  EXPECT_EQ(histogram.longest(), 30u);
}

TEST(LengthHistogram, is_drawn_from_in_its_proportions) {
  HistogramGenerator generator(
      std::make_shared<LengthHistogram>(Read("BlockSize\t1\r\n0\t300\r\n1\t500\n2\t200\n")));
  Random random(5);
  std::vector<uint64_t> counts(2);
  for (int i = 0; i < 100000; ++i) ++counts.at(static_cast<size_t>(generator.Next(random) - 1));
  EXPECT_LT(ChiSquared(counts, {0.301, 0.699}), ChiSquaredLimit(2));
}

TEST(LengthHistogram, rejects_what_ycsb_cannot_read_with_its_place) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", ":1"},
      {"0\t5\n1\t5\n", ":1"},
      {"BlockSize\t0\n0\t5\n1\t5\n", ":1"},
      {"BlockSize\t10\n0\t5\n2\t5\n", ":3"},
      {"BlockSize\t10\n0\t5\n1\n", ":3"},
      {"BlockSize\t10\n0\t-5\n1\t5\n", ":2"},
      {"BlockSize\t10\n0\t99999999999999999999\n", ":2"},
      {"BlockSize\t10\n0\t5\n", "two buckets"},
      {"BlockSize\t10\n0\t0\n1\t0\n", "not all of them empty"}};
  for (const auto& [text, part] : bad) {
    const std::string message = MessageOf<UsageError>([&, &text = text] { Read(text); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_THROW(LengthHistogram("/nonexistent/hist.txt"), UsageError);
}

}  // namespace
}  // namespace ycsb
