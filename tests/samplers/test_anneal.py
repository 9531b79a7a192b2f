"""Annealing: what is drawn around, and from how far."""

from collections.abc import Sequence

import numpy as np
import pytest

from lsmtune.model import Value
from lsmtune.samplers import Trial, make_sampler
from lsmtune.space import Dimension, Kind, Space


def _space() -> Space:
    axes = (
        Dimension("x", Kind.FLOAT, 0.001, low=0.0, high=1.0),
        Dimension("codec", Kind.CHOICE, "none", choices=("none", "snappy", "lz4", "zstd")),
        Dimension("rate", Kind.INT, 7, low=1, high=1000, log=True, specials=(0,)),
        Dimension("level", Kind.INT, 3, low=1, high=20),
    )
    return Space(axes, {axis.name: axis.default for axis in axes}, (), {"level": {"codec": ("zstd",)}})


def _drawn(trials: Sequence[Trial], name: str) -> list[Value]:
    """Return the next value of an option under 200 seeds."""
    space, values = _space(), []
    for seed in range(200):
        sampler = make_sampler("anneal", space, seed, 0)
        for trial in trials:
            sampler.tell(trial)
        values.append({**space.reference, **sampler.ask()}[name])
    return values


def _good(count: int, **values: Value) -> list[Trial]:
    return [Trial(values, 0.0) for _ in range(count)]


@pytest.mark.parametrize(("count", "width"), [(10, 0.5), (90, 0.1)])
def test_numbers_come_evenly_from_an_interval_that_shrinks_with_the_trials(count: int, width: float) -> None:
    drawn = np.array(_drawn(_good(count, x=0.6), "x"), dtype=float)
    assert np.abs(drawn - 0.6).max() == pytest.approx(width / 2, rel=0.05)
    assert drawn.std() == pytest.approx(width / 12**0.5, rel=0.1)


def test_choices_and_special_values_are_kept_but_for_the_share_of_the_interval() -> None:
    trials = _good(30, codec="lz4", rate=0)  # a quarter of the axis
    codecs, rates = _drawn(trials, "codec"), _drawn(trials, "rate")
    assert codecs.count("lz4") / 200 == pytest.approx(0.75 + 0.25 / 4, abs=0.08)
    assert rates.count(0) / 200 == pytest.approx(0.75 + 0.25 * 0.1, abs=0.08)


def test_better_trials_are_drawn_around_more_often() -> None:
    trials = [Trial({"x": number / 10}, response) for number, response in ((1, 0.5), (5, 0.0), (9, None))]
    trials += [Trial({"x": 0.95}, 9.0)] * 300
    nearest = [min((0.1, 0.5, 0.9, 0.95), key=lambda place: abs(place - float(x))) for x in _drawn(trials, "x")]
    assert nearest.count(0.5) / 200 == pytest.approx(0.5, abs=0.1)
    assert nearest.count(0.1) / 200 == pytest.approx(0.25, abs=0.1)


def test_an_option_is_judged_by_the_trials_in_which_it_had_an_effect() -> None:
    trials = [Trial({"codec": "lz4", "level": 20}, -1.0)] * 90 + [Trial({"codec": "zstd", "level": 5}, 0.0)]
    space = _space()
    seen = []
    for seed in range(400):
        sampler = make_sampler("anneal", space, seed, 0)
        for trial in trials:
            sampler.tell(trial)
        values = sampler.ask()
        if values.get("codec") == "zstd":
            seen.append(values.get("level", 3))
    assert seen
    assert set(seen) <= {4, 5, 6}
