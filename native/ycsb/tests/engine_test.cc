// What every engine that stores must do, and what each reports.

#include "engine/engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/folder.h"
#include "engine/registry.h"
#include "message.h"
#include "run/settle.h"

namespace ycsb {
namespace {

class Rows final : public RowVisitor {
 public:
  void Visit(std::string_view key, std::string_view value) override {
    rows.emplace_back(std::string(key), std::string(value));
  }

  std::vector<std::pair<std::string, std::string>> rows;
};

// Engines that keep what they are given.
std::vector<const EngineType*> StoringEngines() {
  std::vector<const EngineType*> engines;
  for (const EngineType* engine : Engines()) {
    if (!engine->ImmutableFiles().empty()) engines.push_back(engine);
  }
  return engines;
}

class EngineTest : public testing::TestWithParam<const EngineType*> {
 protected:
  std::unique_ptr<Engine> Open(const std::string& name, bool create = true) {
    OpenRequest request;
    request.path = folder_.path() / name;
    request.create = create;
    request.options = options_;
    request.events = &events_;
    return GetParam()->Open(request);
  }

  static void Fill(Engine* engine, int first, int count) {
    const auto session = engine->NewSession();
    for (int i = first; i < first + count; ++i) {
      session->Write("user" + std::to_string(100000 + i),
                     std::string(1000, 'a') + std::to_string(i));
    }
  }

  Ending Drain(Engine* engine) {
    return Settle(engine, &interrupt_, {60.0, 5.0, 0.001}, [](const EngineState&) {});
  }

