"""The card of a sample."""

from dataclasses import replace
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


def test_the_reference_varies_within_hosts_although_one_is_faster(tmp_path: Path) -> None:
    settings = SampleSettings(fake_space(), "sobol", 8, 0, 3, 3, anchor_every=5, noise_runs=4, seed=7)
    with fake_study(tmp_path / "study", FakePlan()) as study:
        runs = study.sample(settings)
    frame = runs.frame.copy()
    own = frame.index[frame["purpose"].isin(["baseline", "anchor"])]
    for place, row in enumerate(own):
        frame.loc[row, "host"] = f"lab-{1 + place % 2}"
        frame.loc[row, "indicator.waf"] = (5.0, 20.0)[place % 2] * (1.0 + 0.01 * (place // 2 % 2))
    found = sample_json(replace(runs, frame=frame), ())["reference"]["waf"]
    assert found["n"] == len(own) >= 4
    assert found["sd_log"] < 0.02
    assert 5.0 < found["geometric_mean"] < 20.0
