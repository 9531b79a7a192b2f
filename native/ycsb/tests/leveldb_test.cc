// What only LevelDB has.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "base/clock.h"
#include "base/error.h"
#include "message.h"
#include "opened.h"

namespace ycsb {
namespace {

TEST(Leveldb, takes_every_option_by_name_with_units) {
  Opener opener("leveldb");
  opener.request.options = {{"write_buffer_size", "8M"},
                            {"max_file_size", "4m"},
                            {"max_open_files", "500"},
                            {"block_size", "2K"},
                            {"block_restart_interval", "32"},
                            {"cache_size", "1G"},
                            {"filter_bits", "12"},
                            {"compression", "no"},
                            {"reuse_logs", "true"},
                            {"paranoid_checks", "true"},
                            {"verify_checksums", "true"},
                            {"fill_cache", "false"}};
  const std::map<std::string, std::string> expected = {{"write_buffer_size", "8388608"},
                                                       {"max_file_size", "4194304"},
                                                       {"max_open_files", "500"},
                                                       {"block_size", "2048"},
                                                       {"block_restart_interval", "32"},
                                                       {"cache_size", "1073741824"},
                                                       {"filter_bits", "12"},
                                                       {"compression", "no"},
                                                       {"reuse_logs", "true"},
                                                       {"paranoid_checks", "true"},
                                                       {"verify_checksums", "true"},
                                                       {"fill_cache", "false"}};
  EXPECT_EQ(opener.Effective(), expected);
}

TEST(Leveldb, reports_values_as_leveldb_clips_them) {
  Opener opener("leveldb");
  opener.request.options = {{"write_buffer_size", "1"},
                            {"max_file_size", "1"},
                            {"max_open_files", "1"},
                            {"block_size", "100M"}};
  const auto options = opener.Effective();
  EXPECT_EQ(options.at("write_buffer_size"), "65536");
  EXPECT_EQ(options.at("max_file_size"), "1048576");
  EXPECT_EQ(options.at("max_open_files"), "74");
  EXPECT_EQ(options.at("block_size"), "4194304");
}

TEST(Leveldb, reads_zero_in_a_property_as_the_default_as_ycsb_cpp_does) {
  Opener opener("leveldb");
  opener.request.properties = {{"cache_size", "0"}, {"filter_bits", "0"}, {"block_size", "1024"}};
  const auto options = opener.Effective();
  EXPECT_EQ(options.at("cache_size"), "8388608");
  EXPECT_EQ(options.at("block_size"), "1024");
}

TEST(Leveldb, rejects_options_that_do_not_exist_and_values_that_cannot_be) {
  const std::vector<std::pair<std::string, std::string>> bad = {{"blocksize", "4096"},
                                                                {"block_size", "-1"},
                                                                {"block_size", "99999999999999G"},
                                                                {"compression", "zstd"},
                                                                {"reuse_logs", "maybe"}};
  for (const auto& [name, value] : bad) {
    Opener opener("leveldb");
    opener.request.options = {{name, value}};
    EXPECT_THROW(opener.Open(), UsageError) << name;
  }
  Opener file("leveldb");
  file.request.options_file = "/some/OPTIONS";
  EXPECT_THROW(file.Open(), UsageError);
  Opener wal("leveldb");
  wal.request.disable_wal = true;
  EXPECT_THROW(wal.Open(), UsageError);
}

TEST(Leveldb, keeps_its_log_and_the_one_before) {
  Opener opener("leveldb");
  opener.Open();
  opener.Open();
  EXPECT_TRUE(std::filesystem::exists(opener.request.path / "LOG"));
  EXPECT_TRUE(std::filesystem::exists(opener.request.path / "LOG.old"));
}

// Sums of what its LOG said about jobs.
std::pair<uint64_t, uint64_t> SumEvents(const std::vector<Event>& events) {
  uint64_t flushed = 0;
  uint64_t compacted = 0;
  for (const Event& event : events) {
    for (const auto& [name, value] : event.fields) {
      if (event.type == "flush" && name == "bytes") flushed += std::get<uint64_t>(value);
      if (event.type == "compaction" && name == "output_bytes") {
        compacted += std::get<uint64_t>(value);
      }
    }
  }
  return {flushed, compacted};
}

TEST(Leveldb, counts_the_bytes_that_its_log_says_as_they_are_written) {
  Opener opener("leveldb");
  opener.request.options = {{"write_buffer_size", "65536"}};
  const auto engine = opener.Open();
  const auto session = engine->NewSession();
  for (int i = 0; i < 20000; ++i) {
    session->Write("user" + std::to_string(i % 3000), std::string(500, static_cast<char>(i)));
  }
  engine->StartFlush();
  while (engine->Observe().tree.running_compactions > 0) {
  }
  const Counters counters = engine->Observe().counters;
  const auto [flushed, compacted] = SumEvents(opener.events.Take());
  EXPECT_GT(compacted, 0u);
  EXPECT_EQ(counters.flush_bytes, flushed);
  EXPECT_EQ(counters.compaction_bytes, compacted);
}

// Fills memtables far faster than they can be written out.
uint64_t FillFast(Engine* engine) {
  const auto session = engine->NewSession();
  const int64_t start_ns = NowNs();
  for (int i = 0; i < 20000; ++i) {
    session->Write("user" + std::to_string(i % 3000), std::string(1000, static_cast<char>(i)));
  }
  return static_cast<uint64_t>(NowNs() - start_ns) / 1000;
}

TEST(Leveldb, counts_the_time_that_writers_were_held_up) {
  Opener opener("leveldb");
  opener.request.options = {{"write_buffer_size", "65536"}};
  const auto engine = opener.Open();
  const uint64_t elapsed_us = FillFast(engine.get());
  const Counters counters = engine->Observe().counters;
  const uint64_t waits = counters.tickers.at("leveldb.wait.memtable.count") +
                         counters.tickers.at("leveldb.wait.level0.count");
  EXPECT_GT(waits, 0u);
  EXPECT_GT(counters.tickers.at("leveldb.wait.micros"), waits);  // a flush takes longer than 1 us
  EXPECT_EQ(counters.stall_us, counters.tickers.at("leveldb.wait.micros") +
                                   counters.tickers.at("leveldb.slowdown.micros"));
  EXPECT_LE(counters.stall_us.value(), elapsed_us);
}

TEST(Leveldb, does_not_write_into_tables_that_a_clone_shares_with_its_origin) {
  Opener opener("leveldb");
  // What a compaction leaves behind when the database is closed: tables with numbers that will be
  // given out again. The log is not flushed, so that opening the clone makes a table at once.
  opener.Open()->NewSession()->Write("user1", std::string(1000, 'x'));
  for (int number = 1; number < 60; ++number) {
    std::array<char, 20> name{};
    std::snprintf(name.data(), name.size(), "%06d.ldb", number);
    std::ofstream(opener.request.path / name.data()) << "left behind";
  }
  Opener clone("leveldb");
  CloneDatabase(opener.request.path, clone.request.path, clone.type.ImmutableFiles());
  const auto engine = clone.Open();
  std::string_view value;
  EXPECT_TRUE(engine->NewSession()->Read("user1", &value));
  EXPECT_GT(engine->Observe().counters.flush_bytes, 0u);
  for (const auto& entry : std::filesystem::directory_iterator(opener.request.path)) {
    if (entry.path().extension() != ".ldb") continue;
    EXPECT_EQ(entry.file_size(), std::string("left behind").size()) << entry.path();
  }
}

TEST(Leveldb, answers_blocks_from_its_cache_where_they_are_compressed) {
  Opener opener("leveldb");
  const auto engine = opener.Open();
  const auto session = engine->NewSession();
  for (int i = 0; i < 1000; ++i) session->Write("user" + std::to_string(i), std::string(1000, 'x'));
  engine->StartFlush();
  std::string_view value;
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(session->Read("user7", &value));
  EXPECT_GE(engine->Observe().counters.cache_hits.value(), 2u);
  EXPECT_EQ(engine->Observe().counters.cache_misses.value(), 1u);
}

}  // namespace
}  // namespace ycsb
