// What only RocksDB has.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "driver_fixture.h"
#include "file_size_limit.h"
#include "message.h"
#include "opened.h"
#include "run/settle.h"
#include "workload/values.h"

namespace ycsb {
namespace {

// Values that no compressor makes smaller.
void Fill(Engine* engine, int rounds) {
  const auto session = engine->NewSession();
  const ValueFiller filler(1.0, 1000);
  Random random(1);
  for (int i = 0; i < rounds * 300; ++i) {
    std::string value;
    filler.Append(1000, random, &value);
    session->Write("user" + std::to_string(i % 300), value);
  }
}

TEST(Rocksdb, sets_options_of_database_column_family_and_table_by_name) {
  Opener opener("rocksdb");
  opener.request.options = {{"max_background_jobs", "3"},
                            {"level0_slowdown_writes_trigger", "31"},
                            {"compression", "kLZ4Compression"},
                            {"filter_policy", "bloomfilter:7:false"},
                            {"block_size", "16K"},
                            {"compaction_options_universal", "{size_ratio=3;}"}};
  const auto options = opener.Effective();
  EXPECT_EQ(options.at("max_background_jobs"), "3");
  EXPECT_EQ(options.at("level0_slowdown_writes_trigger"), "31");
  EXPECT_EQ(options.at("compression"), "kLZ4Compression");
  EXPECT_EQ(options.at("block_size"), "16384");
  // A second option of the table leaves the first one in place.
  EXPECT_NE(options.at("filter_policy").find("bloomfilter:7"), std::string::npos);
  EXPECT_NE(options.at("compaction_options_universal").find("size_ratio=3"), std::string::npos);
}

TEST(Rocksdb, understands_the_properties_of_ycsb_cpp_where_zero_means_the_default) {
  Opener opener("rocksdb");
  opener.request.properties = {
      {"compression", "no"},          {"write_buffer_size", "1048576"},
      {"max_background_jobs", "0"},   {"compaction_pri", "1"},
      {"bloom_bits", "12"},           {"use_direct_io_for_flush_compaction", "false"},
      {"compressed_cache_size", "0"}, {"env_uri", ""}};
  const auto options = opener.Effective();
  EXPECT_EQ(options.at("compression"), "kNoCompression");
  EXPECT_EQ(options.at("write_buffer_size"), "1048576");
  EXPECT_EQ(options.at("max_background_jobs"), "2");
  EXPECT_EQ(options.at("compaction_pri"), "kOldestLargestSeqFirst");
  EXPECT_NE(options.at("filter_policy").find("bloomfilter:12"), std::string::npos);
}

TEST(Rocksdb, takes_any_option_as_a_property_too) {
  Opener opener("rocksdb");
  opener.request.properties = {{"periodic_compaction_seconds", "77"}};
  EXPECT_EQ(opener.Effective().at("periodic_compaction_seconds"), "77");
}

TEST(Rocksdb, reads_an_options_file_and_then_single_options) {
  Opener writer("rocksdb");
  writer.request.options = {{"level0_stop_writes_trigger", "55"}, {"block_size", "8192"}};
  writer.Open();
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(writer.request.path)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("OPTIONS-", 0) == 0) file = std::max(file, entry.path().string());
  }
  Opener reader("rocksdb");
  reader.request.options_file = file;
  reader.request.options = {{"block_size", "32768"}};
  reader.request.properties = {{"write_buffer_size", "1048576"}};  // does not count beside a file
  const auto options = reader.Effective();
  EXPECT_EQ(options.at("level0_stop_writes_trigger"), "55");
  EXPECT_EQ(options.at("block_size"), "32768");
  EXPECT_EQ(options.at("write_buffer_size"), "67108864");
}

TEST(Rocksdb, rejects_options_files_that_it_cannot_use) {
  Opener opener("rocksdb");
  opener.request.options_file = "/nonexistent/OPTIONS";
  EXPECT_NE(MessageOf<UsageError>([&] { opener.Open(); }).find("/nonexistent/OPTIONS"),
            std::string::npos);
  const std::string file = (opener.folder.path() / "OPTIONS").string();
  std::ofstream(file) << "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
                         "[DBOptions]\n  no_such_option=1\n[CFOptions \"default\"]\n";
  opener.request.options_file = file;
  EXPECT_THROW(opener.Open(), UsageError);
}

TEST(Rocksdb, rejects_what_is_not_built_in) {
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"mergeupdate", "true"}, {"fs_uri", "posix://"}, {"increase_parallelism", "perhaps"}}) {
    Opener opener("rocksdb");
    opener.request.properties = {{name, value}};
    EXPECT_THROW(opener.Open(), UsageError) << name;
  }
}

TEST(Rocksdb, says_what_it_refuses_when_it_opens) {
  Opener opener("rocksdb");
  opener.request.options = {{"allow_mmap_reads", "true"}, {"use_direct_reads", "true"}};
  const std::string message = MessageOf<Failure>([&] { opener.Open(); });
  EXPECT_NE(message.find("mmap"), std::string::npos) << message;
}

