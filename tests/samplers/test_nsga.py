"""NSGA-II and NSGA-III: a front instead of a point, and when there is one objective alone."""

from math import comb
from statistics import median

import pytest

from lsmtune.samplers import GaSampler, Sampler, Trial, make_sampler
from lsmtune.samplers._nsga3 import _divisions
from lsmtune.space import Dimension, Kind, Space


def _space() -> Space:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.999, low=0.0, high=1.0) for number in range(5))
    return Space(axes, {axis.name: axis.default for axis in axes})


def _searched(name: str, seed: int, rounds: int = 80) -> Sampler:
    """Return a sampler after a search with two parts: the front is a line along x0, with all others at 0.5."""
    space = _space()
    sampler = make_sampler(name, space, seed, 10)
    for _ in range(rounds):
        values = sampler.ask()
        place = space.to_unit(values)
        above = float(((place[1:] - 0.5) ** 2).sum())
        parts = {"waf": float(place[0]) + above, "space_bytes": 1.0 - float(place[0]) + above}
        sampler.tell(Trial(values, sum(parts.values()) / 2, parts=parts))
    return sampler


def _volume(sampler: Sampler) -> float:
    """Return the area that the trials dominate below (1.5, 1.5)."""
    points = sorted((trial.parts["waf"], trial.parts["space_bytes"]) for trial in sampler.trials)
    volume, height = 0.0, 1.5
    for across, up in points:
        if across < 1.5 and up < height:
            volume += (1.5 - across) * (height - up)
            height = up
    return volume


@pytest.mark.parametrize("name", ["nsga2", "nsga3"])
def test_the_trials_dominate_more_than_those_of_chance_and_along_the_whole_front(name: str) -> None:
    found = [_searched(name, seed) for seed in range(4)]
    chance = [_volume(_searched("random", seed)) for seed in range(20)]
    assert median(map(_volume, found)) > median(chance) + 0.05
    for sampler in found:
        late = [float({**_space().reference, **trial.values}["x0"]) for trial in sampler.trials[40:]]
        assert max(late) - min(late) > 0.6


@pytest.mark.parametrize("name", ["nsga2", "nsga3"])
@pytest.mark.parametrize(
    "parts", [{}, {"waf": 1.0}, {"waf": 1.0, "cpu_s": 2.0}], ids=["none", "one", "one that all have"]
)
def test_without_two_known_indicators_the_response_decides(name: str, parts: dict[str, float]) -> None:
    """Of 20 trials the first 10 are better by their response; a part would say the opposite."""
    genes = []
    for seed in range(20):
        sampler = make_sampler(name, _space(), seed, 5)
        for number in range(20):
            place = 0.1 + number / 100 if number < 10 else 0.8 + number / 1000
            shown = {key: -part * number for key, part in parts.items() if key == "waf" or number % 2}
            values = {f"x{gene}": place for gene in range(5)}
            sampler.tell(Trial(values, float(number), parts=shown))
        genes += [float(value) for value in sampler.ask().values()]
    assert sum(gene < 0.4 for gene in genes) > 0.7 * len(genes)


def test_with_one_objective_nsga2_and_the_genetic_algorithm_have_the_same_parents() -> None:
    """Elitism keeps the best of all generations, whether they are told one after the other or at once."""
    places: dict[str, list[float]] = {"ga": [], "nsga2": []}
    for name, seen in places.items():
        for seed in range(40):
            sampler = make_sampler(name, _space(), seed, 5)
            for number in range(30):
                values = {f"x{gene}": (number * 7 % 30) / 30 for gene in range(5)}
                sampler.tell(Trial(values, abs(number * 7 % 30 - 20.0)))
            seen += [float(value) for value in sampler.ask().values()]
    for seen in places.values():
        assert sum(15 / 30 <= place <= 25 / 30 for place in seen) > 0.75 * len(seen)
    assert isinstance(make_sampler("ga", _space(), 1), GaSampler)


@pytest.mark.parametrize(("objectives", "divisions"), [(1, 1), (2, 9), (3, 3), (4, 2), (5, 1), (12, 1)])
def test_reference_directions_are_as_many_as_a_population_can_serve(objectives: int, divisions: int) -> None:
    assert _divisions(objectives) == divisions
    if objectives in {2, 3, 4}:
        assert comb(divisions + objectives - 1, objectives - 1) == 10
