"""Budgets, what is left of them, and how they are shared out."""

from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune.errors import BudgetError, QuantityError, UsageError
from lsmtune.model import Configuration, Purpose, StudyKind
from lsmtune.result import checkpoints
from lsmtune.study import Budget, RunKey
from lsmtune.study._budget import CONFIRM_RUNS, Spending, check_room, share_out
from lsmtune.study.plans._ablation import LEAST_PAIRS
from lsmtune.testing import FakePlan, fake_rules, fake_study


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("20m", Budget(1200.0, None)),
        ("100 runs", Budget(None, 100)),
        ("1 run", Budget(None, 1)),
        ("20m, 100 runs", Budget(1200.0, 100)),
        (" 100 runs ,1h ", Budget(3600.0, 100)),
    ],
)
def test_a_budget_is_a_time_a_number_of_runs_or_both(text: str, budget: Budget) -> None:
    assert Budget.parse(text) == budget


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "20m,", "20m, 30m", "3 runs, 4 runs", "0 runs", "0s", "20m, 0 runs", "-5 runs", "1.5 runs"),
        *("1h30", "10 000s", "1 800"),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        Budget.parse(text)


@pytest.mark.parametrize(
    ("text", "next_step"),
    [("soon", 'write it like "1h 30m", "100 runs"'), ("40 trials", r"write trials under \[budget\]")],
)
def test_what_a_budget_can_be_is_said_of_one_that_cannot_be_read(text: str, next_step: str) -> None:
    said = f'^the budget "{text}" is neither a time nor a number of runs; {next_step}'
    with pytest.raises(QuantityError, match=said):
        Budget.parse(text)


@pytest.mark.parametrize(("time_s", "runs"), [(None, None), (0.0, None), (None, 0), (-1.0, 5), (5.0, -1)])
def test_a_budget_that_holds_nothing_is_refused(time_s: float | None, runs: int | None) -> None:
    with pytest.raises(UsageError, match="give a time, a number of runs or both"):
        Budget(time_s, runs)


def _spending(budget: Budget, spent_s: float, spent_runs: int) -> Spending:
    return Spending(budget, 10.0, spent_s, spent_runs)


@pytest.mark.parametrize(
    ("budget", "left", "left_s"),
    [
        (Budget(1000.0, None), 95.0, 950.0),
        (Budget(None, 60), 55.0, None),
        (Budget(1000.0, 60), 55.0, 950.0),
        (Budget(100.0, 60), 5.0, 50.0),
        (Budget(40.0, None), -1.0, 0.0),
        (Budget(None, 3), -2.0, None),
    ],
)
def test_what_is_left_is_counted_in_runs_of_typical_length(budget: Budget, left: float, left_s: float | None) -> None:
    spending = _spending(budget, 50.0, 5)
    assert (spending.left, spending.left_s) == (left, left_s)


@pytest.mark.parametrize("runs", range(22, 400, 7))
def test_the_shares_fit_what_is_left(runs: int) -> None:
    spending = _spending(Budget(None, runs), 50.0, 5)
    shares = share_out(spending, 3)
    assert 1 <= shares.finalists <= 3
    assert spending.left - shares.after_search >= 5, "too few trials"
    verification = shares.after_search - shares.after_verification
    assert verification + 1e-9 >= 6 * (shares.finalists + 1), "the first look does not fit"
    assert shares.after_verification >= 0


def test_a_large_budget_is_shared_out_among_search_verification_and_elimination() -> None:
    shares = share_out(_spending(Budget(None, 205), 50.0, 5), 3)
    assert (shares.finalists, shares.after_search, shares.after_verification) == (3, 120.0, 70.0)


def test_a_small_budget_verifies_one_finalist() -> None:
    shares = share_out(_spending(Budget(None, 22), 50.0, 5), 3)
    assert (shares.finalists, shares.after_search, shares.after_verification) == (1, 12.0, 0.0)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [(30, (1, 12.5, 0.0)), (60, (1, 24.0, 0.0)), (80, (1, 24.0, 0.0)), (90, (2, 54.25, 33.0)), (105, (3, 60.0, 35.0))],
)
def test_a_share_of_elimination_that_holds_no_test_is_for_the_search_and_a_second_look(
    runs: int, expected: tuple[int, float, float]
) -> None:
    shares = share_out(_spending(Budget(None, runs), 50.0, 5), 3)
    assert (shares.finalists, shares.after_search, shares.after_verification) == expected


