#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "leveldb/leveldb_log.h"
#include "leveldb/leveldb_tree.h"

namespace ycsb {
namespace {

// Lines of a LOG of LevelDB 1.23.
TEST(LeveldbLog, tells_flushes_compactions_and_moves_as_events) {
  EventSink events;
  LeveldbLog log(&events);
  log.Read("Level-0 table #5: started", 1000000000);
  log.Read("Level-0 table #5: 4034091 bytes OK", 1250000000);
  log.Read("Delete type=0 #3", 0);
  log.Read("Moved #5 to level-1 2042435 bytes OK: files[ 3 1 0 0 0 0 0 ]", 0);
  log.Read("Compacting 4@0 + 1@1 files", 2000000000);
  log.Read("Generated table #12@0: 1897 keys, 2110455 bytes", 0);
  log.Read("Compacted 4@0 + 1@1 files => 9876543 bytes", 2500000000);
  log.Read("compacted to: files[ 0 5 0 0 0 0 0 ]", 0);

  const std::vector<Event> seen = events.Take();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].type, "flush");
  EXPECT_EQ(std::get<uint64_t>(seen[0].fields[1].second), 4034091u);
  EXPECT_DOUBLE_EQ(std::get<double>(seen[0].fields.back().second), 0.25);
  EXPECT_EQ(seen[1].type, "compaction");
  EXPECT_EQ(seen[2].type, "compaction");
  EXPECT_EQ(std::get<uint64_t>(seen[2].fields[3].second), 9876543u);
  EXPECT_DOUBLE_EQ(std::get<double>(seen[2].fields.back().second), 0.5);
}

TEST(LeveldbLog, knows_which_table_is_a_flush) {
  LeveldbLog log(nullptr);
  EXPECT_FALSE(log.IsFlush(0));
  log.Read("Compacting 4@0 + 1@1 files", 0);
  log.Read("Level-0 table #17: started", 0);
  EXPECT_TRUE(log.IsFlush(17));
  EXPECT_FALSE(log.IsFlush(16));
  log.Read("Level-0 table #17: 10 bytes OK", 0);
  EXPECT_FALSE(log.IsFlush(18));  // the compaction goes on
}

TEST(LeveldbLog, does_not_count_waits_that_are_meant) {
  EventSink events;
  LeveldbLog log(&events);
  log.CountWaits(false);
  log.Read("Current memtable full; waiting...", 1000000);
  log.EndWait(9000000);
  log.CountWaits(true);
  EXPECT_EQ(log.Sums().memtable_waits, 0u);
  EXPECT_EQ(log.Sums().wait_us, 0u);
  EXPECT_TRUE(events.Take().empty());
}

TEST(LeveldbLog, counts_waits_by_their_cause_and_reports_errors) {
  EventSink events;
  LeveldbLog log(&events);
  log.Read("Current memtable full; waiting...", 0);
  log.Read("Too many L0 files; waiting...", 0);
  log.Read("Too many L0 files; waiting...", 0);
  log.Read("Compaction error: IO error: /x/000012.ldb: No space left on device", 0);
  EXPECT_EQ(log.Sums().memtable_waits, 1u);
  EXPECT_EQ(log.Sums().level0_waits, 2u);
  const std::vector<Event> seen = events.Take();
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[3].type, "background_error");
}

TEST(LeveldbLog, reports_a_manifest_that_cannot_be_written) {
  EventSink events;
  LeveldbLog log(&events);
  log.Read("Level-0 table #5: 1000 bytes OK", 0);
  EXPECT_TRUE(log.Sums().error.empty());
  log.Read("MANIFEST write: IO error: /x/MANIFEST-000004: No space left on device", 0);
  EXPECT_FALSE(log.Sums().error.empty());
  EXPECT_EQ(events.Take().back().type, "background_error");
}

TEST(LeveldbLog, measures_a_wait_from_its_first_line_until_the_writer_goes_on) {
  EventSink events;
  LeveldbLog log(&events);
  log.EndWait(5000000);  // nobody waits
  EXPECT_EQ(log.Sums().wait_us, 0u);
  log.Read("Current memtable full; waiting...", 10000000);
  log.Read("Too many L0 files; waiting...", 30000000);
  EXPECT_EQ(log.Sums().wait_us, 0u);
  log.EndWait(60000000);
  log.EndWait(70000000);
  EXPECT_EQ(log.Sums().wait_us, 50000u);
  log.Read("Current memtable full; waiting...", 100000000);
  log.EndWait(101000000);
  EXPECT_EQ(log.Sums().wait_us, 51000u);
  const std::vector<Event> seen = events.Take();
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(std::get<std::string>(seen[2].fields[0].second), "normal");
  EXPECT_DOUBLE_EQ(std::get<double>(seen[2].fields[1].second), 0.05);
}

TEST(LeveldbLog, takes_a_flush_that_failed_for_an_error_and_not_for_bytes) {
  EventSink events;
  LeveldbLog log(&events);
  log.Read("Level-0 table #7: 0 bytes OK", 0);
  EXPECT_TRUE(log.Sums().error.empty());
  log.Read("Level-0 table #9: 4034091 bytes IO error: /x/000009.ldb: No space left on device", 0);
  EXPECT_NE(log.Sums().error.find("No space left"), std::string::npos);
  const std::vector<Event> seen = events.Take();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].type, "background_error");
}

TEST(LeveldbLog, can_be_read_and_written_by_several_threads) {
  EventSink events;
  LeveldbLog log(&events);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&log] {
      for (int i = 0; i < 1000; ++i) log.Read("Level-0 table #5: 10 bytes OK", 0);
    });
  }
  size_t taken = 0;
  while (taken < 3000) taken += events.Take().size();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken + events.Take().size(), 3000u);
}

TEST(LeveldbLog, passes_over_lines_that_it_does_not_know) {
  EventSink events;
  LeveldbLog log(&events);
  for (const char* line : {"", "Level-0 table #", "Compacted", "Moved #x to", "\xff\xfe", "%s%n"}) {
    log.Read(line, 0);
  }
  EXPECT_TRUE(events.Take().empty());
}

TEST(LeveldbTree, reads_files_and_bytes_of_each_level) {
  const std::vector<Level> levels = ParseLeveldbTree(
      "--- level 0 ---\n"
      " 17:123['user1' @ 9 : 1 .. 'user2' @ 4 : 1]\n"
      " 18:77['user3' @ 9 : 1 .. 'user4' @ 4 : 1]\n"
      "--- level 1 ---\n"
      "--- level 2 ---\n"
      " 9:1000['a' @ 1 : 1 .. 'b' @ 1 : 1]\n");
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].files, 2u);
  EXPECT_EQ(levels[0].bytes, 200u);
  EXPECT_EQ(levels[1].files, 0u);
  EXPECT_EQ(levels[2].bytes, 1000u);
}

TEST(LeveldbTree, owes_what_is_above_the_limits_of_its_levels) {
  constexpr uint64_t kMib = 1048576;
  EXPECT_EQ(LeveldbPendingBytes({{3, 30}, {5, 10 * kMib}, {0, 0}}), 0u);
  EXPECT_EQ(LeveldbPendingBytes({{4, 40}, {5, 10 * kMib}, {0, 0}}), 40u);
  EXPECT_EQ(LeveldbPendingBytes({{0, 0}, {9, 12 * kMib}, {99, 101 * kMib}, {0, 0}}), 3 * kMib);
  EXPECT_EQ(LeveldbPendingBytes({}), 0u);
}

}  // namespace
}  // namespace ycsb
