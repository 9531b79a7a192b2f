#include "run/settle.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

namespace ycsb {
namespace {

// An engine whose states are given one after the other; the last one stays.
class ScriptedEngine final : public Engine {
 public:
  explicit ScriptedEngine(std::vector<TreeState> states) : states_(std::move(states)) {}

  std::unique_ptr<Session> NewSession() override { return nullptr; }
  OptionSections EffectiveOptions() override { return {}; }
  void StartFlush() override { flushed_ = true; }
  void Checkpoint(const std::filesystem::path& /*target*/) override {}
  Counters Close() override { return {}; }

  EngineState Observe() override {
    EXPECT_TRUE(flushed_);
    EngineState state;
    state.tree = states_[std::min(looks_, states_.size() - 1)];
    ++looks_;
    return state;
  }

  size_t looks() const { return looks_; }

 private:
  std::vector<TreeState> states_;
  bool flushed_ = false;
  size_t looks_ = 0;
};

TreeState Flushing() {
  TreeState tree;
  tree.flush_pending = true;
  return tree;
}

TreeState Compacting() {
  TreeState tree;
  tree.running_compactions = 1;
  tree.compaction_pending = true;
  return tree;
}

TreeState Wanting() {
  TreeState tree;
  tree.compaction_pending = true;
  return tree;
}

class SettleTest : public testing::Test {
 protected:
  Ending Run(ScriptedEngine* engine, const SettleLimits& limits) {
    return Settle(engine, &interrupt_, limits, [](const EngineState&) {});
  }

  Interrupt interrupt_;
};

TEST_F(SettleTest, ends_when_flush_and_compactions_are_done_and_stay_so) {
  ScriptedEngine engine({Flushing(), TreeState(), Compacting(), Compacting(), TreeState()});
  EXPECT_EQ(Run(&engine, {10.0, 5.0, 0.0001}), Ending::kComplete);
  EXPECT_EQ(engine.looks(), 6u);
}

TEST_F(SettleTest, costs_two_looks_where_nothing_is_to_do) {
  ScriptedEngine engine({TreeState()});
  EXPECT_EQ(Run(&engine, {10.0, 5.0, 0.0001}), Ending::kComplete);
  EXPECT_EQ(engine.looks(), 2u);
}

TEST_F(SettleTest, does_not_wait_for_ever_on_an_engine_that_wants_to_and_never_does) {
  ScriptedEngine engine({Wanting()});
  EXPECT_EQ(Run(&engine, {10.0, 0.02, 0.001}), Ending::kIdle);
}

TEST_F(SettleTest, does_not_wait_for_compactions_that_are_turned_off) {
  TreeState tree = Wanting();
  tree.compaction_disabled = true;
  ScriptedEngine engine({tree});
  EXPECT_EQ(Run(&engine, {10.0, 5.0, 0.0001}), Ending::kComplete);
}

TEST_F(SettleTest, ends_at_its_time_limit) {
  ScriptedEngine engine({Compacting()});
  EXPECT_EQ(Run(&engine, {0.02, 5.0, 0.001}), Ending::kTimeLimit);
}

TEST_F(SettleTest, does_not_call_an_engine_settled_that_has_given_up) {
  TreeState tree;
  tree.background_error = "no space left on device";
  ScriptedEngine engine({Flushing(), tree});
  EXPECT_EQ(Run(&engine, {10.0, 5.0, 0.0001}), Ending::kFailed);
  EXPECT_EQ(engine.looks(), 2u);
}

TEST_F(SettleTest, ends_at_a_signal_even_one_that_came_before) {
  ScriptedEngine engine({Compacting()});
  kill(getpid(), SIGTERM);
  EXPECT_EQ(Run(&engine, {10.0, 5.0, 0.001}), Ending::kInterrupted);
  EXPECT_EQ(interrupt_.signal(), SIGTERM);
}

}  // namespace
}  // namespace ycsb
