"""What samplers make of trials that are under way on other hosts."""

from collections.abc import Mapping

import numpy as np
import pytest

from lsmtune.samplers import Sampler, Trial, make_sampler
from lsmtune.samplers._additive import Points, fit_additive
from lsmtune.samplers._agp import _Judge
from lsmtune.samplers._view import View
from lsmtune.space import Dimension, Kind, Space

AXES = tuple(Dimension(f"option_{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(4))
SPACE = Space(AXES, {axis.name: axis.default for axis in AXES})


def told(name: str, trials: int = 24) -> Sampler:
    """A sampler that knows trials of a bowl whose bottom is at 0.8 in each option."""
    sampler, rng = make_sampler(name, SPACE, 1, 8), np.random.default_rng(5)
    for _ in range(trials):
        place = rng.random(len(AXES))
        values = dict(zip(SPACE.names, place.tolist(), strict=True))
        sampler.tell(Trial(values, float(((place - 0.8) ** 2).sum()) - 0.36))
    return sampler


def place_of(values: Mapping[str, object]) -> np.ndarray:
    return np.array([float(str(values.get(name, 0.5))) for name in SPACE.names])


@pytest.mark.parametrize("name", ["agp", "tpe", "smac", "gp"])
def test_what_is_open_moves_the_next_proposal_away_from_it(name: str) -> None:
    alone = told(name).ask()
    sampler = told(name)
    sampler.hold(alone)
    beside = sampler.ask()
    assert beside != alone
    assert np.abs(place_of(beside) - place_of(alone)).max() > 0.01


@pytest.mark.parametrize("name", ["agp", "tpe", "smac"])
def test_four_open_proposals_do_not_crowd(name: str) -> None:
    sampler = told(name)
    places = np.array([place_of(sampler.ask()) for _ in range(4)])
    apart = [np.abs(one - other).max() for number, one in enumerate(places) for other in places[:number]]
    assert min(apart) > 0.01


@pytest.mark.parametrize("relevance", [False, True])
def test_a_process_that_believes_expects_the_same_and_doubts_less(relevance: bool) -> None:
    rng = np.random.default_rng(3)

    def points(count: int) -> Points:
        columns = rng.random((count, 3))
        return Points(columns, columns, (1, 1, 1))

    known, asked = points(20), points(6)
    process = fit_additive(known, known.columns.sum(axis=1) + rng.normal(0, 0.05, 20), relevance=relevance)
    believing = process.believing(asked)
    before, doubts = process.predict(asked)
    after, fewer = believing.predict(asked)
    np.testing.assert_allclose(after, before, atol=1e-6)
    assert (fewer < doubts).all()
    elsewhere = points(6)
    np.testing.assert_allclose(believing.predict(elsewhere)[0], process.predict(elsewhere)[0], atol=1e-6)


def test_what_is_believed_is_no_trial() -> None:
    sampler = told("agp")
    before = sampler.trials
    sampler.hold({"option_0": 0.9})
    sampler.ask()
    assert sampler.trials == before
    assert sampler.open_values[0] == {"option_0": 0.9}


def test_the_best_that_is_believed_counts_as_found() -> None:
    sampler = told("agp")
    view = View(SPACE)
    places = view.places([{}, *(trial.values for trial in sampler.trials)])
    judge = _Judge.fit(view, places, sampler.trials, sampler.outlook)
    bottom = np.full((1, len(AXES)), 0.8)
    believing = judge.believing(bottom)
    assert believing.best < judge.best
    assert believing.log_acquisition(bottom)[0] < judge.log_acquisition(bottom)[0] - 1
