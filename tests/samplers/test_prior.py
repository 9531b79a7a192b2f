"""What knowledge of the engine adds to the additive process, and what is left of it where it misleads."""

import math
from collections.abc import Mapping
from statistics import median

import numpy as np
import pytest

from lsmtune.errors import SamplerError
from lsmtune.model import Value
from lsmtune.samplers import Columns, Floats, Outlook, Prior, Trial, make_sampler
from lsmtune.samplers._additive import fit_additive
from lsmtune.samplers._view import View
from lsmtune.space import ComputedLimit, Dimension, Kind, Space

OPTIONS = 12


def _space() -> Space:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(OPTIONS))
    return Space(axes, {axis.name: axis.default for axis in axes})


def _known(columns: Columns) -> Floats:
    """What is simulated: a product of two options, which no sum over options is, and its opposite sign as noise."""
    return np.asarray((columns["x0"] * columns["x1"] - 0.25)[:, None], dtype=np.float64)


def _truth(values: Mapping[str, Value]) -> float:
    known = {f"x{number}": 0.5 for number in range(OPTIONS)} | {name: float(value) for name, value in values.items()}
    return -2.0 * (known["x0"] * known["x1"] - 0.25) + 0.3 * (known["x2"] - 0.5)


def _prior(weight: float) -> Prior:
    return Prior(_known, np.array([weight]), {})


def _processes(weight: float, count: int) -> tuple[Floats, Floats, Floats]:
    """Return the truth at some places, and what processes without and with a prior expect there from so many trials."""
    rng, space = np.random.default_rng(3), _space()
    drawn = [space.from_unit(rng.random(OPTIONS)) for _ in range(count + 200)]
    truth = np.array([_truth(values) for values in drawn])
    noisy = truth[:count] + rng.normal(0, 0.02, count)
    found = []
    for view in (View(space), View(space, _prior(weight))):
        points = view.points(view.places(drawn))
        process = fit_additive(points.rows(range(count)), noisy, 0.02, expected=view.expected())
        found.append(process.predict(points.rows(range(count, len(drawn))))[0])
    return truth[count:], found[0], found[1]


def _error(truth: Floats, expected: Floats) -> float:
    return float(np.sqrt(np.mean((truth - expected) ** 2)))


def test_what_is_simulated_right_is_known_from_few_trials() -> None:
    truth, without, with_prior = _processes(-2.0, 15)
    assert _error(truth, with_prior) < 0.5 * _error(truth, without)


def test_a_simulation_whose_size_is_wrong_is_scaled_by_what_the_trials_say() -> None:
    truth, without, with_prior = _processes(-0.4, 30)
    assert _error(truth, with_prior) < 0.7 * _error(truth, without)


@pytest.mark.parametrize("weight", [2.0, 6.0])
def test_of_a_simulation_that_says_the_opposite_next_to_nothing_is_left(weight: float) -> None:
    truth, without, with_prior = _processes(weight, 40)
    assert _error(truth, with_prior) < 1.1 * _error(truth, without)


def test_before_any_trial_a_process_expects_what_the_prior_does() -> None:
    view = View(_space(), _prior(-2.0))
    points = view.points(view.places([{}, {"x0": 1.0, "x1": 1.0}]))
    process = fit_additive(points.rows([0]), np.zeros(1), 0.02, expected=view.expected())
    means, deviations = process.predict(points)
    assert means == pytest.approx([0.0, -1.5], abs=0.05)
    assert deviations[1] > 10 * deviations[0]


def _found(prior: Prior | None, seed: int, rounds: int) -> float:
    rng, sampler = np.random.default_rng(seed), make_sampler("agp-tree", _space(), seed, 4)
    sampler.expect(Outlook(0.02, trials=40, prior=prior))
    best = 0.0
    for _ in range(rounds):
        values = sampler.ask()
        best = min(best, _truth(values))
        sampler.tell(Trial(values, _truth(values) + float(rng.normal(0, 0.02))))
    return best


def test_a_sampler_that_knows_more_finds_it_sooner_and_one_that_is_misled_finds_it_all_the_same() -> None:
    knowing, ignorant = ([_found(prior, seed, 6) for seed in range(3)] for prior in (_prior(-2.0), None))
    assert median(knowing) < median(ignorant) - 0.05
    misled = [_found(_prior(2.0), seed, 30) for seed in range(3)]
    assert median(misled) < -1.2


def test_candidates_are_moved_onto_the_edge_of_what_is_computed() -> None:
    """The best lies beyond a bound on a sum that is known; what is proposed is near it and never beyond."""
    bound = ComputedLimit(
        "the sum", 1.0, "", lambda values: float(values["x0"]) + float(values["x1"]), frozenset({"x0", "x1"})
    )
    space = _space()
    space = Space(space.dimensions, space.reference, (bound,))
    sampler = make_sampler("agp", space, 1, 6)
    sums = []
    for _ in range(16):
        values = {**space.reference, **sampler.ask()}
        total = float(values["x0"]) + float(values["x1"])
        assert total <= 1.0
        sums.append(total)
        sampler.tell(Trial(values, -math.log(0.1 + total) + math.log(1.1)))
    assert np.mean(sums[-5:]) > 0.95


def test_weights_that_do_not_fit_each_other_are_refused() -> None:
    with pytest.raises(SamplerError, match="give one for each quantity"):
        Prior(_known, np.array([1.0]), {"waf": np.array([1.0, 2.0])})
    with pytest.raises(SamplerError, match="give one for each quantity"):
        Prior(_known, np.empty(0), {})


def test_what_a_prior_is_asked_are_the_values_at_places() -> None:
    axes = (
        Dimension("size", Kind.INT, 64, "B", low=16, high=1024, log=True, specials=(0,)),
        Dimension("codec", Kind.CHOICE, "a", choices=("a", "b", "c")),
        Dimension("on", Kind.BOOL, default=False, choices=(False, True)),
        Dimension("share", Kind.FLOAT, 0.5, low=0.0, high=2.0),
    )
    space = Space(axes, {axis.name: axis.default for axis in axes})
    heard: list[Columns] = []

    def trends(columns: Columns) -> Floats:
        heard.append(columns)
        return np.zeros((len(columns["share"]), 1))

    view = View(space, Prior(trends, np.array([1.0]), {}))
    drawn = [space.from_unit(np.random.default_rng(seed).random(4)) for seed in range(50)]
    view.points(view.places(drawn))
    (columns,) = heard
    for name in ("codec", "on"):
        assert [values[name] for values in drawn] == columns[name].tolist()
    for name in ("size", "share"):
        assert columns[name].astype(float) == pytest.approx(
            [float(values[name]) for values in drawn], rel=0.01, abs=0.01
        )
