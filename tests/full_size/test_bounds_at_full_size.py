"""Guards and limits on memory and space are held at full size, whatever runs at a scale show."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from full_size_builders import LEVELED, MANY, MIB, UNIVERSAL, compared, plan, verdict

from lsmtune.indicators import Guard, Limit
from lsmtune.model import Value
from lsmtune.result import Rules, Standing
from lsmtune.stats import GuardVerdict
from lsmtune.testing import FakePlan, fake_rules, fake_study

GIB = 1 << 30


def older(wanted: FakePlan) -> FakePlan:
    """The same in a study whose bounds are of its runs."""
    return replace(wanted, rules=replace(wanted.rules, full_size=None))


def test_a_guard_that_memory_not_worse_refuses_what_needs_seven_times_the_memory(tmp_path: Path) -> None:
    """The runs at 1/64 hide it: 1.46x was recorded at 1/256 of what took 7.4x at 1/4."""
    wanted = plan(Guard("memory_peak_bytes", 2.0))
    best = verdict(compared(tmp_path / "now", wanted, MANY))
    guard, seen = best.guards["memory_peak_bytes"], best.scaled["memory_peak_bytes"]
    assert guard.verdict is GuardVerdict.BROKEN
    assert guard.worsening is not None
    assert guard.worsening > 7.4
    assert seen.verdict is GuardVerdict.HELD
    assert best.standing is Standing.REFUSED
    assert verdict(compared(tmp_path / "then", older(wanted), MANY)).accepted


def test_a_configuration_with_no_more_memory_holds_it_though_runs_scatter(tmp_path: Path) -> None:
    same: dict[str, Value] = {"level0_file_num_compaction_trigger": 8}
    best = verdict(compared(tmp_path, plan(Guard("memory_peak_bytes", 1.0)), same))
    assert best.guards["memory_peak_bytes"].verdict is GuardVerdict.HELD
    assert best.scaled["memory_peak_bytes"].verdict is not GuardVerdict.HELD


@pytest.mark.parametrize(("most", "held"), [(4 * GIB, True), (300 * MIB, False)])
def test_a_limit_on_memory_is_one_at_full_size(tmp_path: Path, most: int, held: bool) -> None:
    best = verdict(compared(tmp_path, plan(Limit("memory_peak_bytes", "<=", most))))
    (limit,) = best.limits
    assert (limit.seen.verdict is GuardVerdict.HELD) is held
    assert best.accepted is held
    assert limit.seen.mean == pytest.approx(3 * 128 * MIB, rel=0.3)


@pytest.mark.parametrize(("most", "held"), [(200 * GIB, True), (GIB, False)])
def test_a_limit_on_space_is_one_at_full_size(tmp_path: Path, most: int, held: bool) -> None:
    best = verdict(compared(tmp_path, plan(Limit("space_bytes", "<=", most))))
    (limit,) = best.limits
    assert (limit.seen.verdict is GuardVerdict.HELD) is held
    assert limit.seen.mean is not None
    assert limit.seen.mean > 50 * 110e6
    assert best.scaled["space_bytes"].verdict is GuardVerdict.HELD


def test_what_the_extrapolation_leaves_open_takes_no_further_runs(tmp_path: Path) -> None:
    best = verdict(compared(tmp_path, plan(Guard("space_bytes", 1.05)), MANY))
    assert best.guards["space_bytes"].verdict is GuardVerdict.INCONCLUSIVE
    assert best.scaled["space_bytes"].verdict is GuardVerdict.HELD
    assert best.standing is Standing.UNDECIDED
    assert best.beyond_runs == ("space_bytes",)
    assert not best.is_open


def test_leveled_space_that_stays_is_shown_to_stay(tmp_path: Path) -> None:
    best = verdict(compared(tmp_path, plan(Guard("space_bytes", 1.20))))
    assert best.guards["space_bytes"].verdict is GuardVerdict.HELD
    assert best.guards["space_bytes"].high is not None
    assert best.scaled["space_bytes"].high is not None
    assert best.accepted


def test_at_full_size_what_is_measured_counts(tmp_path: Path) -> None:
    wanted = plan(Guard("memory_peak_bytes", 2.0), scale=Fraction(1))
    assert wanted.rules.full_size is None
    best = verdict(compared(tmp_path, wanted, MANY))
    assert best.accepted
    assert not best.scaled


def test_a_search_keeps_what_breaks_a_computed_guard_from_the_finalists(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(plan(Guard("memory_peak_bytes", 1.5)), first=(MANY,))) as study:
        study.tune()
        ran = {stored.run.arm: stored.run.configuration.values for stored in study.history.runs}
        assert ran["trial-1"] == MANY
        assert "trial-1" not in (study.decisions.finalists or ())


def test_the_rules_of_bounds_are_kept_with_the_study() -> None:
    rules = plan(Guard("space_bytes", 1.1)).rules
    assert Rules.from_json(rules.to_json()) == rules
    assert rules.full_size is not None
    assert rules.full_size.factor == 64
    without = {name: value for name, value in rules.to_json().items() if name != "full_size"}
    assert Rules.from_json(without).full_size is None


def test_finalists_leave_room_for_what_one_run_leaves_open() -> None:
    held, start = plan().rules.full_size, fake_rules().start
    assert held is not None
    assert held.noise("memory_peak_bytes", 0.01, start) == 0
    assert held.noise("space_bytes", 0.01, start) > 0.03
    assert held.noise("waf", 0.01, start) == 0.01


def test_leveled_configurations_are_told_apart_by_less_than_universal_ones() -> None:
    held = plan().rules.full_size
    assert held is not None
    start = fake_rules().start
    leveled = held.log_half_width("space_full_size_bytes", start.changed(LEVELED), start)
    tiered = held.log_half_width("space_full_size_bytes", start.changed(UNIVERSAL), start)
    assert 0 < leveled < tiered
    assert held.log_half_width("memory_full_size_bytes", start) == 0
