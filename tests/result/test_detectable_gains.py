"""What pairs can show: from the reference's runs and other starting points, then from the pairs of a look."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from result_builders import Made, baseline, pairs, rules, store, trial

from lsmtune.model import Configuration, Purpose
from lsmtune.result import DetectableGains, checkpoints, summarise
from lsmtune.stats import POCOCK_ALPHA, Detectable
from lsmtune.store import create_study
from lsmtune.testing import fake_description, fake_space

OTHER = replace(rules(), baselines={"stock": Configuration(), "other": Configuration.of({"block_size": 8192})})
TURNING = [baseline(block, 100.0 * math.exp(0.1 * (block % 2))) for block in range(5)]
BESIDE = pairs({"other": [100.0, 100.0 * math.exp(0.5)]}, purpose=Purpose.BASELINE)


def seen(
    folder: Path, *made: Made, looks: int = 0, finalists: tuple[str, ...] = ("trial-1",)
) -> DetectableGains | None:
    with create_study(folder / "s", fake_description(OTHER, fake_space())) as study:
        store(study, *made)
        if looks:
            study.save(checkpoints.FINALISTS, finalists)
            study.save(checkpoints.VERIFY_LOOKS, looks)
        return summarise(study).detectable


def test_two_runs_of_the_reference_do_not_say_what_pairs_can_show(tmp_path: Path) -> None:
    assert seen(tmp_path, *TURNING[:2]) is None


def test_the_reference_alone_says_it_by_its_neighbouring_runs(tmp_path: Path) -> None:
    found = seen(tmp_path, *TURNING)
    assert found is not None
    assert found.spread.sd == pytest.approx(0.1)
    assert (found.looks, found.runs, found.pairs) == (0, 5, 0)


def test_pairs_of_another_starting_point_are_pooled_by_their_degrees_of_freedom(tmp_path: Path) -> None:
    found = seen(tmp_path, *TURNING, *BESIDE)
    freedom = 2 * 4**2 / 11
    assert found is not None
    assert found.spread.freedom == pytest.approx(freedom + 1)
    assert found.spread.sd**2 == pytest.approx((freedom * 0.1**2 + 0.4**2 / 2) / (freedom + 1))
    assert (found.looks, found.runs, found.pairs) == (0, 5, 2)


def test_after_a_look_its_pairs_say_it(tmp_path: Path) -> None:
    rates = [100.0 * math.exp(0.2 * (block % 2)) for block in range(6)]
    look = pairs({"stock": [100.0] * 6, "finalist-1": rates})
    found = seen(tmp_path, *TURNING, *BESIDE, trial(1, 150.0), *look, looks=1)
    assert found is not None
    assert found.spread.sd**2 == pytest.approx(6 * 0.1**2 / 5)
    assert (found.looks, found.runs, found.pairs, found.spread.freedom) == (1, 0, 6, 5)


def test_what_pairs_can_show_of_several_finalists_is_at_the_level_of_each_of_their_claims(tmp_path: Path) -> None:
    rates = [100.0 * math.exp(0.2 * (block % 2)) for block in range(6)]
    look = pairs({"stock": [100.0] * 6, "finalist-1": rates, "finalist-2": rates[::-1], "finalist-3": rates})
    trials = [trial(number, 150.0) for number in range(1, 4)]
    found = seen(tmp_path, *TURNING, *trials, *look, looks=1, finalists=("trial-1", "trial-2", "trial-3"))
    assert found is not None
    assert (found.claims, found.pairs) == (3, 18)
    assert found.gains[6] == Detectable.of(found.spread, 6, POCOCK_ALPHA / 3)
    assert found.gains[6].gain > Detectable.of(found.spread, 6).gain
