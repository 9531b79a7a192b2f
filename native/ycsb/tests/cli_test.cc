// The program as a process: exit codes, what it says, signals.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "base/folder.h"
#include "engine/registry.h"
#include "json_lines.h"

namespace ycsb {
namespace {

struct Ran {
  int code = -1;  // exit code; -1 where a signal ended it
  std::string out;
  std::string err;
};

// A child with its outputs in files, so that nothing can block.
class Child {
 public:
  // `largest_file`: bytes beyond which the system refuses to write a file, as on a full disk; 0:
  // none.
  explicit Child(const std::vector<std::string>& arguments, rlim_t largest_file = 0) {
    std::vector<std::string> words = {YCSB_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      if (largest_file > 0) {
        const rlimit limit{largest_file, largest_file};
        setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, SIG_IGN);
      }
      if (std::freopen(Path("out").c_str(), "w", stdout) == nullptr) _exit(99);
      if (std::freopen(Path("err").c_str(), "w", stderr) == nullptr) _exit(99);
      execv(YCSB_BINARY, pointers.data());
      _exit(99);
    }
  }

  void Signal(int number) const { kill(pid_, number); }

  std::string Read(const std::string& name) const {
    std::string text;
    std::FILE* file = std::fopen(Path(name).c_str(), "r");
    if (file == nullptr) return text;
    std::array<char, 4096> piece{};
    for (size_t n = 0; (n = std::fread(piece.data(), 1, piece.size(), file)) > 0;) {
      text.append(piece.data(), n);
    }
    std::fclose(file);
    return text;
  }

  Ran Wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Read("out"), Read("err")};
  }

 private:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
  pid_t pid_ = -1;
};

Ran RunProgram(const std::vector<std::string>& arguments) { return Child(arguments).Wait(); }

TEST(CommandLine, helps_and_says_its_version) {
  const Ran help = RunProgram({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("--engine"), std::string::npos);
  const Ran version = RunProgram({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_NE(version.out.find("output format 1"), std::string::npos);
}

TEST(CommandLine, exits_with_2_and_one_line_where_it_is_used_wrongly) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {},
           {"--engine", "nosuch"},
           {"--engine", "null", "-p", "recordcount=x"},
           {"--engine", "null", "-p", "recordcount=5", "-p", "unknown=1"},
           {"--engine", "null", "-P", "/nonexistent"}}) {
    const Ran ran = RunProgram(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_TRUE(ran.out.empty());
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(ran.err.rfind("ycsb: ", 0), 0u);
  }
}

TEST(CommandLine, exits_with_1_where_its_work_fails) {
  const Ran ran = RunProgram({"--engine", "null", "-p", "recordcount=5", "-p", "operationcount=5",
                              "--clone-from", "/proc/self", "--db", "/proc/x"});
  EXPECT_NE(ran.code, 0);
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "file").string();
  std::fclose(std::fopen(file.c_str(), "w"));
  const Ran blocked = RunProgram(
      {"--engine", "null", "--db", file + "/db", "-p", "recordcount=5", "-p", "operationcount=5"});
  EXPECT_EQ(blocked.code, 1) << blocked.err;
  EXPECT_EQ(std::count(blocked.err.begin(), blocked.err.end(), '\n'), 1) << blocked.err;
}

TEST(CommandLine, counts_no_memory_of_the_program_that_started_it) {
  const std::string memory(size_t{384} << 20, 'x');
  const Ran ran = RunProgram({"--engine", "null", "--phases", "run", "-p", "recordcount=10", "-p",
                              "operationcount=10"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Lines lines = ParseLines(ran.out);
  for (const char* type : {"phase_end", "summary"}) {
    const uint64_t peak = lines.Of(type).at(0).at("process").at("memory_peak_bytes");
    EXPECT_GT(peak, uint64_t{1} << 20) << type;
    EXPECT_LT(peak, memory.size() / 2) << type;
  }
}

TEST(CommandLine, says_in_one_sentence_that_the_disk_refuses) {
  for (const EngineType* engine : Engines()) {
    if (engine->ImmutableFiles().empty()) continue;
    const TemporaryFolder folder;
    const Ran ran =
        Child({"--engine", engine->name(), "--db", (folder.path() / "db").string(), "-p",
               "recordcount=20000", "-p", "operationcount=5", "-o", "write_buffer_size=16777216"},
              rlim_t{4} << 20)
            .Wait();
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_NE(ran.err.find("check the disk's space"), std::string::npos) << ran.err;
  }
}

TEST(CommandLine, fails_where_the_engine_gives_up_in_the_background) {
  // The filter makes the table several times as large as the log: only the flush hits the limit.
  for (const EngineType* engine : Engines()) {
    if (engine->name() != "leveldb") continue;
    const TemporaryFolder folder;
    const Ran ran =
        Child({"--engine", "leveldb", "--db", (folder.path() / "db").string(), "--phases",
               "load,settle,run", "-p", "recordcount=5000", "-p", "operationcount=5", "-p",
               "fieldcount=1", "-p", "fieldlength=1", "-o", "filter_bits=1000"},
              rlim_t{512} << 10)
            .Wait();
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_NE(ran.err.find("background work failed in phase settle"), std::string::npos) << ran.err;
    const auto ends = ParseLines(ran.out).Of("phase_end");
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(ends.at(1).at("ending"), "failed");
    EXPECT_FALSE(ends.at(1).at("tree").at("background_error").is_null());
  }
}

TEST(CommandLine, reports_what_was_done_when_it_is_interrupted) {
  for (const int number : {SIGINT, SIGTERM}) {
    const Child child({"--engine", "null", "--phases", "run,run", "-p", "recordcount=5", "-p",
                       "lsmtune.duration_s=60", "-p", "lsmtune.interval_s=0.02"});
    while (child.Read("out").find("progress") == std::string::npos) usleep(5000);
    child.Signal(number);
    const Ran ran = child.Wait();
    EXPECT_EQ(ran.code, 128 + number);
    const Lines lines = ParseLines(ran.out);
    EXPECT_EQ(lines.Of("phase_end").size(), 1u);
    EXPECT_EQ(lines.Of("phase_end").at(0).at("interrupted"), true);
    EXPECT_GT(lines.Of("phase_end").at(0).at("operations").get<int>(), 0);
    EXPECT_EQ(lines.all.back().at("type"), "summary");
    EXPECT_EQ(lines.all.back().at("interrupted"), true);
  }
}

TEST(CommandLine, names_properties_of_the_engine_that_mean_nothing_once_and_goes_on) {
  const Ran ran = RunProgram({"--engine", "null", "-p", "recordcount=10", "-p", "operationcount=10", "-p",
                       "null.wings=2", "--phases", "load,run,run"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "ycsb: null 1 has no null.wings: passed over\n");
}

}  // namespace
}  // namespace ycsb
