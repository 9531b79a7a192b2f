#include "run/settings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/folder.h"
#include "message.h"

namespace ycsb {
namespace {

// A command for the engine that does nothing, and `more`.
Settings Read(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"--engine",        "null", "-p",
                                    "recordcount=100", "-p",   "operationcount=50"};
  words.insert(words.end(), more.begin(), more.end());
  return ReadCommandLine(words);
}

std::string Rejected(const std::vector<std::string>& more) {
  return MessageOf<UsageError>([&] { Read(more); });
}

TEST(ParsePhases, reads_kinds_labels_and_files) {
  const auto phases = ParsePhases("load, settle,run:A@workloads/workloada,checkpoint@/tmp/base");
  ASSERT_EQ(phases.size(), 4u);
  EXPECT_EQ(phases[0].kind, PhaseKind::kLoad);
  EXPECT_EQ(phases[0].label, "load");
  EXPECT_EQ(phases[1].kind, PhaseKind::kSettle);
  EXPECT_EQ(phases[2].label, "A");
  EXPECT_EQ(phases[2].file, "workloads/workloada");
  EXPECT_EQ(phases[3].file, "/tmp/base");
}

TEST(ParsePhases, rejects_what_is_no_phase) {
  for (const char* text : {"", "walk", "load,,run", "checkpoint", "settle@file"}) {
    EXPECT_THROW(ParsePhases(text), UsageError) << text;
  }
}

TEST(Settings, run_load_and_run_unless_told_otherwise) {
  const Settings settings = Read({});
  ASSERT_EQ(settings.phases.size(), 2u);
  EXPECT_TRUE(settings.open.create);
  EXPECT_FALSE(Read({"--phases", "run"}).open.create);
  EXPECT_EQ(Read({"-p", "lsmtune.phases=run,run,run"}).phases.size(), 3u);
}

TEST(Settings, let_a_phase_have_a_file_of_its_own_and_what_is_typed_win_over_it) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "scan").string();
  std::ofstream(file) << "recordcount=7\nscanproportion=1\nreadproportion=0\n"
                         "updateproportion=0\nmaxscanlength=9\n";
  const Settings settings = Read({"--phases", "load,run:scan@" + file, "-p", "maxscanlength=5"});
  const WorkloadSpec& run = settings.phases[1].workload;
  EXPECT_EQ(run.record_count, 100u);
  EXPECT_EQ(run.scan_length.max, 5u);
  EXPECT_EQ(run.proportions[static_cast<size_t>(OperationType::kScan)], 1.0);
  EXPECT_EQ(settings.phases[0].workload.proportions[0], 0.95);
}

TEST(Settings, reject_what_holds_for_all_phases_in_the_file_of_one) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "phase").string();
  for (const char* line : {"lsmtune.sync=true", "lsmtune.reopen=true", "null.delay_us=5"}) {
    std::ofstream(file) << line << "\n";
    EXPECT_NE(Rejected({"--phases", "run@" + file}).find("all phases"), std::string::npos) << line;
  }
}

TEST(Settings, reject_a_property_that_nobody_knows_with_its_place) {
  const std::string message = Rejected({"-p", "recordcont=5"});
  EXPECT_NE(message.find("\"recordcont\" is \"5\" (-p)"), std::string::npos) << message;
  EXPECT_NE(Rejected({"-p", "lsmtune.sed=5"}).find("lsmtune.sed"), std::string::npos);
}

TEST(Settings, pass_over_properties_of_other_engines_and_of_ycsbs_own_output) {
  const Settings settings = Read({"-p", "rocksdb.cache_size=8388608", "-p", "leveldb.dbname=/x",
                                  "-p", "measurementtype=histogram"});
  EXPECT_EQ(settings.ignored_properties, std::vector<std::string>{"measurementtype"});
  EXPECT_TRUE(settings.open.properties.empty());
}

// The keys that the original's template of workloads and its core read, beside the workload's own.
TEST(Settings, pass_over_what_the_originals_template_says_of_output_tracing_and_scans) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "template").string();
  std::ofstream(file) << "workload=site.ycsb.workloads.CoreWorkload\ntable=usertable\n"
                         "maxscanrate=0\nscanoptimelimit=0\ndiscardscannedrecord=false\n"
                         "columnfamily=cf\nhistogram.buckets=1000\ntimeseries.granularity=1000\n"
                         "measurement.raw.output_file = /x\nreportlatencyforeacherror=false\n"
                         "latencytrackederrors=a,b\nhtrace.sampler.fraction=0.001\n"
                         "core_workload_insertion_retry_limit = 0\n"
                         "core_workload_insertion_keep_going_on_error=false\n";
  EXPECT_EQ(Read({"-P", file}).ignored_properties.size(), 13u);  // all but workload
}

TEST(Settings, hand_the_engine_its_own_properties_without_what_is_common) {
  const Settings settings = Read({"-p", "null.delay_us=3", "-p", "null.dbname=/x/y", "-p",
                                  "null.destroy=true", "-p", "null.format=single"});
  EXPECT_EQ(settings.open.properties, (std::map<std::string, std::string>{{"delay_us", "3"}}));
  EXPECT_EQ(settings.open.path, "/x/y");
  EXPECT_TRUE(settings.destroy);
  EXPECT_EQ(Read({"-p", "null.dbname=/x", "--db", "/z"}).open.path, "/z");
}

TEST(Settings, reject_a_run_without_an_end) {
  EXPECT_NE(Rejected({"-p", "operationcount=0"}).find("never end"), std::string::npos);
  EXPECT_NO_THROW(Read({"-p", "operationcount=0", "-p", "lsmtune.duration_s=1"}));
}

TEST(Settings, reject_an_interval_that_is_shorter_than_a_look_at_the_engine) {
  EXPECT_NE(Rejected({"-p", "lsmtune.interval_s=1e-10"}).find("interval_s"), std::string::npos);
  EXPECT_EQ(Read({"-p", "lsmtune.interval_s=0.001"}).interval_s, 0.001);
  EXPECT_EQ(Read({"-p", "lsmtune.interval_s=0"}).interval_s, 0.0);
}

TEST(Settings, reject_bad_command_lines) {
  EXPECT_THROW(ReadCommandLine({}), UsageError);
  EXPECT_THROW(ReadCommandLine({"--engine", "none", "-p", "recordcount=1"}), UsageError);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--what"},
                                             {"-p"},
                                             {"-p", "novalue"},
                                             {"-o", "novalue"},
                                             {"-P", "/nonexistent"},
                                             {"-p", "null.format=row"},
                                             {"--phases", "dance"}}) {
    EXPECT_THROW(Read(words), UsageError) << words.front();
  }
}

TEST(Settings, know_help_and_version_without_anything_else) {
  EXPECT_EQ(ReadCommandLine({"--help"}).request, Request::kHelp);
  EXPECT_EQ(ReadCommandLine({"--version"}).request, Request::kVersion);
}

}  // namespace
}  // namespace ycsb
