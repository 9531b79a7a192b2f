"""The card of a sample."""

from pathlib import Path

from report_builders import on_page

from lsmtune.model import Purpose, Run
from lsmtune.report import sample_card, sample_json
from lsmtune.study import SampleSettings
from lsmtune.testing import FakePlan, Fault, fake_space, fake_study


def test_runs_that_others_spoiled_are_counted_like_all_others(tmp_path: Path) -> None:
    def fills(run: Run) -> Fault | None:
        return Fault.SPOIL if run.purpose is Purpose.SAMPLE and run.id % 2 == 0 else None

    settings = SampleSettings(fake_space(), "sobol", 8, 0, 3, 3, anchor_every=5, noise_runs=3, seed=7)
    with fake_study(tmp_path / "study", FakePlan(faults=fills)) as study:
        runs = study.sample(settings)
    counts = sample_json(runs, ())["counts"]
    assert counts["sample"]["spoiled"] > 0
    assert sum(number for of_purpose in counts.values() for number in of_purpose.values()) == len(runs)
    assert "spoiled" in on_page(sample_card(runs, tmp_path / "study", ()), 100)
