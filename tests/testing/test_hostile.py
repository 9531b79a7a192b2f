"""What the suite of hostile worlds counts is what happened, and its bounds are exact."""

import math
from pathlib import Path

import pytest

from lsmtune.testing.hostile import (
    WORLDS,
    Answered,
    Kind,
    Question,
    as_csv,
    as_markdown,
    rates,
    read_kept,
    run_study,
    studies_of,
)
from lsmtune.testing.hostile._runner import code_fingerprint

GUARD_15, CRASH, SMALL = WORLDS["guard-15"], WORLDS["crash"], WORLDS["small-effects-3"]
LZ4 = {"compression_type": "lz4"}


def _answered(question: Question, yes: int, of: int, kind: Kind = Kind.TUNE_1) -> list[Answered]:
    return [Answered("calm", kind, seed, {question: seed <= yes}, None, None, "", "") for seed in range(1, of + 1)]


def test_the_truth_of_a_world_is_that_of_its_surface_and_its_candidates() -> None:
    assert math.exp(GUARD_15.log_gain(LZ4, {})) == pytest.approx(1.20)
    assert math.exp(GUARD_15.log_ratio("latency_p99_s", LZ4, {})) == pytest.approx(1.10 * 1.15)
    assert GUARD_15.log_gain(LZ4, {"block_size": 16384}) == 0.0
    assert GUARD_15.log_gain({"compression_type": "snappy"}, {}) == 0.0
    assert math.exp(WORLDS["stalls-10"].log_gain(LZ4, {})) == pytest.approx(1.0)
    assert math.exp(WORLDS["stalls-20"].log_gain(LZ4, {})) == pytest.approx(0.797, abs=0.001)


def test_small_effects_add_up_to_about_a_quarter_and_none_is_worth_more_than_three_percent() -> None:
    best = SMALL.surface.best()
    alone = [math.exp(SMALL.log_gain({name: value}, {})) for name, value in best.items()]
    assert len(alone) == 12
    assert min(alone) == pytest.approx(1.01)
    assert max(alone) == pytest.approx(1.03)
    assert math.exp(SMALL.log_gain(best, {})) == pytest.approx(math.prod(alone)) == pytest.approx(1.27, abs=0.01)


@pytest.mark.parametrize("kind", list(Kind))
def test_a_study_gives_the_same_answers_again(kind: Kind) -> None:
    first, again = (run_study(CRASH, kind, 3) for _ in range(2))
    assert first == again
    assert set(first.shares) <= CRASH.asks
    assert first.shares[Question.ENDED]


def test_elimination_is_asked_of_winners_only_and_says_what_was_lost() -> None:
    answers = run_study(SMALL, Kind.TUNE_1, 1)
    assert answers.gained is not None
    assert answers.lost is not None
    assert answers.gained == pytest.approx(math.log(1.27), abs=0.01)
    assert -0.01 <= answers.lost <= answers.gained


def test_only_studies_that_can_answer_are_run() -> None:
    assert studies_of(["small-effects-3"], Kind) == [("small-effects-3", Kind.TUNE_1), ("small-effects-3", Kind.TUNE_3)]
    assert ("calm", Kind.SWEEP) in studies_of(WORLDS, Kind)
    assert ("guard-5", Kind.SWEEP) not in studies_of(WORLDS, Kind)


def test_bounds_are_those_of_clopper_and_pearson() -> None:
    (false,) = rates(_answered(Question.FALSE, 9, 400))
    assert (false.value, false.n, false.missed) == (0.0225, 400, False)
    assert false.bound == pytest.approx(0.0389, abs=0.0005)
    (none,) = rates(_answered(Question.FALSE, 0, 400))
    assert none.bound == pytest.approx(1 - 0.05 ** (1 / 400))
    (covered,) = rates(_answered(Question.CLAIM, 380, 400))
    assert covered.bound == pytest.approx(0.9282, abs=0.001)
    assert not covered.missed
    (shown,) = rates(_answered(Question.SHOWN, 200, 400, Kind.COMPARE))
    assert not shown.missed  # the goal is that of one finalist


def test_a_goal_is_surely_missed_only_where_chance_does_not_explain_it() -> None:
    assert not rates(_answered(Question.FALSE, 1, 6))[0].surely_missed()
    assert rates(_answered(Question.FALSE, 1, 6))[0].missed
    assert rates(_answered(Question.FALSE, 4, 6))[0].surely_missed()
    assert not rates(_answered(Question.CLAIM, 5, 6))[0].surely_missed()
    assert rates(_answered(Question.ENDED, 5, 6))[0].surely_missed()


def test_the_loss_of_elimination_is_a_share_of_all_gains_together() -> None:
    kept = [Answered("calm", Kind.TUNE_1, seed, {}, 0.01 * seed, 0.2, "", "") for seed in range(1, 5)]
    (loss,) = rates(kept)
    assert loss.question is Question.LOST
    assert loss.value == pytest.approx(0.1 / 0.8)
    assert loss.missed
    assert loss.value < loss.bound < 0.2


def test_tables_show_rate_bound_and_n_and_what_misses_its_goal_in_bold() -> None:
    found = rates([*_answered(Question.FALSE, 9, 400), *_answered(Question.FALSE, 90, 400, Kind.SWEEP)])
    assert as_markdown(found).splitlines() == [
        "**False improvements**; goal: at most 5 %",
        "",
        "| World | What happens | tune, 1 finalist | sweep |",
        "| --- | --- | --- | --- |",
        "| `calm` | identical arms | 2.2 % (<= 3.9 %, 400) | **22.5 % (<= 26.2 %, 400)** |",
    ]
    assert as_csv(found).splitlines()[2] == "false improvements,calm,sweep,0.2250,0.2621,400,0.05,1"


def test_answers_are_kept_and_those_of_other_code_are_not_used(tmp_path: Path) -> None:
    own = Answered("calm", Kind.SWEEP, 2, {Question.FALSE: False}, None, None, "", code_fingerprint())
    other = Answered("calm", Kind.SWEEP, 1, {Question.FALSE: True}, None, None, "", "of other code")
    kept = tmp_path / "kept.jsonl"
    kept.write_text(f"{other.to_line()}\n{own.to_line()}\n")
    assert read_kept(kept) == [own]
    assert read_kept(tmp_path / "none") == []
