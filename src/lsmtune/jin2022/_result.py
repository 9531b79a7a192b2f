"""What a repetition of Jin et al. (2022) gave: forests, one-way tests, the genetic algorithm, and what is left of it.

All is computed from the table of runs, so a recorded study can be read again without its folder.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsmtune.analysis import (
    ClassicOneWay,
    Impurity,
    Runs,
    active,
    classic_one_way,
    columns_of,
    impurity_importance,
    log_ratios,
)
from lsmtune.errors import StatisticsError
from lsmtune.extras import EXTRAS, need
from lsmtune.jin2022._levels import Reading, levels_jin2022
from lsmtune.jin2022._paper import PAPER_NAMES, PaperTest
from lsmtune.model import Purpose, Value
from lsmtune.samplers import Jin2022Indicators, fitness_jin2022
from lsmtune.stats import PairedComparison, compare_pairs, geometric_mean

JIN2022_FOUND = "found"
"""Arm of the best chromosome in the comparison, with the workload that it came with."""

JIN2022_FROZEN = "found, workload as it was"
"""Arm of the same options under the reference's workload."""

_SEEDS = tuple(range(10))
_POPULATION, _CHILDREN = 8, 4


@dataclass(frozen=True)
class Generation:
    """A generation of the genetic algorithm.

    Attributes:
        number: 0 is the first population.
        trials: chromosomes run up to here.
        best: largest fitness (Eq. 2) so far, from single runs; None while no run ended well.
    """

    number: int
    trials: int
    best: float | None


@dataclass(frozen=True)
class Jin2022Result:
    """A repetition of Jin et al. (2022).

    Attributes:
        indicators: the readings that stand for WAF, SA, TIME and RATE.
        forests: by indicator, the paper's forest over 10 splits; empty where nothing was sampled, as are the next two.
        ranking: share of each factor in the impurity that the forests take away, mean over the four, largest first.
        tests: by indicator, the paper's one-way test of each factor, over all runs as there.
        tests_in_effect: the same of factors that do nothing in some runs, as the first level to compress does where
            nothing is compressed: over the others alone.
        generations: of the genetic algorithm.
        best: what the best chromosome changes, options and fields of the workload; empty while there is none.
        claimed: by indicator, the best chromosome's single run over reference runs nearby, as the paper compared.
        left: by arm and indicator, fresh runs of the arm over fresh runs of the reference, block by block.
        levels: by arm and indicator, geometric mean of the fresh runs; the reference among the arms.
        readings: the levels of every indicator that can stand for one of the paper's four.
        counts: number of runs by purpose and status.
        run_time_s: wall time of all runs together in s.
    """

    indicators: Jin2022Indicators
    forests: Mapping[str, Impurity]
    ranking: Mapping[str, float]
    tests: Mapping[str, tuple[ClassicOneWay, ...]]
    tests_in_effect: Mapping[str, tuple[ClassicOneWay, ...]]
    generations: tuple[Generation, ...]
    best: Mapping[str, Value]
    claimed: Mapping[str, float]
    left: Mapping[str, Mapping[str, PairedComparison]]
    levels: Mapping[str, Mapping[str, float]]
    readings: tuple[Reading, ...]
    counts: Mapping[tuple[str, str], int]
    run_time_s: float

    @property
    def names(self) -> tuple[str, str, str, str]:
        """The four indicators in the paper's order: WAF, SA, RATE, TIME."""
        return _names(self.indicators)

    def reading_of(self, paper_name: str) -> str:
        """Return the indicator that stands for WAF, SA, RATE or TIME."""
        return dict(zip(PAPER_NAMES, self.names, strict=True))[paper_name]

    def test_of(self, published: PaperTest) -> ClassicOneWay | None:
        """Return a test of the paper as it came out here; None where its factor was not varied."""
        return _test_in(self.tests[self.reading_of(published.indicator)], published)

    def test_in_effect(self, published: PaperTest) -> ClassicOneWay | None:
        """Return it over the runs in which its factor has an effect; None where it has one in all."""
        return _test_in(self.tests_in_effect[self.reading_of(published.indicator)], published)


