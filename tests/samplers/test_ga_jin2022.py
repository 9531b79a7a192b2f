"""The paper's genetic algorithm: Eq. 2, and who lives, dies and is born in a generation."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

import pytest

from lsmtune.errors import SamplerError
from lsmtune.indicators import INDICATORS
from lsmtune.model import Value
from lsmtune.samplers import GaJin2022Sampler, Jin2022Indicators, Parents, Trial, fitness_jin2022
from lsmtune.space import Dimension, Kind, Space
from lsmtune.testing import Surface, fake_space

LOAD_END = Jin2022Indicators(waf="waf_load_end", space="space_load_end_bytes")


def _space(genes: int = 4) -> Space:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(genes))
    return Space(axes, {axis.name: axis.default for axis in axes})


def _chromosome(number: int) -> dict[str, Value]:
    """Return genes that no other number has."""
    return {f"x{gene}": (number + 1) / 100 + gene / 5 for gene in range(4)}


def _genes(values: Mapping[str, Value]) -> dict[str, Value]:
    return {**_space().reference, **values}


def _is_crossover(child: Mapping[str, Value], parents: Sequence[Mapping[str, Value]]) -> bool:
    """Return whether two of the parents have all genes of the child."""
    return any(
        all(gene in {_genes(first)[name], _genes(second)[name]} for name, gene in _genes(child).items())
        for first, second in permutations(parents, 2)
    )


def _next_children(
    trials: Sequence[Trial],
    indicators: Jin2022Indicators,
    seed: int = 1,
    parents: Parents = Parents.SURVIVORS,
) -> list[dict[str, Value]]:
    sampler = GaJin2022Sampler(_space(), seed, indicators=indicators, parents=parents)
    for trial in trials:
        sampler.tell(trial)
    return [sampler.ask(), sampler.ask()]


@pytest.mark.parametrize(
    "response",
    [
        lambda number, values: float(number),
        lambda number, values: -float(number),
        lambda number, values: sum((float(value) - 0.3) ** 2 for value in _genes(values).values()),
    ],
    ids=["the first stay best", "the last are best", "a bowl"],
)
@pytest.mark.parametrize("which", list(Parents))
def test_each_generation_keeps_four_crosses_two_and_draws_two(
    response: Callable[[int, Mapping[str, Value]], float], which: Parents
) -> None:
    sampler = GaJin2022Sampler(_space(), 3, parents=which)
    for number in range(24):  # later, all crossovers of a family of survivors may have been run
        values = sampler.ask()
        sampler.tell(Trial(values, response(number, values)))
    population = list(sampler.trials[:8])
    for start in range(8, 24, 4):
        survivors = sorted(population, key=lambda trial: trial.response or 0.0)[:4]
        born = sampler.trials[start : start + 4]
        parents = [trial.values for trial in survivors]
        assert [_is_crossover(child.values, parents) for child in born] == [True, True, False, False]
        population = [*survivors, *born]


def test_the_first_population_is_random() -> None:
    sampler = GaJin2022Sampler(_space(), 3)
    asked = []
    for number in range(8):
        asked.append(sampler.ask())
        sampler.tell(Trial(asked[-1], float(number)))
    assert not any(_is_crossover(child, [*asked[:place], *asked[place + 1 :]]) for place, child in enumerate(asked))
    places = [float(gene) for values in asked for gene in _genes(values).values()]
    assert min(places) < 0.15
    assert max(places) > 0.85


def test_children_have_genes_of_both_parents() -> None:
    trials = [Trial(_chromosome(number), float(number)) for number in range(8)]
    parents = [_chromosome(number) for number in range(4)]
    shares = []
    for seed in range(40):
        for child in _next_children(trials, LOAD_END, seed):
            assert _is_crossover(child, parents)
            counts = [sum(child[name] == parent[name] for name in child) for parent in parents]
            assert sorted(counts) in ([0, 0, 1, 3], [0, 0, 2, 2])  # a copy of a parent would be a run for nothing
            shares.append(counts)
    totals = [sum(counts) / (4 * len(shares)) for counts in zip(*shares, strict=True)]
    assert totals == pytest.approx([0.25] * 4, abs=0.1)  # binomial: some three standard deviations


def test_the_two_best_are_the_parents_unless_any_survivor_may_be() -> None:
    trials = [Trial(_chromosome(number), float(number)) for number in range(8)]
    mothers = {Parents.TWO_BEST: set[int](), Parents.SURVIVORS: set[int]()}
    for which, found in mothers.items():
        for seed in range(20):
            for child in _next_children(trials, LOAD_END, seed, which):
                found |= {number for number in range(8) if set(child.items()) & set(_chromosome(number).items())}
    assert mothers == {Parents.TWO_BEST: {0, 1}, Parents.SURVIVORS: {0, 1, 2, 3}}


def test_where_all_crossovers_were_run_a_child_is_a_mutant() -> None:
    space = _space(2)
    sampler = GaJin2022Sampler(space, 5)
    corners = [{"x0": first, "x1": second} for first in (0.1, 0.9) for second in (0.1, 0.9)]
    others = [{"x0": 0.2 + number / 10, "x1": 0.3} for number in range(4)]
    for number, values in enumerate([*corners, *others]):
        sampler.tell(Trial(values, float(number)))
    child = sampler.ask()
    assert child not in corners
    assert child == space.canonical(child) != {}


def test_equation_2_gives_what_the_papers_table_gives() -> None:
    default = {"TIME": 63.8, "RATE": 15.5, "SA": 432.94, "WAF": 9.2}
    found = {"TIME": 67.4, "RATE": 29.4, "SA": 197.0, "WAF": 7.0}
    names = {"TIME": "load_time_s", "RATE": "throughput_bytes_s", "SA": "space_bytes", "WAF": "waf"}
    fitness = fitness_jin2022({names[key]: found[key] / default[key] for key in names})
    by_hand = 1000 * ((9.2 - 7.0) / 9.2 + (432.94 - 197.0) / 432.94 + (63.8 - 67.4) / 63.8 + (29.4 - 15.5) / 15.5)
    assert fitness == pytest.approx(by_hand, rel=1e-12)
    assert fitness == pytest.approx(1624.45, abs=0.01)  # "about 1600" in the paper


def test_the_reference_has_fitness_0_and_an_unknown_indicator_none() -> None:
    ratios = dict.fromkeys(("waf", "space_bytes", "load_time_s", "throughput_bytes_s"), 1.0)
    assert fitness_jin2022(ratios) == 0
    assert fitness_jin2022(ratios, LOAD_END) is None
    for name in ratios:
        assert fitness_jin2022({other: 1.0 for other in ratios if other != name}) is None
    assert fitness_jin2022({}) is None


def test_the_indicators_of_the_fitness_are_those_of_the_catalogue() -> None:
    for chosen in (Jin2022Indicators(), LOAD_END):
        better = [INDICATORS[name].better for name in (chosen.waf, chosen.space, chosen.time, chosen.rate)]
        assert better == ["lower", "lower", "lower", "higher"]


@pytest.mark.parametrize("names", [{"waf": ""}, {"waf": "space_bytes"}])
def test_indicators_without_a_name_or_with_one_twice_are_refused(names: dict[str, str]) -> None:
    with pytest.raises(SamplerError, match="four different names"):
        Jin2022Indicators(**names)


def test_the_fitness_decides_with_the_readings_that_were_chosen_and_not_the_response() -> None:
    """By response the first four are best, by the settled readings the even ones, by those at the end the odd ones."""
    trials = []
    for number in range(8):
        even = number % 2 == 0
        ratios = {"waf": 0.9 if even else 1.1, "waf_load_end": 1.1 if even else 0.9}
        ratios |= dict.fromkeys(("space_bytes", "space_load_end_bytes", "load_time_s", "throughput_bytes_s"), 1.0)
        trials.append(Trial(_chromosome(number), float(number), ratios=ratios))
    for chosen, first in ((Jin2022Indicators(), 0), (LOAD_END, 1)):
        parents = [_chromosome(number) for number in range(first, 8, 2)]
        assert all(_is_crossover(child, parents) for child in _next_children(trials, chosen))


def test_trials_without_a_fitness_rank_behind_those_that_have_one() -> None:
    poor = dict.fromkeys(("waf", "space_bytes", "load_time_s"), 3.0) | {"throughput_bytes_s": 0.3}
    trials = [Trial(_chromosome(number), -1.0) for number in range(4)]
    trials += [Trial(_chromosome(number), 1.0, ratios=poor) for number in range(4, 8)]
    parents = [_chromosome(number) for number in range(4, 8)]
    assert all(_is_crossover(child, parents) for child in _next_children(trials, Jin2022Indicators()))


def test_broken_guards_rank_behind_and_failed_and_censored_trials_last() -> None:
    good = dict.fromkeys(("waf", "space_bytes", "load_time_s"), 0.1) | {"throughput_bytes_s": 9.0}
    trials = [
        Trial(_chromosome(0), None, ratios=good),
        Trial(_chromosome(1), None, bound=0.1),
        Trial(_chromosome(2), -9.0, violation=0.3),
        Trial(_chromosome(3), 0.5),
        Trial(_chromosome(4), None),
        Trial(_chromosome(5), -9.0, violation=0.2, ratios=good),
        Trial(_chromosome(6), 0.4),
        Trial(_chromosome(7), -9.0, violation=0.1),
    ]
    parents = [_chromosome(number) for number in (3, 5, 6, 7)]
    for seed in range(10):
        assert all(_is_crossover(child, parents) for child in _next_children(trials, LOAD_END, seed))


def test_it_finds_better_configurations_than_the_default_by_its_own_fitness() -> None:
    surface, space = Surface(gain=1.0), fake_space()
    base = surface.indicators({})
    indicators = Jin2022Indicators(time="total_time_s", rate="throughput_settled_ops_s")
    sampler = GaJin2022Sampler(space, 1, indicators=indicators)
    for _ in range(60):
        values = sampler.ask()
        ratios = {name: value / base[name] for name, value in surface.indicators(values).items()}
        sampler.tell(Trial(values, math.log(ratios["total_time_s"]), ratios=ratios))
    reached = [fitness_jin2022(trial.ratios, indicators) or 0.0 for trial in sampler.trials]
    at_best = {name: value / base[name] for name, value in surface.indicators(surface.best()).items()}
    best = fitness_jin2022(at_best, indicators)
    assert best is not None
    assert max(reached) > 0.5 * best
    assert max(reached[:8]) < max(reached)
