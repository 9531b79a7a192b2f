// Whole runs on every engine.

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "driver_fixture.h"

namespace ycsb {
namespace {

INSTANTIATE_TEST_SUITE_P(All, DriverTest, testing::ValuesIn(StoringEngineNames()),
                         [](const auto& test) { return test.param; });

TEST_P(DriverTest, says_hello_then_phases_then_the_summary) {
  const Lines lines = RunDriver(Base() + Words{"--phases", "load,settle,run:A@" + Workload("a")});
  ASSERT_FALSE(lines.all.empty());
  const auto& hello = lines.all.front();
  EXPECT_EQ(hello.at("type"), "hello");
  EXPECT_EQ(hello.at("format"), 1);
  EXPECT_EQ(hello.at("engine").at("name"), GetParam());
  EXPECT_FALSE(hello.at("engine").at("effective_options").empty());
  EXPECT_EQ(lines.all.back().at("type"), "summary");
  EXPECT_EQ(lines.all.back().at("interrupted"), false);
  const auto ends = lines.Of("phase_end");
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_EQ(ends[0].at("operations"), 3000);
  EXPECT_EQ(ends[1].at("ending"), "complete");
  EXPECT_EQ(ends[2].at("phase").at("label"), "A");
  EXPECT_EQ(hello.at("phases").at(2).at("file"), Workload("a"));
  EXPECT_TRUE(hello.at("phases").at(1).at("file").is_null());
  double last = 0.0;
  for (const auto& line : lines.Of("progress")) {
    EXPECT_GE(line.at("t_s").get<double>(), last);
    last = line.at("t_s").get<double>();
  }
  EXPECT_GT(lines.Of("flush").size(), 0u);
}

TEST_P(DriverTest, counts_operations_by_type_in_the_mix_of_the_workload) {
  const Lines lines =
      RunDriver(Base() + Words{"--phases", "load,run@" + Workload("f"), "-p", "threadcount=3"});
  const auto run = lines.Of("phase_end").at(1);
  const auto& outcomes = run.at("outcomes");
  const int reads = outcomes.at("read").at("operations");
  const int modified = outcomes.at("read_modify_write").at("operations");
  EXPECT_EQ(reads + modified, 4000);
  EXPECT_NEAR(reads, 2000, 160);  // 5 standard deviations
  EXPECT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes.at("read").at("not_found"), 0);
  EXPECT_EQ(outcomes.at("read_modify_write").at("corrupt"), 0);
  EXPECT_EQ(run.at("latency").at("read").at("count"), reads);
  EXPECT_TRUE(run.at("intended_latency").is_null());
}

TEST_P(DriverTest, reads_what_it_wrote_in_every_core_workload) {
  for (const std::string letter : {"a", "b", "c", "d", "e", "f"}) {
    const Words words = Base() + Words{"--destroy",
                                       "--phases",
                                       "load,run@" + Workload(letter),
                                       "-p",
                                       "dataintegrity=true",
                                       "-p",
                                       "threadcount=2",
                                       "-p",
                                       "operationcount=1000"};
    for (const auto& end : RunDriver(words).Of("phase_end")) {
      for (const auto& [type, outcome] : end.at("outcomes").items()) {
        EXPECT_EQ(outcome.at("corrupt"), 0) << letter << " " << type;
        EXPECT_EQ(outcome.at("not_found"), 0) << letter << " " << type;
      }
    }
  }
}

TEST_P(DriverTest, inserts_new_keys_that_later_phases_find) {
  const Lines lines = RunDriver(
      Base() + Words{"--phases", "load,run:D1@" + Workload("d") + ",run:D2@" + Workload("d")});
  const auto ends = lines.Of("phase_end");
  const uint64_t inserts = ends[1].at("outcomes").at("insert").at("operations").get<uint64_t>() +
                           ends[2].at("outcomes").at("insert").at("operations").get<uint64_t>();
  EXPECT_GT(inserts, 250u);
  EXPECT_EQ(ends[2].at("outcomes").at("read").at("not_found"), 0);
}

TEST_P(DriverTest, write_amplification_is_what_reached_the_tables_for_each_user_byte) {
  const Lines lines = RunDriver(Base() + Words{"--phases", "load,settle"});
  const auto summary = lines.Of("summary").at(0);
  const auto& counters = summary.at("counters");
  const double tables =
      counters.at("flush_bytes").get<double>() + counters.at("compaction_bytes").get<double>();
  const auto user = summary.at("user_written_bytes").get<double>();
  // 10 fields of 100 bytes, names of 6, two lengths of 4 each; keys of "user" and up to 19 digits.
  EXPECT_NEAR(user / 3000.0, 10 * 114 + 22.9, 0.5);
  EXPECT_NEAR(summary.at("amplification").at("waf").get<double>(), tables / user, 1e-9);
  EXPECT_GT(summary.at("amplification").at("waf").get<double>(), 0.5);
  EXPECT_GT(summary.at("amplification").at("waf_wal").get<double>(),
            summary.at("amplification").at("waf").get<double>() + 1.0);
  EXPECT_GT(summary.at("space").at("table_bytes").get<double>(), 0.5 * user);
}

TEST_P(DriverTest, closes_and_opens_the_database_before_each_working_phase_but_the_first) {
  const std::string a = Workload("a");
  const Lines lines = RunDriver(Base() + Words{"--phases", "load,settle,run:A@" + a + ",run:B@" + a,
                                               "-p", "lsmtune.reopen=true", "-p",
                                               "dataintegrity=true"});
  const auto ends = lines.Of("phase_end");
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_FALSE(ends[0].contains("reopen_s"));
  EXPECT_FALSE(ends[1].contains("reopen_s"));
  for (const size_t reopened : {2u, 3u}) {
    EXPECT_GT(ends[reopened].at("reopen_s").get<double>(), 0.0);
    const auto& reads = ends[reopened].at("outcomes").at("read");
    EXPECT_GT(reads.at("operations"), 1500);
    EXPECT_EQ(reads.at("not_found"), 0);  // what the log held is there again
    EXPECT_EQ(reads.at("corrupt"), 0);
  }
  EXPECT_EQ(lines.Of("hello").size(), 1u);
}

TEST_P(DriverTest, counts_over_all_openings_in_the_summary) {
  const Lines lines = RunDriver(Base() + Words{"--phases", "load,settle,run:A@" + Workload("a"),
                                               "-p", "lsmtune.reopen=true"});
  uint64_t flushed = 0;
  for (const auto& end : lines.Of("phase_end")) {
    flushed += end.at("counters").at("flush_bytes").get<uint64_t>();
  }
  const auto load = lines.Of("phase_end").at(0).at("counters").at("flush_bytes").get<uint64_t>();
  EXPECT_GT(load, 1000000u);
  EXPECT_GE(lines.Of("summary").at(0).at("counters").at("flush_bytes").get<uint64_t>(), flushed);
}

TEST_P(DriverTest, tells_of_what_is_flushed_while_it_reopens) {
  // One memtable takes the load: a flush that closing breaks off would write bytes and not be told.
  const Lines lines = RunDriver(Base() + Words{"--phases", "load,run@" + Workload("c"), "-p",
                                               "lsmtune.reopen=true", "-o",
                                               "write_buffer_size=67108864"});
  uint64_t told = 0;
  for (const auto& flush : lines.Of("flush")) told += flush.at("bytes").get<uint64_t>();
  EXPECT_GT(told, 1000000u);
  EXPECT_EQ(lines.Of("summary").at(0).at("counters").at("flush_bytes").get<uint64_t>(), told);
}

TEST_P(DriverTest, owes_nothing_after_it_has_settled) {
  const Lines lines = RunDriver(Base() + Words{"--phases", "load,settle"});
  const auto tree = lines.Of("phase_end").at(1).at("tree");
  EXPECT_EQ(tree.at("running_compactions"), 0);
  EXPECT_EQ(tree.at("running_flushes"), 0);
  EXPECT_EQ(tree.at("compaction_pending"), false);
  EXPECT_EQ(tree.at("pending_compaction_bytes"), 0);
}

TEST_P(DriverTest, repeats_the_same_operations_with_the_same_seed_and_others_with_another) {
  const auto run = [&](const std::string& seed) {
    const Words words = Base() + Words{"--destroy",
                                       "--phases",
                                       "load,run@" + Workload("a"),
                                       "-p",
                                       "lsmtune.seed=" + seed,
                                       "-p",
                                       "lsmtune.interval_s=0"};
    const auto end = RunDriver(words).Of("phase_end").at(1);
    return end.at("outcomes").at("read").at("operations").get<int>();
  };
  const int first = run("1");
  EXPECT_EQ(run("1"), first);
  EXPECT_NE(run("2"), first);
}

TEST_P(DriverTest, measures_nothing_of_the_warm_up_and_stops_by_time) {
  const Lines lines =
      RunDriver(Base() + Words{"--phases", "load,run@" + Workload("c"), "-p",
                               "lsmtune.warmup_s=0.1", "-p", "lsmtune.duration_s=0.2"});
  const auto run = lines.Of("phase_end").at(1);
  EXPECT_EQ(run.at("warmup_s"), 0.1);
  EXPECT_GE(run.at("elapsed_s").get<double>(), 0.2);
  EXPECT_GT(run.at("operations").get<int>(), 0);
  bool warmed = false;
  for (const auto& line : lines.Of("progress")) {
    if (line.at("warmup") == true) {
      warmed = true;
      EXPECT_EQ(line.at("operations"), 0);
    }
  }
  EXPECT_TRUE(warmed);
}

TEST_P(DriverTest, leaves_what_warm_ups_wrote_out_of_the_summary) {
  const Lines lines =
      RunDriver(Base() + Words{"--phases", "load,settle,run,settle", "-p", "readproportion=0", "-p",
                               "lsmtune.warmup_s=0.3", "-p", "operationcount=100"});
  double wal = 0.0;
  for (const auto& end : lines.Of("phase_end")) {
    wal += end.at("counters").at("wal_bytes").get<double>();
  }
  const auto summary = lines.Of("summary").at(0);
  const auto user = summary.at("user_written_bytes").get<double>();
  EXPECT_NEAR(user, 3100 * 1163, 3100);
  EXPECT_NEAR(summary.at("counters").at("wal_bytes").get<double>(), wal, 0.02 * wal);
  EXPECT_LT(wal, 1.3 * user);  // the warm-up writes many times as much
}

TEST_P(DriverTest, deletes_where_the_mix_says_so) {
  const Lines lines =
      RunDriver(Base() + Words{"--phases", "load,run", "-p", "readproportion=0.5", "-p",
                               "updateproportion=0", "-p", "lsmtune.deleteproportion=0.5"});
  const auto outcomes = lines.Of("phase_end").at(1).at("outcomes");
  EXPECT_GT(outcomes.at("delete").at("operations").get<int>(), 1800);
  EXPECT_GT(outcomes.at("read").at("not_found").get<int>(), 100);
}

TEST_P(DriverTest, updates_what_is_not_there_where_it_does_not_look) {
  const Words mix = {"--phases", "load,run", "-p", "readproportion=0", "-p", "updateproportion=0.5",
                     "-p", "lsmtune.deleteproportion=0.5"};
  const auto missed = [&](const Words& more) {
    return RunDriver(Base() + mix + more).Of("phase_end").at(1).at("outcomes").at("update");
  };
  EXPECT_GT(missed({}).at("not_found").get<int>(), 100);
  const auto blind = missed({"--destroy", "-p", "lsmtune.blindupdates=true"});
  EXPECT_GT(blind.at("operations").get<int>(), 1800);
  EXPECT_EQ(blind.at("not_found").get<int>(), 0);
}

TEST_P(DriverTest, read_amplification_is_what_a_look_up_reads_from_tables) {
  const Words words = Base() + Words{"--destroy", "--phases", "load,settle,run",
                                     "-p", "readproportion=0.25", "-p", "updateproportion=0.5",
                                     "-p", "readmodifywriteproportion=0.25"};
  for (const bool blind : {false, true}) {
    const std::string updates = blind ? "true" : "false";
    const auto end =
        RunDriver(words + Words{"-p", "lsmtune.blindupdates=" + updates}).Of("phase_end").at(2);
    const auto done = [&](const char* type) {
      return end.at("outcomes").at(type).at("operations").get<double>();
    };
    double look_ups = done("read") + done("read_modify_write");
    if (!blind) look_ups += done("update") + done("read_modify_write");
    const auto table_reads = end.at("counters").at("table_reads").get<double>();
    EXPECT_GT(table_reads, 0.0);
    EXPECT_NEAR(end.at("amplification").at("read_amp").get<double>(), table_reads / look_ups, 1e-9)
        << "blind updates: " << updates;
  }
}

TEST_P(DriverTest, takes_the_property_file_of_ycsb_cpp) {
  const std::string file = (folder_.path() / "engine.properties").string();
  std::ofstream(file) << "rocksdb.dbname=" << (folder_.path() / "named").string() << "\n"
                      << "rocksdb.format=single\nrocksdb.destroy=true\n"
                         "rocksdb.compression=snappy\nrocksdb.max_background_jobs=2\n"
                         "rocksdb.target_file_size_base=67108864\n"
                         "rocksdb.target_file_size_multiplier=1\n"
                         "rocksdb.max_bytes_for_level_base=268435456\n"
                         "rocksdb.write_buffer_size=8388608\nrocksdb.max_open_files=-1\n"
                         "rocksdb.max_write_buffer_number=2\n"
                         "rocksdb.use_direct_io_for_flush_compaction=false\n"
                         "rocksdb.use_direct_reads=false\nrocksdb.allow_mmap_writes=false\n"
                         "rocksdb.allow_mmap_reads=false\nrocksdb.cache_size=8388608\n"
                         "rocksdb.compressed_cache_size=0\nrocksdb.bloom_bits=10\n"
                         "rocksdb.increase_parallelism=false\n"
                         "rocksdb.optimize_level_style_compaction=false\n"
                      << "leveldb.dbname=" << (folder_.path() / "named").string() << "\n"
                      << "leveldb.format=single\nleveldb.destroy=false\n"
                         "leveldb.write_buffer_size=8388608\nleveldb.max_file_size=4194304\n"
                         "leveldb.max_open_files=1000\nleveldb.compression=snappy\n"
                         "leveldb.cache_size=8388608\nleveldb.filter_bits=10\n"
                         "leveldb.block_size=2048\nleveldb.block_restart_interval=16\n";
  const Lines lines = RunDriver({"--engine", GetParam(), "-P", file, "-P", Workload("a")});
  std::set<std::string> values;
  for (const auto& [section, options] :
       lines.all.front().at("engine").at("effective_options").items()) {
    for (const auto& [name, value] : options.items()) {
      if (name == "write_buffer_size") values.insert(value.get<std::string>());
    }
  }
  EXPECT_EQ(values, std::set<std::string>{"8388608"});
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "named" / "CURRENT"));
}

}  // namespace
}  // namespace ycsb
