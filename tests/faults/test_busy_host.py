"""A host on which others disturb every run: studies end in a verdict all the same, and say what it rests on."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from fault_builders import GOOD, Notes

from lsmtune.analysis import sweep_cells
from lsmtune.errors import RunError
from lsmtune.experiment import NamedChange
from lsmtune.indicators import Objective
from lsmtune.model import Purpose, Run, Status
from lsmtune.result import Disturbed, StudyFacts, TuneResult
from lsmtune.stats import Decision
from lsmtune.store import read_study
from lsmtune.study import Budget, SampleSettings
from lsmtune.study.plans._search import search
from lsmtune.study.plans._single_runs import SingleRunHosts
from lsmtune.study.plans._stages import measure_baselines, shares
from lsmtune.testing import FakePlan, Fault, Noise, Surface, fake_study

USED = [Disturbed.WAIT, Disturbed.USE]
RATE = "throughput_settled_ops_s"


def busy(wanted: Disturbed, plan: FakePlan = GOOD) -> FakePlan:
    """A study in which every run is disturbed."""
    return replace(plan, faults=lambda _: Fault.DISTURB, rules=replace(plan.rules, disturbed=wanted))


def said(result: TuneResult, code: str) -> str:
    """What the linter says by a rule."""
    (found,) = (finding.sentence for finding in result.warnings if finding.rule.code == code)
    return found


@pytest.mark.parametrize("wanted", USED)
def test_a_tuning_ends_in_a_verdict_and_says_what_it_rests_on(tmp_path: Path, wanted: Disturbed) -> None:
    with fake_study(tmp_path, busy(wanted)) as study:
        result = study.tune()
        statuses = {stored.status for stored in study.history.runs}
    assert statuses == {Status.DISTURBED}
    assert result.decisions.done
    assert result.improved, "noise that hits both arms cancels out"
    assert result.verdict is not None
    assert result.verdict.claim.n >= 6
    every = said(result, "disturbed-pairs").split()
    assert every[0] == every[2] != "0", "all pairs"
    assert "used as they are: " in said(result, "disturbed-host")
    assert ("made again: " in said(result, "disturbed-host")) == (wanted is Disturbed.WAIT)


def test_a_study_is_shown_from_its_folder_as_it_was_in_its_process(tmp_path: Path) -> None:
    with fake_study(tmp_path, busy(Disturbed.WAIT)) as study:
        study.tune()
        assert study.runner.history == study.history
    with read_study(tmp_path) as stored:
        assert StudyFacts.of(stored.description).rules.disturbed is Disturbed.WAIT


@pytest.mark.parametrize("runs", [22, 26, 60])
@pytest.mark.parametrize("wanted", USED)
def test_runs_that_are_made_again_take_none_of_the_runs_of_the_budget(
    tmp_path: Path, runs: int, wanted: Disturbed
) -> None:
    plan = busy(wanted, replace(GOOD, budget=Budget(None, runs)))
    with fake_study(tmp_path, plan) as study:
        result = study.tune()
        again = len(study.history.repeated)
        made = study.executor.made
    assert result.decisions.done
    assert made - again <= runs
    assert made - again >= 0.6 * runs or not result.decisions.finalists
    assert again == (int(0.15 * runs) if wanted is Disturbed.WAIT else 0)


def test_a_time_is_never_passed_by_more_than_a_run(tmp_path: Path) -> None:
    with fake_study(tmp_path, busy(Disturbed.WAIT, replace(GOOD, budget=Budget(900.0, None)))) as study:
        result = study.tune()
        assert study.executor.clock_s <= 900.0 + max(stored.elapsed_s or 0.0 for stored in study.history.runs)
    assert result.decisions.done


def test_a_host_that_is_busy_now_and_then_is_waited_for(tmp_path: Path) -> None:
    def faults(run: Run) -> Fault | None:
        return Fault.DISTURB if run.id % 20 == 0 else None

    with fake_study(tmp_path, replace(GOOD, faults=faults)) as study:
        result = study.tune()
        runs = study.history
    assert {runs.counts(stored) for stored in runs.runs if stored.status is Status.DISTURBED} == {"nothing"}
    assert not [finding for finding in result.warnings if finding.rule.code == "disturbed-pairs"]
    assert result.improved


@pytest.mark.parametrize("wanted", USED)
def test_a_comparison_and_steps_end_in_a_verdict(tmp_path: Path, wanted: Disturbed) -> None:
    change = NamedChange("larger", "", {"write_buffer_size": 256 << 20})
    plan = busy(wanted, replace(GOOD, budget=Budget(math.inf, None)))
    with fake_study(tmp_path / "compare", plan) as study:
        compared = study.compare(change)
    assert compared.decisions.done
    assert compared.verified[0].claim.n >= 6
    assert compared.verified[0].claim.decision in Decision
    with fake_study(tmp_path / "steps", plan) as study:
        walked = study.tune_by_steps(change)
    assert walked.decisions.done
    assert walked.decisions.steps is not None
    assert walked.decisions.steps[0].looks >= 1
    assert said(walked, "disturbed-pairs")


@pytest.mark.parametrize(("wanted", "rates"), [(Disturbed.WAIT, 3), (Disturbed.USE, 3), (Disturbed.REFUSE, 0)])
def test_a_sweep_has_every_cell_and_what_others_cannot_change_in_any_case(
    tmp_path: Path, wanted: Disturbed, rates: int
) -> None:
    def faults(run: Run) -> Fault | None:
        return Fault.DISTURB if run.purpose is Purpose.SAMPLE else None

    plan = busy(wanted, replace(GOOD, budget=Budget(math.inf, None)))
    plan = replace(plan, faults=faults, noise=Noise(rate=0.02))
    axes = tuple(
        replace(axis, choices=(64 << 20, 256 << 20), low=None, high=None, log=False, specials=())
        for axis in plan.space.dimensions
        if axis.name == "write_buffer_size"
    )
    space = replace(plan.space, dimensions=axes)
    settings = SampleSettings(space, "factorial", 8, 0, 1000, 3, 5, 3, 1)
    with fake_study(tmp_path, replace(plan, space=space)) as study:
        cells = sweep_cells(study.sample(settings), (RATE, "waf"))
    assert len(cells) == 2
    assert {(cell.runs, cell.lost) for cell in cells} == {(rates, 3 - rates)}
    assert all(("waf" in cell.levels, RATE in cell.levels) == (True, rates > 0) for cell in cells)


def test_a_study_that_refuses_ends_with_how_to_go_on(tmp_path: Path) -> None:
    with fake_study(tmp_path, busy(Disturbed.REFUSE)) as study:
        with pytest.raises(RunError, match=r"end what else runs on this host, or write disturbed = \"use\""):
            study.tune()
        assert study.runner.spending().spent_runs == 3


def test_what_others_cannot_change_is_claimed_although_disturbed_runs_are_refused(tmp_path: Path) -> None:
    rules = replace(GOOD.rules, objective=Objective({"waf": 1.0}), guards=())
    with fake_study(tmp_path, busy(Disturbed.REFUSE, replace(GOOD, rules=rules))) as study:
        result = study.compare(NamedChange("larger", "", {"write_buffer_size": 256 << 20}))
    assert result.decisions.done
    assert result.verified[0].claim.n >= 6


def test_a_disturbed_share_does_not_stop_a_study_in_the_middle(tmp_path: Path) -> None:
    heard = Notes()
    with fake_study(tmp_path, busy(Disturbed.WAIT), listener=heard) as study:
        study.tune()
    (said_once,) = (note for note in heard.notes if "disturbed runs are used as they are" in note)
    assert "those that are made again have their 15.0 % of what may be spent" in said_once


def test_trials_with_less_data_still_go_on_to_whole_runs(tmp_path: Path) -> None:
    quarter = Fraction(1, 4)
    plan = FakePlan(Budget(2500.0, None), Surface(0.6), Noise(rate=0.01), seed=5, rungs=(quarter,))
    with fake_study(tmp_path, busy(Disturbed.USE, plan)) as study:
        settings = study.plan.settings()
        measure_baselines(study.runner, settings.noise_runs)
        search(study.runner, settings, shares(study.runner, 0), SingleRunHosts(study.runner, (study.runner.home,)))
        (check,) = study.decisions.rungs or ()
        whole = [stored for stored in study.history.runs if stored.run.purpose is Purpose.TRIAL]
    assert check.used
    assert len(whole) > check.n
