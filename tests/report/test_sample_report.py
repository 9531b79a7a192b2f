"""The card of a sample."""

from pathlib import Path

from report_builders import on_page

from lsmtune.report import sample_card, sample_json
from lsmtune.study import SampleSettings
from lsmtune.testing import Candidates, FakePlan, Trouble, World, fake_space, fake_study


def test_runs_that_others_spoiled_are_counted_like_all_others(tmp_path: Path) -> None:
    world = World(candidates=Candidates(trouble=Trouble.DISK_OF_OTHERS, troubled=0.5))
    settings = SampleSettings(fake_space(), "sobol", 8, 0, 3, 3, anchor_every=5, noise_runs=3, seed=7)
    with fake_study(tmp_path / "study", FakePlan(world=world)) as study:
        runs = study.sample(settings)
    counts = sample_json(runs, ())["counts"]
    assert counts["sample"]["spoiled"] > 0
    assert sum(number for of_purpose in counts.values() for number in of_purpose.values()) == len(runs)
    assert "spoiled" in on_page(sample_card(runs, tmp_path / "study", ()), 100)