  Interrupt interrupt_;
  TemporaryFolder folder_;
  EventSink events_;
  std::vector<std::pair<std::string, std::string>> options_ = {{"write_buffer_size", "65536"}};
};

INSTANTIATE_TEST_SUITE_P(All, EngineTest, testing::ValuesIn(StoringEngines()),
                         [](const auto& test) { return test.param->name(); });

TEST_P(EngineTest, reads_its_own_writes_before_and_after_they_reach_the_tree) {
  const auto engine = Open("db");
  const auto session = engine->NewSession();
  std::string_view value;
  EXPECT_FALSE(session->Read("user1", &value));
  session->Write("user1", "one");
  ASSERT_TRUE(session->Read("user1", &value));
  EXPECT_EQ(value, "one");
  session->Write("user1", "two");
  EXPECT_EQ(Drain(engine.get()), Ending::kComplete);
  ASSERT_TRUE(session->Read("user1", &value));
  EXPECT_EQ(value, "two");
  session->Delete("user1");
  EXPECT_FALSE(session->Read("user1", &value));
}

TEST_P(EngineTest, scans_in_order_from_the_first_key_that_is_not_below) {
  const auto engine = Open("db");
  const auto session = engine->NewSession();
  for (const char* key : {"user3", "user1", "user5", "user4"}) session->Write(key, key);
  Rows some;
  EXPECT_EQ(session->Scan("user2", 2, &some), 2u);
  EXPECT_EQ(some.rows[0].first, "user3");
  EXPECT_EQ(some.rows[1].second, "user4");
  Rows rest;
  EXPECT_EQ(session->Scan("user4", 100, &rest), 2u);
}

TEST_P(EngineTest, keeps_data_when_it_is_closed) {
  Fill(Open("db").get(), 0, 100);
  const auto engine = Open("db", /*create=*/false);
  std::string_view value;
  EXPECT_TRUE(engine->NewSession()->Read("user100099", &value));
}

TEST_P(EngineTest, does_not_open_what_is_not_there_unless_it_may_create_it) {
  const std::string message = MessageOf<Failure>([&] { Open("nothing", /*create=*/false); });
  EXPECT_NE(message.find("nothing"), std::string::npos) << message;
}

TEST_P(EngineTest, counts_flushes_and_compactions_and_reports_them_as_events) {
  const auto engine = Open("db");
  for (int round = 0; round < 20; ++round) Fill(engine.get(), 0, 200);
  ASSERT_EQ(Drain(engine.get()), Ending::kComplete);
  const EngineState state = engine->Observe();
  EXPECT_GT(state.counters.flush_bytes, 0u);
  EXPECT_GT(state.counters.compaction_bytes, 0u);
  EXPECT_GT(state.counters.wal_bytes.value(), 20u * 200 * 1000);
  uint64_t flushed = 0;
  uint64_t compactions = 0;
  for (const Event& event : events_.Take()) {
    compactions += event.type == "compaction" ? 1 : 0;
    for (const auto& [name, value] : event.fields) {
      if (event.type == "flush" && name == "bytes") flushed += std::get<uint64_t>(value);
    }
  }
  EXPECT_EQ(flushed, state.counters.flush_bytes);
  EXPECT_GT(compactions, 0u);
}

TEST_P(EngineTest, says_what_its_levels_hold_as_the_folder_does) {
  const auto engine = Open("db");
  Fill(engine.get(), 0, 3000);
  ASSERT_EQ(Drain(engine.get()), Ending::kComplete);
  uint64_t bytes = 0;
  for (const Level& level : engine->Observe().tree.levels) bytes += level.bytes;
  EXPECT_GT(bytes, 0u);
  // Files that no level holds any more may be there still.
  EXPECT_GE(MeasureFolder(folder_.path() / "db").table_bytes, bytes);
}

TEST_P(EngineTest, counts_cache_look_ups_and_table_reads) {
  const auto engine = Open("db");
  Fill(engine.get(), 0, 500);
  ASSERT_EQ(Drain(engine.get()), Ending::kComplete);
  const Counters before = engine->Observe().counters;
  const auto session = engine->NewSession();
  std::string_view value;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(session->Read("user" + std::to_string(100000 + i), &value));
  }
  const Counters after = engine->Observe().counters;
  EXPECT_GT(after.cache_hits.value() + after.cache_misses.value(),
            before.cache_hits.value() + before.cache_misses.value());
  EXPECT_GT(after.table_reads.value(), before.table_reads.value());
}

TEST_P(EngineTest, uses_and_reports_the_options_that_it_was_given) {
  const auto engine = Open("db");
  bool found = false;
  for (const auto& [section, options] : engine->EffectiveOptions()) {
    const auto option = options.find("write_buffer_size");
    found = found || (option != options.end() && option->second == "65536");
  }
  EXPECT_TRUE(found);
}

TEST_P(EngineTest, rejects_an_option_or_a_value_that_does_not_exist) {
  options_ = {{"write_bufer_size", "65536"}};
  EXPECT_NE(MessageOf<UsageError>([&] { Open("db"); }).find("write_bufer_size"), std::string::npos);
  options_ = {{"write_buffer_size", "much"}};
  EXPECT_NE(MessageOf<UsageError>([&] { Open("db"); }).find("write_buffer_size=much"),
            std::string::npos);
}

TEST_P(EngineTest, makes_checkpoints_that_do_not_change_with_the_original) {
  const auto engine = Open("db");
  Fill(engine.get(), 0, 1000);
  engine->Checkpoint(folder_.path() / "copy");
  engine->NewSession()->Write("user100000", "changed");
  engine->NewSession()->Write("usernew", "new");
  const auto copy = Open("copy", /*create=*/false);
  const auto session = copy->NewSession();
  std::string_view value;
  ASSERT_TRUE(session->Read("user100000", &value));
  EXPECT_EQ(value, std::string(1000, 'a') + "0");
  EXPECT_TRUE(session->Read("user100999", &value));
  EXPECT_FALSE(session->Read("usernew", &value));
}

TEST_P(EngineTest, can_be_cloned_by_links_and_the_origin_is_unharmed) {
  {
    const auto engine = Open("db");
    Fill(engine.get(), 0, 2000);
    Drain(engine.get());
  }
  const CloneResult result =
      CloneDatabase(folder_.path() / "db", folder_.path() / "clone", GetParam()->ImmutableFiles());
  EXPECT_GT(result.linked_files, 0u);
  {
    const auto clone = Open("clone", /*create=*/false);
    Fill(clone.get(), 0, 4000);
    Drain(clone.get());
  }
  const auto origin = Open("db", /*create=*/false);
  Rows rows;
  EXPECT_EQ(origin->NewSession()->Scan("user", 10000, &rows), 2000u);
}

TEST_P(EngineTest, destroys_its_own_files_only) {
  Open("db").reset();
  std::ofstream(folder_.path() / "db" / "mine.txt") << "kept";
  GetParam()->Destroy(folder_.path() / "db");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "db" / "CURRENT"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "db" / "mine.txt"));
  EXPECT_NO_THROW(GetParam()->Destroy(folder_.path() / "nothing"));
}

TEST_P(EngineTest, knows_its_version_and_which_compressors_work) {
  const EngineFacts facts = GetParam()->Facts();
  EXPECT_EQ(facts.name, GetParam()->name());
  EXPECT_FALSE(facts.version.empty());
  EXPECT_FALSE(facts.compressors.empty());
}

TEST_P(EngineTest, serves_several_sessions_at_a_time) {
  const auto engine = Open("db");
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&engine, t] { Fill(engine.get(), t * 1000, 1000); });
  }
  for (std::thread& thread : threads) thread.join();
  Rows rows;
  EXPECT_EQ(engine->NewSession()->Scan("user", 10000, &rows), 3000u);
}

}  // namespace
}  // namespace ycsb