def test_the_least_share_of_elimination_holds_tests_of_single_changes_and_one_of_them_together() -> None:
    shared = [share_out(_spending(Budget(None, runs), 50.0, 5), 3).after_verification for runs in range(22, 200)]
    room = min(share for share in shared if share) - CONFIRM_RUNS
    assert room >= 3 * LEAST_PAIRS + 2 * LEAST_PAIRS, "two changes alone beside all, then one test of them together"


@pytest.mark.parametrize("budget", [Budget(None, 21), Budget(219.0, None), Budget(219.0, 500)])
def test_a_budget_without_room_for_a_verification_is_refused_with_what_is_needed(budget: Budget) -> None:
    with pytest.raises(UsageError, match=r"one run takes about 10 s.* need 22 runs or .*--budget"):
        share_out(_spending(budget, 50.0, 5), 3)


def test_too_few_runs_are_refused_before_the_first_of_them() -> None:
    check_room(Budget(None, 26), 9)
    check_room(Budget(1.0, None), 9)  # how long a run takes is not known yet
    with pytest.raises(UsageError, match=r"25 runs is too small: 9 of the starting points.*are 26"):
        check_room(Budget(None, 25), 9)


@pytest.mark.parametrize(("runs", "measured"), [(30, 0), (200, 2)])
def test_a_short_budget_does_not_go_into_starting_points_that_nobody_asked_for(
    tmp_path: Path, runs: int, measured: int
) -> None:
    rules = replace(fake_rules(), baselines={"mine": Configuration.of({"block_size": 8192}), "stock": Configuration()})
    with fake_study(tmp_path, FakePlan(Budget(None, runs), rules=rules)) as study:
        study.tune()
        made = study.history.select((Purpose.BASELINE,), "mine")
        assert len(study.history.select((Purpose.BASELINE,), "stock")) == 5
        order = [stored.run.arm for stored in study.history.runs]
    assert len(made) == measured
    if measured:
        places = [place for place, arm in enumerate(order) if arm == "mine"]
        assert order[:4] == ["stock", "stock", "stock", "trial-1"]
        assert [order[place - 1] for place in places] == ["stock", "stock"], "each stands beside a run of the reference"
        assert [stored.run.block for stored in made] == [3, 4]


def test_a_study_that_began_with_its_starting_points_goes_on_with_them(tmp_path: Path) -> None:
    rules = replace(fake_rules(), baselines={"mine": Configuration.of({"block_size": 8192}), "stock": Configuration()})
    plan = FakePlan(Budget(None, 200), rules=rules)
    with fake_study(tmp_path, plan) as study:  # as they were run before
        study.study.begin(StudyKind.TUNE)
        study.study.save(checkpoints.OTHER_BASELINES, value=True)
        for arm in ("stock", "mine"):
            study.runner.make(RunKey(Purpose.BASELINE, arm, 0), rules.baselines[arm], arm)
    with fake_study(tmp_path, plan) as study:
        study.tune()
        made = study.history.select((Purpose.BASELINE,), "mine")
    assert [stored.run.block for stored in made] == [0, 1]


@pytest.mark.parametrize("noise_runs", [3, 4, 8])
def test_however_often_the_reference_is_repeated_the_others_stand_beside_its_last_runs(
    tmp_path: Path, noise_runs: int
) -> None:
    rules = replace(fake_rules(), baselines={"mine": Configuration.of({"block_size": 8192}), "stock": Configuration()})
    with fake_study(tmp_path, FakePlan(Budget(None, 200), rules=rules, noise_runs=noise_runs)) as study:
        study.tune()
        made = study.history.select((Purpose.BASELINE,), "mine")
    assert [stored.run.block for stored in made] == [noise_runs - 2, noise_runs - 1]


def test_a_budget_that_keeps_a_share_holds_the_rest_and_says_so_where_it_is_too_small() -> None:
    kept = Budget(1000.0, 30).keeping(0.4)
    assert kept.time_s == pytest.approx(600.0)
    assert kept.runs == 18
    with pytest.raises(
        BudgetError, match=r"the budget of 18 runs is too small.*; 40\.0 % of what was given is kept for"
    ):
        check_room(kept, 5)
    with pytest.raises(BudgetError) as refusal:
        check_room(Budget(None, 18), 5)
    assert "kept" not in str(refusal.value)
