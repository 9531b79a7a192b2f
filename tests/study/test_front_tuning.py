"""Tunings whose result is a front, held against the truth of the fake engine."""

from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from lsmtune.errors import UsageError
from lsmtune.indicators import Guard, Objective
from lsmtune.model import Purpose
from lsmtune.result import Relation, Standing, summarise
from lsmtune.study import Budget, Listener
from lsmtune.testing import FakePlan, Fault, Noise, Surface, at_runs, fake_rules, fake_study

RATE, MEMORY = "throughput_settled_ops_s", "memory_peak_bytes"
RULES = replace(
    fake_rules(),
    objective=Objective({RATE: 1.0, MEMORY: 0.3}),
    guards=(Guard("space_bytes", 1.3),),
    finalists=6,
    pareto=True,
)
PLAN = FakePlan(Budget(None, 420), Surface(0.8), Noise(rate=0.03), seed=4, rules=RULES)


class Notes(Listener):
    """Keeps what is worth knowing."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, sentence: str) -> None:
        self.heard.append(sentence)


def test_a_front_of_several_trades_is_verified_and_its_numbers_hold_the_truth(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        result = study.tune()
    front = result.front
    assert front is not None
    assert len(result.verified) == 6
    assert len(front.members) >= 3
    assert front.chosen == result.decisions.winner
    assert any(each.relation is Relation.TRADE for each in front.pairings)
    base = PLAN.surface.indicators({})
    held = []
    for each in result.verified:
        truth = PLAN.surface.indicators(result.candidates[each.arm].values)
        for name in (RATE, MEMORY):
            pairs = each.indicators[name]
            held.append(pairs.low <= truth[name] / base[name] <= pairs.high)
        if each.arm in front.members:
            assert truth[RATE] > base[RATE] or truth[MEMORY] < base[MEMORY]
    assert sum(held) >= len(held) - 1
    known = {arm: PLAN.surface.indicators(each.values) for arm, each in result.candidates.items()}
    for loser, better in front.dominated.items():
        assert known[better][RATE] > 0.97 * known[loser][RATE]
        assert known[better][MEMORY] < 1.03 * known[loser][MEMORY]


def test_the_first_look_holds_every_finalist_in_every_block(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        study.tune()
        runs = [stored.run for stored in study.history.select((Purpose.VERIFY,))]
    blocks = Counter(run.block for run in runs)
    assert [blocks[block] for block in range(6)] == [7] * 6


def test_a_front_that_was_interrupted_is_the_same(tmp_path: Path) -> None:
    with fake_study(tmp_path / "whole", PLAN) as study:
        whole = study.tune()
    for stop in count(40, 61):
        try:
            with fake_study(tmp_path / "pieces", replace(PLAN, faults=at_runs({stop: Fault.INTERRUPT}))) as study:
                pieces = study.tune()
            break
        except KeyboardInterrupt:
            continue
    assert stop > 100
    assert pieces.front == whole.front
    assert pieces.verified == whole.verified
    assert pieces.final == whole.final


def test_another_accepted_finalist_can_be_taken_home_as_it_was_verified(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        result = study.tune()
        assert result.front is not None
        other = result.front.members[1]
        taken = summarise(study.study, take=int(other.rpartition("-")[2]))
        refused = [each.arm for each in result.verified if not each.accepted]
        with pytest.raises(UsageError, match="there is no finalist-7"):
            summarise(study.study, take=7)
        for arm in refused:
            with pytest.raises(UsageError, match=f"{arm} was not shown to be better"):
                summarise(study.study, take=int(arm.rpartition("-")[2]))
    assert taken.final == result.candidates[other]
    assert taken.verdict is not None
    assert taken.verdict.arm == other
    assert (taken.confirmed, taken.tests) == (None, ())
    assert {change.option for change in taken.changes} == set(taken.final.values)
    assert taken.front == result.front


@pytest.mark.parametrize("seed", range(1, 4))
def test_there_is_no_front_where_nothing_differs(tmp_path: Path, seed: int) -> None:
    with fake_study(tmp_path, replace(PLAN, surface=Surface(), seed=seed)) as study:
        result = study.tune()
    assert result.front is not None
    assert result.front.members == ()
    assert not result.improved
    assert result.final == PLAN.rules.start


def test_where_none_is_accepted_what_is_better_but_open_is_the_winner(tmp_path: Path) -> None:
    unknown = replace(RULES, guards=(Guard("space_peak_bytes", 1.3),), finalists=2)  # the fake engine does not tell it
    plan = replace(PLAN, rules=unknown, budget=Budget(None, 120), noise=Noise(rate=0.01))
    with fake_study(tmp_path, plan) as study:
        result = study.tune()
    assert result.front is not None
    assert result.front.members == ()
    assert result.decisions.winner
    assert result.standing is Standing.UNDECIDED
    assert result.final == result.candidates[result.decisions.winner]


def test_a_budget_that_holds_one_finalist_takes_one_that_stands_for_the_front(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(PLAN, budget=Budget(None, 40))) as study:
        result = study.tune()
    assert len(result.verified) == 1
    assert result.verified[0].parts.keys() == {RATE, MEMORY}


def test_a_choice_without_a_weighted_gain_is_not_made_smaller(tmp_path: Path) -> None:
    even = replace(RULES, objective=Objective({RATE: 3.0, MEMORY: 2.0}))  # a larger buffer gains r and costs 1.5 r
    plan = replace(PLAN, rules=even, surface=Surface(0.5, frozenset({"write_buffer_size"})))
    notes = Notes()
    with fake_study(tmp_path, plan, listener=notes) as study:
        result = study.tune()
        again = study.tune()
    assert result.front is not None
    assert result.front.members
    assert result.decisions.elimination == ()
    assert "the weighted gain of what was chosen may be none, so nothing is reverted by it" in notes.heard
    assert again.decisions == result.decisions