def rank_jin2022(runs: Runs, indicators: Jin2022Indicators) -> dict[str, float]:
    """Return the share of each factor in the impurity that the paper's forests take away, the largest first.

    The mean over the four indicators of the median over 10 splits of each forest: the paper names one ranking, and not
    how it came from four forests.

    Raises:
        StatisticsError: too few runs ended well, or an indicator is constant.
        UsageError: no run has one of the indicators.
    """
    return _ranking(_forests(runs, indicators))


def summarise_jin2022(runs: Runs, indicators: Jin2022Indicators) -> Jin2022Result:
    """Put together what a repetition gave so far; parts that have no runs yet are empty.

    Raises:
        StatisticsError: too few runs of the sample ended well, or an indicator is constant.
        UsageError: no run has one of the indicators.
    """
    need("lsmtune reproduce", *EXTRAS["analysis"])
    forests = _forests(runs, indicators)
    learned = runs.of(Purpose.SAMPLE)
    fitness = _fitness(runs, indicators)
    claimed, best = _best(runs, indicators, fitness)
    frame = runs.frame
    counts = Counter(zip(frame["purpose"].astype(str), frame["status"].astype(str), strict=True))
    return Jin2022Result(
        indicators=indicators,
        forests=forests,
        ranking=_ranking(forests),
        tests={name: classic_one_way(runs.factors, columns_of(learned), _finished(learned, name)) for name in forests},
        tests_in_effect=_tests_in_effect(learned, tuple(forests)),
        generations=_generations(fitness),
        best=best,
        claimed=claimed,
        left=_left(runs, indicators),
        levels=_levels(runs, indicators),
        readings=levels_jin2022(runs),
        counts=counts,
        run_time_s=float(frame["elapsed_s"].sum()),
    )


def _names(indicators: Jin2022Indicators) -> tuple[str, str, str, str]:
    return indicators.waf, indicators.space, indicators.rate, indicators.time


