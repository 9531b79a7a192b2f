"""What recorded knowledge adds to the start of a search, and what is left of it where it misleads."""

import math
from collections.abc import Mapping
from statistics import median

import numpy as np
import pytest

from lsmtune.model import Value
from lsmtune.samplers import Columns, Floats, Outlook, Prior, Trial, make_sampler
from lsmtune.samplers._prior import promising, trends
from lsmtune.space import ComputedLimit, Dimension, Kind, Space

OPTIONS = 12


def _space() -> Space:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(OPTIONS))
    return Space(axes, {axis.name: axis.default for axis in axes})


def _truth(values: Mapping[str, Value]) -> float:
    known = {f"x{number}": 0.5 for number in range(OPTIONS)} | {name: float(value) for name, value in values.items()}
    return -2.0 * (known["x0"] * known["x1"] - 0.25) + 0.3 * (known["x2"] - 0.5)


def _sum_of(slopes: Mapping[str, float], columns: Columns) -> Floats:
    """Return what is expected of configurations where each option has a slope."""
    length = len(next(iter(columns.values())))
    parts = (slope * (columns[name].astype(float) - 0.5) for name, slope in slopes.items() if name in columns)
    return np.asarray(sum(parts, np.zeros(length)), dtype=np.float64)


def _prior(slope: float, slacks: Mapping[str, float] | None = None) -> Prior:
    """What is expected: the same of the first two options; and of a slack, where it is given, slopes of its own."""
    bounds = {} if slacks is None else {"space_bytes": lambda columns: _sum_of(slacks, columns)}
    return Prior(lambda columns: _sum_of({"x0": slope, "x1": slope}, columns), bounds)


def _drawn(prior: Prior, slack: float = 0.0) -> dict[str, list[float]]:
    space = _space()
    draws = [promising(space, prior, {"space_bytes": slack}, np.random.default_rng(seed)) for seed in range(60)]
    return {name: [float(values[name]) for values in draws if values is not None] for name in space.names}


def test_values_that_are_expected_to_be_good_are_drawn_more_often_and_others_evenly() -> None:
    drawn = _drawn(_prior(-1.0))
    assert min(np.mean(drawn["x0"]), np.mean(drawn["x1"])) > 0.75
    unknown = np.concatenate([drawn[f"x{number}"] for number in range(2, OPTIONS)])
    assert np.quantile(unknown, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.06)


def test_draws_that_are_expected_to_hold_a_guard_come_first() -> None:
    breaks = _prior(-1.0, {"x0": -1.0, "x1": -0.2})
    wanted = _drawn(breaks, slack=0.2)
    free = _drawn(breaks, slack=5.0)
    sums = [
        np.subtract(0.2, np.subtract(each["x0"], 0.5) + 0.2 * np.subtract(each["x1"], 0.5)) for each in (wanted, free)
    ]
    assert np.mean(sums[0] >= 0) > 0.95
    assert np.mean(sums[1] >= 0) < 0.6


def test_categories_and_special_values_are_drawn_by_what_is_expected_of_them() -> None:
    axes = (
        Dimension("size", Kind.INT, 64, "B", low=16, high=1024, log=True, specials=(0,)),
        Dimension("codec", Kind.CHOICE, "a", choices=("a", "b", "c")),
        Dimension("on", Kind.BOOL, default=False, choices=(False, True)),
    )
    space = Space(axes, {axis.name: axis.default for axis in axes})

    def expected(columns: Columns) -> Floats:
        good = {"size": 0, "codec": "b", "on": True}
        hits = [(column == good[name]).astype(float) for name, column in columns.items()]
        return np.asarray(-np.sum(hits, axis=0))

    draws = [promising(space, Prior(expected), {}, np.random.default_rng(seed)) for seed in range(60)]
    shares = [
        np.mean([one is not None and one[name] == good for one in draws])
        for name, good in (("size", 0), ("codec", "b"), ("on", True))
    ]
    assert min(shares[1:]) > 0.8
    assert shares[0] > 0.35, "three draws of a special value with a share of 10 %, the best of 16"


def test_a_trend_is_what_is_expected_of_places() -> None:
    space, rng = _space(), np.random.default_rng(4)
    prior = _prior(-1.0, {"x3": 1.0})
    places = rng.random((50, OPTIONS))
    columns = {name: places[:, number] for number, name in enumerate(space.names)}
    response, slacks = trends(space, prior)
    assert response.at(places) == pytest.approx(prior.response(columns), abs=2 / 64)
    assert slacks["space_bytes"].at(places) == pytest.approx(prior.slacks["space_bytes"](columns), abs=1 / 64)


def _found(prior: Prior | None, seed: int, rounds: int) -> float:
    rng, sampler = np.random.default_rng(seed), make_sampler("agp", _space(), seed)
    sampler.expect(Outlook(0.02, trials=40, prior=prior))
    best = 0.0
    for _ in range(rounds):
        values = sampler.ask()
        best = min(best, _truth(values))
        sampler.tell(Trial(values, _truth(values) + float(rng.normal(0, 0.02))))
    return best


def test_a_sampler_that_knows_more_finds_it_sooner_and_one_that_is_misled_finds_it_all_the_same() -> None:
    knowing, ignorant = ([_found(prior, seed, 6) for seed in range(3)] for prior in (_prior(-1.0), None))
    assert median(knowing) < median(ignorant) - 0.3
    misled = [_found(_prior(1.0), seed, 30) for seed in range(3)]
    assert median(misled) < -1.2


def test_five_proposals_come_from_the_prior_and_the_rest_from_the_trials() -> None:
    told, untold = (make_sampler("agp", _space(), 2) for _ in range(2))
    same = []
    for sampler in (told, untold):
        sampler.expect(Outlook(trials=40, prior=_prior(-1.0)))
    for number in range(6):
        values = untold.ask()
        same.append(told.ask() == values)
        told.tell(Trial(values, _truth(values)))
        untold.tell(Trial(values, float(number)))
    assert same == [True] * 5 + [False]


def _limited(most: float) -> Space:
    bound = ComputedLimit(
        "the sum", most, "", lambda values: float(values["x0"]) + float(values["x1"]), frozenset({"x0", "x1"})
    )
    space = _space()
    return Space(space.dimensions, space.reference, (bound,))


@pytest.mark.parametrize("prior", [None, _prior(-1.0)])
def test_candidates_are_moved_onto_the_edge_of_what_is_computed(prior: Prior | None) -> None:
    """The best lies beyond a bound on a sum that is known; what is proposed is near it and never beyond."""
    space = _limited(1.0)
    sampler = make_sampler("agp", space, 1, 6)
    sampler.expect(Outlook(prior=prior))
    sums = []
    for _ in range(16):
        values = {**space.reference, **sampler.ask()}
        total = float(values["x0"]) + float(values["x1"])
        assert total <= 1.0
        sums.append(total)
        sampler.tell(Trial(values, -math.log(0.1 + total) + math.log(1.1)))
    assert np.mean(sums[-5:]) > 0.95


def test_where_nothing_feasible_is_found_nothing_is_drawn() -> None:
    assert promising(_limited(-1.0), _prior(-1.0), {}, np.random.default_rng(1)) is None
