"""A disk that another job fills for a while ends a study on one host in a sentence, and costs it nothing."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from fault_builders import GOOD

from lsmtune.errors import RunSpoiledError
from lsmtune.model import Run, Status
from lsmtune.study import SampleSettings
from lsmtune.study.plans._trials import trial_configurations
from lsmtune.testing import FakePlan, Fault, fake_space, fake_study

SAID = (
    "cannot be run, which is not its configuration's doing: 1 GiB are left on the disk of /scratch, below "
    "host.min_free = 4 GiB; mend that, and the same command goes on"
)


def full_from(first: int) -> FakePlan:
    """A tuning whose disk others have filled from a run on."""

    def faults(run: Run) -> Fault | None:
        return Fault.SPOIL if run.id >= first else None

    return replace(GOOD, faults=faults)


def made_on_a_full_disk(folder: Path, first: int) -> int:
    """How many runs a process makes until it ends."""
    with fake_study(folder, full_from(first)) as study:
        with pytest.raises(RunSpoiledError, match=f"^.* {re.escape(SAID)}$"):
            study.tune()
        return study.executor.made


@pytest.mark.parametrize("first", [1, 30, 60])
def test_it_ends_a_tuning_that_goes_on_as_if_nothing_had_been(tmp_path: Path, first: int) -> None:
    assert made_on_a_full_disk(tmp_path / "full", first) == first + 2
    assert made_on_a_full_disk(tmp_path / "full", first) <= 3, "no run of another key"
    with fake_study(tmp_path / "full", GOOD) as study:
        assert study.tune().decisions.done
        assert Status.SPOILED not in {stored.status for stored in study.runner.runs_by_key.values()}
        assert study.runner.spending().spent_runs <= (GOOD.budget.runs or 0)
        tried = trial_configurations(study.runner)
    with fake_study(tmp_path / "calm", GOOD) as calm:
        calm.tune()
        assert trial_configurations(calm.runner) == tried


def test_what_it_spoiled_stays_made_again_after_a_further_start(tmp_path: Path) -> None:
    made_on_a_full_disk(tmp_path, 30)
    with fake_study(tmp_path, GOOD) as study:
        study.tune()
        kept = dict(study.runner.runs_by_key)
    with fake_study(tmp_path, GOOD) as study:
        assert dict(study.runner.runs_by_key) == kept


def test_it_leaves_no_hole_in_a_sample(tmp_path: Path) -> None:
    settings = SampleSettings(fake_space(), "sobol", 8, 0, 3, 3, anchor_every=5, noise_runs=3, seed=7)
    with fake_study(tmp_path, full_from(6)) as study, pytest.raises(RunSpoiledError, match=re.escape(SAID)):
        study.sample(settings)
    with fake_study(tmp_path, GOOD) as study:
        study.sample(settings)
        assert {stored.status for stored in study.runner.runs_by_key.values()} == {Status.OK}
