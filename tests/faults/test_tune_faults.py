"""What goes wrong in runs does not end a study; what makes it pointless ends it in one sentence."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from fault_builders import GOOD, Notes, faults_on

from lsmtune.errors import RunError, SamplerError, StudyError
from lsmtune.model import Configuration, Purpose, Run, Status, Value
from lsmtune.result import Disturbed
from lsmtune.samplers import Sampler
from lsmtune.space import Constraint
from lsmtune.study import Budget, tune
from lsmtune.testing import FakePlan, Fault, Noise, Surface, at_runs, fake_study

# The reference


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.FAIL, "db_bench was told to fail"),
        (Fault.CENSOR, "its cap; take less data: a smaller scale or workload.num"),
    ],
)
def test_a_reference_that_cannot_be_run_ends_the_study_in_one_sentence(tmp_path: Path, fault: Fault, said: str) -> None:
    with fake_study(tmp_path, FakePlan(faults=at_runs({2: fault}))) as study:
        with pytest.raises(RunError, match=f'^the reference "stock" cannot be run: .*{said}$'):
            study.tune()
        assert study.executor.made == 2


def test_a_reference_that_could_not_be_run_is_tried_again_at_the_next_start(tmp_path: Path) -> None:
    with fake_study(tmp_path, FakePlan(faults=at_runs({2: Fault.FAIL}))) as study, pytest.raises(RunError):
        study.tune()
    with fake_study(tmp_path, FakePlan()) as study:
        assert study.tune().decisions.done


def test_a_reference_that_is_always_disturbed_ends_a_study_that_refuses_such_runs(tmp_path: Path) -> None:
    with fake_study(tmp_path, refusing(FakePlan(faults=faults_on(Purpose.BASELINE, Fault.DISTURB)))) as study:
        with pytest.raises(RunError, match=r"no run of the reference .* others used 29 %.*end what else runs"):
            study.tune()
        assert study.executor.made == 3 * 3


def test_anchors_that_fail_do_not_end_the_study(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(GOOD, faults=faults_on(Purpose.ANCHOR, Fault.FAIL))) as study:
        assert study.tune().improved


# Trials


@pytest.mark.parametrize("fault", [Fault.FAIL, Fault.CENSOR])
def test_trials_that_give_nothing_do_not_end_the_study(tmp_path: Path, fault: Fault) -> None:
    def faults(run: Run) -> Fault | None:
        return fault if run.purpose is Purpose.TRIAL and int(run.arm.partition("-")[2]) % 3 == 0 else None

    with fake_study(tmp_path, replace(GOOD, sampler="tpe", faults=faults)) as study:
        result = study.tune()
        trials = [stored for stored in study.history.runs if stored.run.purpose is Purpose.TRIAL]
    assert Counter(stored.status for stored in trials)[Status(f"{fault}ed" if fault is Fault.FAIL else "censored")] > 10
    assert result.improved
    assert all(int(arm.partition("-")[2]) % 3 for arm in result.decisions.finalists or ())
    said = [
        warning
        for warning in result.warnings
        if "runs failed; most often: db_bench was told to fail" in warning.sentence
    ]
    assert len(said) == (fault is Fault.FAIL)


def refusing(plan: FakePlan) -> FakePlan:
    """The same study, which uses no disturbed run."""
    return replace(plan, rules=replace(plan.rules, disturbed=Disturbed.REFUSE))


@pytest.mark.parametrize("fault", [Fault.FAIL, Fault.CENSOR, Fault.DISTURB])
def test_a_study_without_a_single_good_trial_ends_without_a_claim(tmp_path: Path, fault: Fault) -> None:
    heard = Notes()
    with fake_study(tmp_path, refusing(FakePlan(faults=faults_on(Purpose.TRIAL, fault))), listener=heard) as study:
        result = study.tune()
        arms = [stored.run.arm for stored in study.history.runs if stored.run.purpose is Purpose.TRIAL]
        tried = {stored.run.configuration.key for stored in study.history.runs if stored.run.arm in arms}
    assert result.decisions.done
    assert not result.improved
    assert result.final == Configuration()
    (note,) = heard.notes
    assert note.startswith("no trial looked better than the reference with its guards held; nothing to verify, and")
    assert len(tried) == len(set(arms)) > 5, "the sampler was stuck"


def test_a_hopeless_trial_is_stopped_at_its_cap(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(GOOD, surface=Surface(9.0))) as study:
        study.tune()
        censored = [stored for stored in study.history.runs if stored.status is Status.CENSORED]
    assert {stored.run.purpose for stored in censored} == {Purpose.TRIAL}
    assert all(30.0 <= (stored.bound_s or 0.0) <= 36.0 for stored in censored)  # 3 times the reference's 10 s


def test_a_disturbed_run_is_made_again_at_most_twice(tmp_path: Path) -> None:
    def faults(run: Run) -> Fault | None:
        return Fault.DISTURB if run.arm in ("trial-1", "trial-2") and (run.arm, run.id) != ("trial-2", 10) else None

    with fake_study(tmp_path, refusing(FakePlan(faults=faults))) as study:
        result = study.tune()
        runs = study.history.runs
    of_first, of_second = ([stored for stored in runs if stored.run.arm == arm] for arm in ("trial-1", "trial-2"))
    assert [stored.status for stored in of_first] == [Status.DISTURBED] * 3
    assert [stored.status for stored in of_second] == [Status.DISTURBED] * 2 + [Status.OK]
    assert len({stored.run.configuration.key for stored in of_first}) == 1
    assert len({stored.run.seed for stored in of_first}) == 3
    assert [leader.stored.run.id for leader in result.leaders if leader.stored.run.arm == "trial-2"] in ([], [10])
    assert "trial-1" not in [leader.stored.run.arm for leader in result.leaders]
    assert any(str(warning).startswith("disturbed-host: 5 of") for warning in result.warnings)


def test_a_trial_that_does_nothing_is_no_finalist(tmp_path: Path) -> None:
    class Unheard(Sampler):
        """Proposes what the reference has anyway, in words that the fake engine reads as the same."""

        def propose(self, index: int, attempt: int) -> Mapping[str, Value]:
            return {"write_buffer_size": 64 << 20}

    plan = FakePlan(noise=Noise(rate=0.1))
    settings = replace(plan.settings(), sampler=lambda: Unheard(plan.space, 1))
    with fake_study(tmp_path, plan) as study:
        tune(study.runner, settings)
        assert study.decisions.finalists == ()


# The sampler


def test_a_sampler_that_can_propose_nothing_ends_the_study_in_one_sentence(tmp_path: Path) -> None:
    impossible = Constraint.parse("max_write_buffer_number >= 100")
    plan = FakePlan()
    plan = replace(plan, space=replace(plan.space, constraints=(impossible,)))
    with fake_study(tmp_path, plan) as study:
        with pytest.raises(SamplerError, match="for example max_write_buffer_number >= 100 is broken"):
            study.tune()
        assert {stored.run.purpose for stored in study.history.runs} == {Purpose.BASELINE}


# Verification


@pytest.mark.parametrize("fault", [Fault.FAIL, Fault.DISTURB])
@pytest.mark.parametrize("arm", ["stock", "finalist-1"])
def test_verification_runs_that_give_nothing_leave_their_pairs_out(tmp_path: Path, fault: Fault, arm: str) -> None:
    plan = refusing(replace(GOOD, faults=faults_on(Purpose.VERIFY, fault, arm, range(1, 3))))
    with fake_study(tmp_path, plan) as study:
        result = study.tune()
    counts = {each.arm: each.claim.n for each in result.verified}
    assert set(counts) == {"finalist-1", "finalist-2", "finalist-3"}
    assert counts["finalist-1"] == 4
    assert counts["finalist-2"] == (4 if arm == "stock" else 6)
    assert (
        "missing-pairs: runs of the verification that gave nothing: 2; their pairs are missing from the claims"
        in map(str, result.warnings)
    )


@pytest.mark.parametrize("arm", ["stock", "finalist-1"])
def test_verification_runs_that_the_cap_stops_count_at_their_bound(tmp_path: Path, arm: str) -> None:
    with fake_study(tmp_path, replace(GOOD, faults=faults_on(Purpose.VERIFY, Fault.CENSOR, arm, range(1, 3)))) as study:
        result = study.tune()
    first, *others = result.verified
    assert first.claim.n >= 6
    stopped = (first.troubles.stopped, first.troubles.reference_stopped)
    assert stopped == ((2, 0) if arm == "finalist-1" else (0, 2))
    assert {each.troubles.stopped for each in others} == {0}


@pytest.mark.parametrize("fault", [Fault.FAIL, Fault.CENSOR])
def test_one_run_that_gives_nothing_bars_a_finalist(tmp_path: Path, fault: Fault) -> None:
    rules = replace(GOOD.rules, timed=False)
    faults = faults_on(Purpose.VERIFY, fault, "finalist-1", range(2, 3))
    with fake_study(tmp_path, replace(GOOD, rules=rules, faults=faults)) as study:
        result = study.tune()
    barred = result.verified[0]
    assert barred.troubles.bars
    assert not barred.accepted
    assert result.decisions.winner != "finalist-1"


def test_a_winner_that_fails_when_it_is_confirmed_is_not_taken_home(tmp_path: Path) -> None:
    faults = faults_on(Purpose.CONFIRM, Fault.FAIL, "winner", range(3, 4))
    with fake_study(tmp_path, replace(GOOD, faults=faults)) as study:
        result = study.tune()
    assert result.decisions.winner
    assert not result.improved
    assert result.final == result.rules.start
    assert result.verdict is not None
    assert result.verdict.troubles.failures


def test_a_finalist_that_always_fails_is_never_accepted(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(GOOD, faults=faults_on(Purpose.VERIFY, Fault.FAIL, "finalist-1"))) as study:
        result = study.tune()
    failed, *others = result.verified
    assert (failed.arm, failed.claim.n, failed.claim.gain, failed.accepted) == ("finalist-1", 0, None, False)
    assert result.decisions.winner in {other.arm for other in others}


def test_without_a_reference_in_verification_nothing_is_claimed(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(GOOD, faults=faults_on(Purpose.VERIFY, Fault.FAIL, "stock"))) as study:
        result = study.tune()
    assert result.decisions.done
    assert not result.improved


# Backward elimination


def test_a_change_whose_removal_cannot_be_run_stays(tmp_path: Path) -> None:
    def faults(run: Run) -> Fault | None:
        return Fault.FAIL if run.purpose is Purpose.PRUNE and run.arm.endswith("without") else None

    with fake_study(tmp_path, replace(GOOD, faults=faults)) as study:
        result = study.tune()
    assert result.tests
    assert not any(test.about.accepted or test.effect for test in result.tests)
    assert result.confirmed is None
    assert len(result.changes) > 1


def test_what_would_break_a_constraint_is_not_taken_back(tmp_path: Path) -> None:
    together = Constraint.parse("max_background_jobs >= 4 or write_buffer_size <= 64 MiB")
    plan = replace(GOOD, surface=Surface(0.4, frozenset({"write_buffer_size"})), budget=Budget(None, 200))
    plan = replace(plan, space=replace(plan.space, constraints=(together,)))
    with fake_study(tmp_path, plan) as study:
        result = study.tune()
        tested = [stored.run for stored in study.history.runs if stored.run.purpose in (Purpose.PRUNE, Purpose.CONFIRM)]
    assert result.tests
    assert not any(plan.space.violations(run.configuration.values) for run in tested)
    assert {change.option for change in result.changes} >= {"write_buffer_size", "max_background_jobs"}


# The folder


def test_a_study_whose_folder_is_moved_ends_and_goes_on_once_it_is_back(tmp_path: Path) -> None:
    folder, away = tmp_path / "s", tmp_path / "away"

    def faults(run: Run) -> Fault | None:
        if run.id == 12:
            folder.rename(away)
        return None

    with fake_study(folder, replace(GOOD, faults=faults)) as study:
        with pytest.raises(StudyError, match="move it back, and the same command goes on"):
            study.tune()
        assert study.executor.made == 12
    assert not folder.exists()
    away.rename(folder)
    with fake_study(folder, GOOD) as study:
        assert study.tune().decisions.done
