"""The runner makes each run of a study once."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune.executors import Limits, Watcher
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.result import Disturbed, History
from lsmtune.store import StoredRun
from lsmtune.study import Budget, Listener, RunKey
from lsmtune.testing import QUIET, FakeExecutor, FakePlan, Fault, Surface, at_runs, fake_rules, fake_study

TRIAL = RunKey(Purpose.TRIAL, "trial-1")
BASELINE = RunKey(Purpose.BASELINE, "stock", 0)
LARGE = Configuration.of({"write_buffer_size": 256 << 20})


class _Recorder(FakeExecutor):
    """Keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__(Surface(0.4), QUIET)
        self.asked: list[tuple[Run, Limits]] = []

    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        self.asked.append((run, limits))
        return super().run(run, limits, watch)


class _Events(Listener):
    """Keeps what it hears, in order."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int, int]] = []
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        self.heard.append((f"started {about}", run.id, round(left_s or 0)))

    def ended(self, stored: StoredRun, history: History) -> None:
        self.heard.append((f"ended {stored.status}", stored.run.id, len(history.runs)))


def _disturbed(wanted: Disturbed, budget: Budget | None = None) -> FakePlan:
    """A study in which others disturb every run."""
    rules = replace(fake_rules(), disturbed=wanted)
    return FakePlan(budget or Budget(None, 60), faults=lambda _: Fault.DISTURB, rules=rules)


def test_a_slot_is_filled_once(tmp_path: Path) -> None:
    with fake_study(tmp_path) as study:
        assert study.runner.run_of(TRIAL) is None
        first = study.runner.make(TRIAL, LARGE, "trial 1")
        again = study.runner.make(TRIAL, Configuration(), "trial 1")
        assert again is first is study.runner.run_of(TRIAL)
        assert study.executor.made == 1
    with fake_study(tmp_path) as study:
        assert study.runner.run_of(TRIAL) == first
        assert study.runner.make(TRIAL, Configuration(), "trial 1").run.configuration == LARGE
        assert study.executor.made == 0


def test_slots_differ_by_purpose_arm_and_block(tmp_path: Path) -> None:
    run_keys = [
        TRIAL,
        RunKey(Purpose.TRIAL, "trial-2"),
        RunKey(Purpose.VERIFY, "stock", 0),
        RunKey(Purpose.VERIFY, "stock", 1),
        RunKey(Purpose.CONFIRM, "stock", 0),
    ]
    with fake_study(tmp_path) as study:
        ids = [study.runner.make(run_key, Configuration(), "").run.id for run_key in run_keys]
        seeds = {stored.run.seed for stored in study.history.runs}
    assert ids == [1, 2, 3, 4, 5]
    assert len(seeds) == len(run_keys)


def test_a_stopped_run_is_made_again_with_its_seed(tmp_path: Path) -> None:
    stopped = FakePlan(faults=at_runs({1: Fault.INTERRUPT}))
    with fake_study(tmp_path, stopped) as study, pytest.raises(KeyboardInterrupt):
        study.runner.make(TRIAL, LARGE, "trial 1")
    with fake_study(tmp_path) as study:
        stored = study.runner.make(TRIAL, LARGE, "trial 1")
        lost, made = study.history.runs
    assert (lost.status, made.status, stored.run.id) == (Status.LOST, Status.OK, 2)
    assert (lost.run.seed, lost.run.load_seed) == (made.run.seed, made.run.load_seed)


def test_seeds_follow_from_the_study_and_what_has_one_load_shares_its_seed(tmp_path: Path) -> None:
    seeds, load_seeds = set(), set()
    run_keys = (BASELINE, replace(TRIAL, load="search/0"), RunKey(Purpose.ANCHOR, "stock", 4, load="search/0"))
    for seed in (1, 2):
        with fake_study(tmp_path / str(seed), FakePlan(seed=seed)) as study:
            first, *others = (study.runner.make(run_key, LARGE, "").run for run_key in run_keys)
        seeds |= {run.seed for run in (first, *others)}
        load_seeds |= {run.load_seed for run in (first, *others)}
        assert len({run.load_seed for run in others}) == 1
        assert first.load_seed not in {run.load_seed for run in others}
    assert (len(seeds), len(load_seeds)) == (6, 4)
    assert min(seeds | load_seeds) > 0  # db_bench takes 0 as "from the clock"


@pytest.mark.parametrize(("wanted", "tries"), [(Disturbed.WAIT, 3), (Disturbed.USE, 1), (Disturbed.REFUSE, 3)])
def test_a_disturbed_run_is_made_again_as_was_asked_for(tmp_path: Path, wanted: Disturbed, tries: int) -> None:
    disturbed = _disturbed(wanted)
    with fake_study(tmp_path, disturbed) as study:
        stored = study.runner.make(TRIAL, LARGE, "trial 1")
        assert (stored.run.id, stored.status) == (tries, Status.DISTURBED)
        spending = study.runner.spending()
        assert (spending.spent_runs, spending.repeated_runs) == (1, tries - 1)
        assert spending.repeated_s == pytest.approx(spending.spent_s - (stored.elapsed_s or 0.0))
    with fake_study(tmp_path, disturbed) as study:
        assert study.runner.run_of(TRIAL) == stored
        assert study.runner.spending() == spending


def test_what_is_made_again_keeps_to_its_share_of_the_budget(tmp_path: Path) -> None:
    heard = _Events()
    with fake_study(tmp_path, _disturbed(Disturbed.WAIT, Budget(None, 20)), listener=heard) as study:
        for number in range(6):
            study.runner.make(RunKey(Purpose.TRIAL, f"trial-{number}"), LARGE, "")
        spending, repeated = study.runner.spending(), study.history.repeated
    assert (spending.spent_runs, spending.repeated_runs, len(repeated)) == (6, 3, 3)
    assert spending.left == 14
    assert len(heard.notes) == 1
    assert "15.0 % of what may be spent" in heard.notes[0]


@pytest.mark.parametrize("limit", [Budget(math.inf, None), Budget(1000.0, None)])
def test_the_share_is_one_of_time_or_of_what_is_spent_where_there_is_no_limit(tmp_path: Path, limit: Budget) -> None:
    with fake_study(tmp_path, _disturbed(Disturbed.WAIT, limit)) as study:
        for number in range(40):
            study.runner.make(RunKey(Purpose.TRIAL, f"trial-{number}"), LARGE, "")
        spending = study.runner.spending()
    assert spending.repeated_runs >= 5
    assert spending.repeated_s <= 0.15 * (spending.spent_s if limit.time_s == math.inf else 1000.0)


def test_what_an_earlier_process_took_stays_although_the_budget_grew(tmp_path: Path) -> None:
    run_keys = [RunKey(Purpose.TRIAL, f"trial-{number}") for number in range(4)]
    with fake_study(tmp_path, _disturbed(Disturbed.WAIT, Budget(None, 7))) as study:
        taken = [study.runner.make(run_key, LARGE, "").run.id for run_key in run_keys]
    with fake_study(tmp_path, _disturbed(Disturbed.WAIT, Budget(None, 700))) as study:
        assert [study.runner.make(run_key, LARGE, "").run.id for run_key in run_keys[:3]] == taken[:3]
        assert study.runner.make(run_keys[3], LARGE, "").run.id > taken[3], "the last one was not built upon"


def test_tries_are_counted_over_restarts(tmp_path: Path) -> None:
    faults = at_runs({1: Fault.DISTURB, 2: Fault.DISTURB, 3: Fault.INTERRUPT, 4: Fault.DISTURB})
    plan = FakePlan(faults=faults)
    with fake_study(tmp_path, plan) as study, pytest.raises(KeyboardInterrupt):
        study.runner.make(TRIAL, LARGE, "trial 1")
    with fake_study(tmp_path, plan) as study:
        stored = study.runner.make(TRIAL, LARGE, "trial 1")
    assert (stored.run.id, stored.status) == (4, Status.DISTURBED)


def test_a_failed_run_is_not_made_again_but_a_reference_at_the_start_is(tmp_path: Path) -> None:
    with fake_study(tmp_path, FakePlan(faults=lambda _: Fault.FAIL)) as study:
        for run_key in (BASELINE, TRIAL):
            assert study.runner.make(run_key, Configuration(), "").status is Status.FAILED
    with fake_study(tmp_path) as study:
        assert study.runner.make(TRIAL, Configuration(), "").status is Status.FAILED
        assert study.runner.make(BASELINE, Configuration(), "").status is Status.OK


def test_the_cap_follows_from_the_times_of_the_reference(tmp_path: Path) -> None:
    class SlowAnchor(_Recorder):
        def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
            outcome = super().run(run, limits, watch)
            return replace(outcome, elapsed_s=60.0, load_s=20.0) if run.purpose is Purpose.ANCHOR else outcome

    executor = SlowAnchor()
    with fake_study(tmp_path, executor=executor) as study:
        study.runner.make(TRIAL, LARGE, "")
        study.runner.make(BASELINE, Configuration(), "")
        study.runner.make(RunKey(Purpose.ANCHOR, "stock", 4), Configuration(), "")
        study.runner.make(RunKey(Purpose.TRIAL, "trial-2"), LARGE, "")
        study.runner.make(RunKey(Purpose.VERIFY, "stock", 0), Configuration(), "")
    before, reference, anchor, after, compared = (limits for _, limits in executor.asked)
    assert before == reference == anchor == Limits(3600.0, 3600.0)
    assert after.wall_s == pytest.approx(3 * (10.3 + 40.0) / 2)  # of their median, without the loading of data
    assert after.load_wall_s == pytest.approx(3 * 20.0)
    assert compared == after  # where arms are compared, they have one cap


def test_a_trial_that_cannot_win_is_stopped_and_its_bound_is_that_of_the_work_alone(tmp_path: Path) -> None:
    class Timed(_Recorder):
        """The reference takes 100 s, 25 s of them beside its work; every trial is given the times in turn."""

        times = iter([60.0, 80.0, 80.0])

        def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
            outcome = super().run(run, limits, watch)
            measured = outcome.measurement
            assert measured is not None
            elapsed_s = 100.0 if run.purpose is Purpose.BASELINE else next(self.times)
            if limits.wall_s is not None and elapsed_s > limits.wall_s:
                return Outcome(Status.CENSORED, 1.7e9, limits.wall_s, "slow", None, limits.wall_s)
            indicators = {**measured.indicators, "total_time_s": elapsed_s - 25.0}
            indicators["throughput_settled_ops_s"] = 1e6 / (elapsed_s - 25.0)
            return replace(outcome, elapsed_s=elapsed_s, measurement=replace(measured, indicators=indicators))

    with fake_study(tmp_path, FakePlan(beat=1.25), Timed()) as study:
        runner = study.runner
        runner.make(BASELINE, Configuration(), "")
        runner.make(TRIAL, LARGE, "")
        stored = runner.make(RunKey(Purpose.TRIAL, "trial-2"), Configuration.of({"block_size": 8192}), "")
        assert stored.status is Status.CENSORED
        assert stored.bound_s == 1.25 * 60.0
        assert runner.log_bound(stored) == pytest.approx(math.log((75.0 - 25.0) / (100.0 - 25.0)))
        again = runner.make(RunKey(Purpose.VERIFY, "finalist-1", 0), LARGE, "")
        assert again.status is Status.OK, "claims are never cut short by what a trial took"


def test_short_runs_have_a_cap_of_twenty_seconds(tmp_path: Path) -> None:
    class Short(_Recorder):
        def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
            return replace(super().run(run, limits, watch), elapsed_s=0.5)

    executor = Short()
    with fake_study(tmp_path, executor=executor) as study:
        study.runner.make(BASELINE, Configuration(), "")
        study.runner.make(TRIAL, LARGE, "")
    assert executor.asked[-1][1].wall_s == 20.0


def test_runs_whose_length_says_nothing_of_them_have_a_cap_above_the_longest(tmp_path: Path) -> None:
    executor = _Recorder()
    with fake_study(tmp_path, executor=executor) as study:
        study.runner._policy = replace(study.runner._policy, least_cap_s=900.0)
        study.runner.make(BASELINE, Configuration(), "")
        study.runner.make(TRIAL, LARGE, "")
    assert executor.asked[-1][1].wall_s == 900.0


def test_spending_counts_ended_runs_and_takes_the_reference_as_typical(tmp_path: Path) -> None:
    faults = at_runs({2: Fault.FAIL, 4: Fault.INTERRUPT})
    plan = FakePlan(Budget(100.0, 10), Surface(0.4), QUIET, faults=faults)
    with fake_study(tmp_path, plan) as study:
        assert study.runner.spending().left == 10  # nothing is known about times yet
        study.runner.make(BASELINE, Configuration(), "")
        study.runner.make(TRIAL, LARGE, "")
        study.runner.make(RunKey(Purpose.TRIAL, "trial-2"), LARGE, "")
        with pytest.raises(KeyboardInterrupt):
            study.runner.make(RunKey(Purpose.TRIAL, "trial-3"), LARGE, "")
    with fake_study(tmp_path, plan) as study:
        spending = study.runner.spending()
        assert spending.spent_runs == 3
        assert spending.run_s == pytest.approx(10.3)
        assert 10.3 + 0.5 < spending.spent_s < 2 * 10.3 + 0.5


def test_history_is_the_same_in_the_process_and_after_it(tmp_path: Path) -> None:
    class Incomplete(FakeExecutor):
        """Gives a whole number, a value that is no number, and one that is missing."""

        def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
            measurement = Measurement({"throughput_settled_ops_s": 5, "waf": float("nan"), "cpu_s": None})
            return replace(super().run(run, limits, watch), measurement=measurement)

    with fake_study(tmp_path, executor=Incomplete(Surface())) as study:
        study.runner.make(TRIAL, LARGE, "")
        assert study.runner.history == study.history
        assert study.history.indicators(1)["throughput_settled_ops_s"] == 5.0
        assert study.history.indicators(1)["waf"] is None


def test_the_listener_hears_each_run_start_and_end(tmp_path: Path) -> None:
    heard = _Events()
    plan = FakePlan(Budget(100.0, None), noise=QUIET, rules=fake_rules())
    with fake_study(tmp_path, plan, listener=heard) as study:
        study.runner.make(BASELINE, Configuration(), "baseline stock")
        study.runner.make(TRIAL, LARGE, "trial 1")
    assert heard.heard == [
        ("started baseline stock", 1, 100),
        ("ended ok", 1, 1),
        ("started trial 1", 2, 90),
        ("ended ok", 2, 2),
    ]
