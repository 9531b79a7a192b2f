"""The genetic algorithm of the library: who becomes a parent, and whether it searches."""

import math
from statistics import mean

import pytest

from lsmtune.model import Value
from lsmtune.samplers import SobolSampler, Trial, make_sampler
from lsmtune.space import Dimension, Kind, Space
from lsmtune.testing import Surface, fake_space


def _space() -> Space:
    """Return four codecs, which only a mutation brings back once they have died out, and numbers to tell trials by."""
    axes = (
        Dimension("codec", Kind.CHOICE, "none", choices=("none", "snappy", "lz4", "zstd")),
        *(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(5)),
    )
    return Space(axes, {axis.name: axis.default for axis in axes})


def _trial(codec: str, number: int, response: float | None, bound: float | None = None) -> Trial:
    return Trial({"codec": codec, **{f"x{gene}": number / 50 for gene in range(5)}}, response, bound=bound)


def _codecs_of_children(trials: list[Trial]) -> list[Value]:
    """Return the codecs of 30 children."""
    codecs = []
    for seed in range(30):
        sampler = make_sampler("ga", _space(), seed, 5)
        for trial in trials:
            sampler.tell(trial)
        codecs.append(sampler.ask().get("codec", "none"))
    return codecs


def test_the_best_of_all_generations_are_the_parents() -> None:
    trials = [_trial("zstd", number, number / 100) for number in range(10)]
    trials += [_trial("lz4", number, 1.0 + number) for number in range(10, 30)]
    codecs = _codecs_of_children(trials)
    assert codecs.count("zstd") >= 20  # 1 - 1/6 * 3/4 of 30 are expected


def test_a_generation_has_no_part_in_its_own_children() -> None:
    before = [_trial("zstd", number, number / 100) for number in range(10)]
    during = [_trial("lz4", number, -1.0 - number) for number in range(10, 19)]
    complete = [*during, _trial("lz4", 19, -2.0)]
    assert _codecs_of_children([*before, *during]).count("zstd") >= 20
    assert _codecs_of_children([*before, *complete]).count("lz4") >= 20


def test_failed_and_censored_trials_are_no_parents() -> None:
    outcomes = ((None, None), (None, 1.4))
    trials = [_trial("lz4", number, *outcomes[number % 2]) for number in range(10)]
    trials += [_trial("zstd", number, number / 100) for number in range(10, 20)]
    assert _codecs_of_children(trials).count("zstd") >= 20


def test_children_of_failures_alone_are_still_proposed() -> None:
    asked = _codecs_of_children([_trial("lz4", number, None) for number in range(20)])
    assert asked.count("lz4") >= 20


def test_numbers_of_children_lie_near_and_between_those_of_their_parents() -> None:
    parents = [_trial("zstd", number, 0.0) for number in range(20, 30)]  # 0.4 to 0.58
    places = []
    for seed in range(30):
        sampler = make_sampler("ga", _space(), seed, 5)
        for trial in parents:
            sampler.tell(trial)
        child = sampler.ask()
        places += [float(child.get(f"x{gene}", 0.5)) for gene in range(5)]
    known = {number / 50 for number in range(20, 30)}
    near = [place for place in places if 0.3 < place < 0.68]
    assert len(near) >= 0.75 * len(places)
    assert sum(place not in known for place in near) >= 0.25 * len(places)
    assert any(place < 0.2 or place > 0.8 for place in places)  # mutants


@pytest.mark.parametrize("startup", [3, 14])
def test_it_starts_with_the_points_of_sobol_until_there_is_a_population(startup: int) -> None:
    space = fake_space()
    ga, sobol = make_sampler("ga", space, 4, startup), SobolSampler(space, 4)
    same = []
    for number in range(16):
        ours, theirs = ga.ask(), sobol.ask()
        same.append(ours == theirs)
        ga.tell(Trial(ours, float(number)))
        sobol.tell(Trial(theirs, float(number)))
    start = max(10, startup)
    assert same == [True] * start + [False] * (16 - start)


def _gain_of(name: str, seed: int, trials: int) -> float:
    """Return the log gain of the best of so many trials on a surface whose best is log 2."""
    surface = Surface(gain=1.0)
    base = surface.indicators({})["throughput_settled_ops_s"]
    sampler = make_sampler(name, fake_space(), seed, 10)
    gains = []
    for _ in range(trials):
        values = sampler.ask()
        gains.append(math.log(surface.indicators(values)["throughput_settled_ops_s"] / base))
        sampler.tell(Trial(values, -gains[-1]))
    return max(gains)


@pytest.mark.parametrize("name", ["ga", "ga-jin2022"])
def test_a_genetic_algorithm_finds_better_configurations_than_chance(name: str) -> None:
    seeds = range(6)
    found, chance = ([_gain_of(each, seed, 80) for seed in seeds] for each in (name, "random"))
    assert mean(found) > mean(chance) + 0.05
    assert min(found) > mean(chance)
