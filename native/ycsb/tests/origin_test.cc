// What a run begins with: clones, checkpoints, databases that are there or not.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/error.h"
#include "driver_fixture.h"
#include "message.h"

namespace ycsb {
namespace {

class OriginTest : public DriverTest {};

INSTANTIATE_TEST_SUITE_P(All, OriginTest, testing::ValuesIn(StoringEngineNames()),
                         [](const auto& test) { return test.param; });

TEST_P(OriginTest, runs_on_a_checkpoint_and_on_a_clone_of_it) {
  const std::string base = (folder_.path() / "base").string();
  RunDriver(Base() + Words{"--phases", "load,settle,checkpoint@" + base});
  const Words words = {"--engine",     GetParam(),
                       "--db",         (folder_.path() / "trial").string(),
                       "--clone-from", base,
                       "-P",           Workload("c"),
                       "-p",           "recordcount=3000",
                       "-p",           "operationcount=500",
                       "--phases",     "run"};
  const Lines lines = RunDriver(words);
  EXPECT_GT(lines.all.front().at("clone").at("linked_files").get<int>(), 0);
  EXPECT_EQ(lines.Of("phase_end").at(0).at("outcomes").at("read").at("not_found"), 0);
  EXPECT_THROW(RunDriver(words), UsageError);  // the folder is not empty any more
}

TEST_P(OriginTest, makes_a_checkpoint_in_an_empty_folder) {
  const std::filesystem::path base = folder_.path() / "base";
  std::filesystem::create_directories(base);
  RunDriver(Base() + Words{"--phases", "load,checkpoint@" + base.string()});
  EXPECT_TRUE(std::filesystem::exists(base / "CURRENT"));
}

TEST_P(OriginTest, does_not_begin_where_the_folder_of_a_checkpoint_is_not_empty) {
  const std::filesystem::path base = folder_.path() / "base";
  std::filesystem::create_directories(base / "kept");
  const Words words = Base() + Words{"--phases", "load,checkpoint@" + base.string()};
  EXPECT_EQ(MessageOf<UsageError>([&] { RunDriver(words); }),
            "phase checkpoint is to copy into " + base.string() +
                ", which is not empty; name a new folder or remove it");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "db"));  // nothing was done
}

TEST_P(OriginTest, does_not_clone_a_database_that_another_process_has_open) {
  RunDriver(Base() + Words{"--phases", "load"});
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int file = open((folder_.path() / "db" / "LOCK").c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    const char done = fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    if (write(ready[1], &done, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char locked = 'n';
  ASSERT_EQ(read(ready[0], &locked, 1), 1);
  ASSERT_EQ(locked, 'y');
  const std::string message = MessageOf<UsageError>([&] {
    RunDriver({"--engine", GetParam(), "--db", (folder_.path() / "trial").string(), "--clone-from",
               (folder_.path() / "db").string(), "-P", Workload("c"), "--phases", "run"});
  });
  EXPECT_NE(message.find("in use by process " + std::to_string(child)), std::string::npos)
      << message;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_P(OriginTest, warns_of_a_load_into_a_database_that_is_there) {
  EXPECT_TRUE(RunDriver(Base() + Words{"--phases", "load"}).all.front().at("warnings").empty());
  const auto again = RunDriver(Base() + Words{"--phases", "load"}).all.front().at("warnings");
  EXPECT_EQ(again.size(), 1u);
  const Words anew = Base() + Words{"--phases", "load", "--destroy"};
  EXPECT_TRUE(RunDriver(anew).all.front().at("warnings").empty());
}

TEST_P(OriginTest, does_not_destroy_the_database_that_it_is_to_clone) {
  RunDriver(Base() + Words{"--phases", "load"});
  const std::string origin = (folder_.path() / "db").string() + "/.";
  EXPECT_THROW(RunDriver(Base() + Words{"--phases", "run", "--destroy", "--clone-from", origin}),
               UsageError);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "db" / "CURRENT"));
}

TEST_P(OriginTest, destroys_nothing_where_there_is_nothing_to_clone) {
  RunDriver(Base() + Words{"--phases", "load"});
  const Words words =
      Base() + Words{"--phases", "run", "--destroy", "--clone-from", "/nonexistent"};
  EXPECT_THROW(RunDriver(words), UsageError);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "db" / "CURRENT"));
}

TEST_P(OriginTest, refuses_to_run_on_a_database_that_is_not_there) {
  EXPECT_THROW(RunDriver(Base() + Words{"--phases", "run"}), UsageError);
}

}  // namespace
}  // namespace ycsb
