"""What is kept beside a study, or of a host, stays as it was where the disk has no room for all of what is new."""

import errno
import math
from pathlib import Path

import pytest

import lsmtune
from lsmtune.analysis import AnalysisPlan, Learner
from lsmtune.api._predict import _keep
from lsmtune.errors import LsmtuneError, LsmtuneWarning
from lsmtune.forecast import Calibration
from lsmtune.lsm_model.tree import Costs
from lsmtune.nni._kept import Started
from lsmtune.nni._translation import Asked
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Noise, Surface, fake_study

EARLIER = "earlier\n"


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk on which no file can be written to its end."""

    def fails(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)


def texts_of(folder: Path, name: str) -> dict[str, str]:
    """Return what a file holds, and all whose names begin like its own."""
    return {path.name: path.read_text() for path in folder.glob(f"{name}*")}


@pytest.fixture
def analysed(tmp_path: Path) -> Path:
    """A sample with an earlier analysis."""
    plan = FakePlan(Budget(math.inf, None), Surface(0.6, frozenset({"write_buffer_size"})), Noise(rate=0.02))
    with fake_study(tmp_path / "drawn", plan) as study:
        study.sample(SampleSettings(plan.space, "sobol", 48, 16, 0, 1, anchor_every=5, noise_runs=5, seed=1))
    (tmp_path / "drawn" / "analysis.json").write_text(EARLIER)
    return tmp_path / "drawn"


@pytest.mark.usefixtures("analysed", "full")
def test_an_analysis_leaves_the_earlier_one(analysed: Path) -> None:
    little = AnalysisPlan((Learner.KERNEL,), trees=10, points=32, draws=50, curves=0, explained=5, shadows=2)
    with pytest.warns(LsmtuneWarning, match=r"analysis\.json cannot be written: No space left on device"):
        lsmtune.analyze(analysed, indicators=["throughput_settled_ops_s"], plan=little)
    assert texts_of(analysed, "analysis.json") == {"analysis.json": EARLIER}


@pytest.mark.usefixtures("full")
def test_a_calibration_leaves_the_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "kept.toml").write_text(EARLIER)
    made = Calibration("host", "here", 2, "build", "7.8.3", "2026-11-25T00:00:00+00:00", Costs())
    with pytest.warns(LsmtuneWarning, match=r"kept\.toml cannot be written: No space left on device"):
        _keep(made, tmp_path / "kept.toml")
    assert texts_of(tmp_path, "kept.toml") == {"kept.toml": EARLIER}


@pytest.mark.usefixtures("full")
def test_the_start_of_an_experiment_of_nni_leaves_the_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "nni.json").write_text(EARLIER)
    with pytest.raises(LsmtuneError, match=r"nni\.json cannot be written: No space left on device; free some space"):
        Started(tmp_path / "config.yml", Asked()).keep(tmp_path)
    assert texts_of(tmp_path, "nni.json") == {"nni.json": EARLIER}