def _finished(runs: Runs, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.where(runs.counting(name), runs.indicator(name), np.nan)


def _forests(runs: Runs, indicators: Jin2022Indicators) -> dict[str, Impurity]:
    learned = runs.of(Purpose.SAMPLE)
    if not len(learned):
        return {}
    columns = columns_of(learned)
    return {
        name: impurity_importance(runs.factors, columns, _finished(learned, name), seeds=_SEEDS)
        for name in _names(indicators)
    }


def _test_in(tests: Sequence[ClassicOneWay], published: PaperTest) -> ClassicOneWay | None:
    return next((test for test in tests if test.factor == published.factor), None)


def _tests_in_effect(learned: Runs, names: Sequence[str]) -> dict[str, tuple[ClassicOneWay, ...]]:
    """Test each factor that does nothing in some runs over the others, for each indicator."""
    columns = columns_of(learned)
    acting = active(learned.factors, columns)
    partly = [factor for factor in learned.factors if not acting[factor.name].all()]
    found: dict[str, tuple[ClassicOneWay, ...]] = {}
    for name in names:
        raw, found[name] = _finished(learned, name), ()
        for factor in partly:
            try:
                found[name] += classic_one_way([factor], columns, np.where(acting[factor.name], raw, np.nan))
            except StatisticsError:
                continue  # it has an effect in fewer than three runs
    return found


def _ranking(forests: Mapping[str, Impurity]) -> dict[str, float]:
    shares: dict[str, list[float]] = {}
    for forest in forests.values():
        for importance in forest.importances:
            shares.setdefault(importance.name, []).append(importance.value.median)
    means = {name: float(np.mean(values)) for name, values in shares.items()}
    return dict(sorted(means.items(), key=lambda item: -item[1]))


def _ratios(runs: Runs, indicators: Jin2022Indicators) -> list[dict[str, float]]:
    """Return the four ratios to reference runs nearby in time for each run; what is not known is absent."""
    logs = {name: log_ratios(runs, name) for name in _names(indicators)}
    return [
        {name: math.exp(column[row]) for name, column in logs.items() if math.isfinite(column[row])}
        for row in range(len(runs))
    ]


def _fitness(runs: Runs, indicators: Jin2022Indicators) -> dict[str, float | None]:
    """Return the fitness of each chromosome in the order of running, None where its run did not end well."""
    trials = (runs.frame["purpose"] == str(Purpose.TRIAL)).to_numpy()
    if not trials.any():
        return {}
    ratios = _ratios(runs, indicators)
    fitness: dict[str, float | None] = {}
    for row in np.flatnonzero(trials):
        fitness[str(runs.frame["arm"][row])] = fitness_jin2022(ratios[row], indicators)
    return fitness


def _generations(fitness: Mapping[str, float | None]) -> tuple[Generation, ...]:
    values: Sequence[float | None] = list(fitness.values())
    ends = range(_POPULATION, len(values) + 1, _CHILDREN)
    generations = []
    for number, end in enumerate(ends):
        known = [value for value in values[:end] if value is not None]
        generations.append(Generation(number, end, max(known, default=None)))
    return tuple(generations)


def _best(
    runs: Runs, indicators: Jin2022Indicators, fitness: Mapping[str, float | None]
) -> tuple[dict[str, float], dict[str, Value]]:
    """Return the ratios of the best chromosome's single run, and what it changes."""
    known = {arm: value for arm, value in fitness.items() if value is not None}
    if not known:
        return {}, {}
    row = _row_of_best(runs, known)
    values = {factor.name: runs.values(factor.name)[row] for factor in runs.factors}
    changed = {factor.name: values[factor.name] for factor in runs.factors if values[factor.name] != factor.reference}
    return _ratios(runs, indicators)[row], {name: _plain(value) for name, value in changed.items()}


def _plain(value: Any) -> Value:
    """Return a value out of an array as Python's own."""
    plain: Value = value.item() if isinstance(value, np.generic) else value
    return plain


def _row_of_best(runs: Runs, fitness: Mapping[str, float]) -> int:
    """Return the row of the chromosome that was compared, or of the fittest while nothing was."""
    frame = runs.frame
    trials = frame["purpose"] == str(Purpose.TRIAL)
    compared = frame[(frame["purpose"] == str(Purpose.VERIFY)) & (frame["arm"] == JIN2022_FOUND)]
    if len(compared):
        columns = [factor.column for factor in runs.factors]
        same = (frame[columns] == compared.iloc[0][columns]).all(axis=1)
        rows = np.flatnonzero(trials & same)
        if len(rows):
            return int(rows[-1])
    best = max(fitness, key=lambda arm: fitness[arm])
    return int(np.flatnonzero(trials & (frame["arm"] == best))[-1])


def _compared(runs: Runs) -> Runs:
    """Return the fresh runs of the comparison that count."""
    fresh = runs.of(Purpose.VERIFY)
    return fresh.where(fresh.counting())


def _levels(runs: Runs, indicators: Jin2022Indicators) -> dict[str, dict[str, float]]:
    fresh = _compared(runs)
    levels: dict[str, dict[str, float]] = {}
    for arm in fresh.frame["arm"].unique():
        rows = (fresh.frame["arm"] == arm).to_numpy()
        measured = {name: fresh.indicator(name)[rows] for name in _names(indicators)}
        known = {name: values[np.isfinite(values) & (values > 0)].tolist() for name, values in measured.items()}
        levels[str(arm)] = {name: geometric_mean(values) for name, values in known.items() if values}
    return levels


def _left(runs: Runs, indicators: Jin2022Indicators) -> dict[str, dict[str, PairedComparison]]:
    fresh = _compared(runs)
    reference = runs.facts.reference
    left: dict[str, dict[str, PairedComparison]] = {}
    for arm in (JIN2022_FOUND, JIN2022_FROZEN):
        for name in _names(indicators) if len(fresh) else ():
            pairs = _pairs(fresh, name, arm, reference)
            try:
                left.setdefault(arm, {})[name] = compare_pairs(*pairs)
            except StatisticsError:
                continue  # fewer than two pairs so far
    return {arm: found for arm, found in left.items() if found}


def _pairs(fresh: Runs, name: str, arm: str, reference: str) -> tuple[list[float], list[float]]:
    """Return the values of an arm and of the reference in the blocks that have both."""
    values = fresh.indicator(name)
    by_arm: dict[str, dict[int, float]] = {}
    for row, (own, block) in enumerate(zip(fresh.frame["arm"], fresh.frame["block"], strict=True)):
        if math.isfinite(values[row]):
            by_arm.setdefault(str(own), {})[int(block)] = float(values[row])
    blocks = sorted(by_arm.get(arm, {}).keys() & by_arm.get(reference, {}).keys())
    return [by_arm[arm][block] for block in blocks], [by_arm[reference][block] for block in blocks]