TEST(Rocksdb, sums_of_files_agree_with_its_tickers) {
  Opener opener("rocksdb");
  opener.request.options = {{"write_buffer_size", "65536"}};
  const auto engine = opener.Open();
  Fill(engine.get(), 20);
  engine->StartFlush();
  while (engine->Observe().tree.running_compactions + engine->Observe().tree.running_flushes > 0 ||
         engine->Observe().tree.flush_pending || engine->Observe().tree.compaction_pending) {
  }
  const Counters counters = engine->Observe().counters;
  const auto near = [&](uint64_t bytes, const char* ticker) {
    const auto counted = static_cast<double>(counters.tickers.at(ticker));
    EXPECT_NEAR(static_cast<double>(bytes) / counted, 1.0, 0.02) << ticker;  // plus the MANIFEST
  };
  near(counters.flush_bytes, "rocksdb.flush.write.bytes");
  near(counters.compaction_bytes, "rocksdb.compact.write.bytes");
}

TEST(Rocksdb, tells_blobs_with_what_a_compaction_wrote) {
  Opener opener("rocksdb");
  opener.request.options = {{"write_buffer_size", "65536"},
                            {"enable_blob_files", "true"},
                            {"enable_blob_garbage_collection", "true"},
                            {"blob_garbage_collection_age_cutoff", "1.0"}};
  const auto engine = opener.Open();
  Fill(engine.get(), 20);
  Interrupt interrupt;
  ASSERT_EQ(Settle(engine.get(), &interrupt, {60.0, 5.0, 0.001}, [](const EngineState&) {}),
            Ending::kComplete);
  const auto counted = static_cast<double>(engine->Observe().counters.compaction_bytes);
  uint64_t told = 0;
  for (const Event& event : opener.events.Take()) {
    for (const auto& [name, value] : event.fields) {
      if (event.type == "compaction" && name == "output_bytes") told += std::get<uint64_t>(value);
    }
  }
  EXPECT_GT(counted, 100000.0);
  EXPECT_NEAR(static_cast<double>(told) / counted, 1.0, 0.01);
}

TEST(Rocksdb, without_statistics_knows_files_and_not_tickers) {
  Opener opener("rocksdb");
  opener.request.statistics = StatisticsLevel::kNone;
  opener.request.options = {{"write_buffer_size", "65536"}};
  const auto engine = opener.Open();
  Fill(engine.get(), 3);
  engine->StartFlush();
  while (engine->Observe().tree.flush_pending) {
  }
  const Counters counters = engine->Observe().counters;
  EXPECT_GT(counters.flush_bytes, 0u);
  EXPECT_EQ(counters.wal_bytes, std::nullopt);
  EXPECT_TRUE(counters.tickers.empty());
}

TEST(Rocksdb, writes_no_wal_where_it_is_turned_off) {
  Opener opener("rocksdb");
  opener.request.disable_wal = true;
  const auto engine = opener.Open();
  Fill(engine.get(), 1);
  EXPECT_EQ(engine->Observe().counters.wal_bytes, 0u);
}

TEST(Rocksdb, says_that_a_flush_failed) {
  Opener opener("rocksdb");
  opener.request.disable_wal = true;
  const auto engine = opener.Open();
  Fill(engine.get(), 1);
  EXPECT_TRUE(engine->Observe().tree.background_error.empty());
  const FileSizeLimit limit(100 * 1024);
  engine->StartFlush();
  Interrupt interrupt;
  const Ending ending =
      Settle(engine.get(), &interrupt, {60.0, 5.0, 0.001}, [](const EngineState&) {});
  EXPECT_EQ(ending, Ending::kFailed);
  EXPECT_FALSE(engine->Observe().tree.background_error.empty());
}

TEST(Rocksdb, counts_what_it_flushes_while_it_closes) {
  Opener opener("rocksdb");
  opener.request.disable_wal = true;
  const auto engine = opener.Open();
  Fill(engine.get(), 1);
  EXPECT_EQ(engine->Observe().counters.flush_bytes, 0u);
  EXPECT_GT(engine->Close().flush_bytes, 250000u);
}

TEST(Rocksdb, says_that_what_it_flushes_while_it_closes_failed) {
  Opener opener("rocksdb");
  opener.request.disable_wal = true;
  const auto engine = opener.Open();
  Fill(engine.get(), 1);
  const FileSizeLimit limit(100 * 1024);
  EXPECT_THROW(engine->Close(), Failure);
}

TEST(Rocksdb, reports_stalls_as_changes_of_condition) {
  Opener opener("rocksdb");
  opener.request.options = {{"write_buffer_size", "65536"},
                            {"level0_file_num_compaction_trigger", "2"},
                            {"level0_slowdown_writes_trigger", "2"},
                            {"level0_stop_writes_trigger", "3"}};
  const auto engine = opener.Open();
  Fill(engine.get(), 20);
  bool stalled = false;
  for (const Event& event : opener.events.Take()) stalled = stalled || event.type == "stall";
  EXPECT_TRUE(stalled);
  EXPECT_GT(engine->Observe().counters.stall_us.value(), 0u);
}

TEST(Rocksdb, reads_with_an_empty_cache_after_it_was_opened_again) {
  const auto misses = [](const std::string& reopen) {
    const TemporaryFolder folder;
    const std::string c = Workload("c");
    const Lines lines = RunDriver({"--engine", "rocksdb", "--db", (folder.path() / "db").string(),
                                   "--phases", "load,settle,run:1@" + c + ",run:2@" + c, "-p",
                                   "recordcount=3000", "-p", "operationcount=4000", "-p",
                                   "rocksdb.cache_size=67108864", "-p", "lsmtune.reopen=" + reopen});
    return lines.Of("phase_end").at(3).at("counters").at("cache_misses").get<uint64_t>();
  };
  EXPECT_GT(misses("true"), 2 * misses("false") + 100);
}

}  // namespace
}  // namespace ycsb
