"""Samplers against each other on an emulator: what each would hand over after so many runs, and so much time."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.errors import UsageError
from lsmtune.indicators import Guard, Objective, oriented_log_ratio
from lsmtune.model import Value
from lsmtune.sampler_benchmark._recorded import RecordedPoints, Truth
from lsmtune.samplers import Outlook, Prior, Sampler, Trial
from lsmtune.space import Space
from lsmtune.stats import first_with_margin

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.int64]

TOTAL_TIME = "total_time_s"
"""The indicator that says how long the work of a run takes, where it only writes."""

_DRAWS, _CLIMBERS, _ROUNDS, _NEIGHBOURS = 3000, 10, 30, 20
_LARGEST_EXCESS = 10.0
_REPEATS = 5
"""Runs of the reference from which samplers are told the noise, as a study has them before its search."""


@dataclass(frozen=True)
class Question:
    """What samplers are asked to find.

    Attributes:
        space: where they search.
        emulator: the engine's stand-in, a model of runs or the runs themselves; knows every indicator that is named
            here.
        objective: what is to get better.
        guards: what must not get worse.
        cap: factor on the reference's time beyond which a run is stopped.
        beat: factor on the best trial's time beyond which a run is stopped; None: it never is.
        time: the indicator that says how long a run takes, in s.
        times_all_work: whether that is the time of all work, of a fixed amount: only then may it tell the objective.
        fixed_s: what every run takes beside it.
        finalists: how many trials are verified; the truly best of them is handed over.
        prior: what recorded runs of other workloads let expect, for samplers that start from it.
    """

    space: Space
    emulator: Truth
    objective: Objective
    guards: tuple[Guard, ...] = ()
    cap: float = 3.0
    beat: float | None = None
    time: str = TOTAL_TIME
    times_all_work: bool = True
    fixed_s: float = 0.0
    finalists: int = 3
    prior: Prior | None = None

    def __post_init__(self) -> None:
        wanted = [self.time, *self.objective.weights, *(guard.indicator for guard in self.guards)]
        unknown = [name for name in wanted if name not in self.emulator.indicators]
        if unknown:
            raise UsageError(f'the emulator does not know "{unknown[0]}"; fit it to this indicator, too')

    def judge(self, log_ratios: FloatArray) -> tuple[float, float]:
        """Return the log gain and by how much guards are broken, for log ratios of shape (k,)."""
        values, base = self.emulator.values(log_ratios), self.emulator.levels
        gain = self.objective.log_gain(values, base)
        assert gain is not None  # every level is above 0
        excesses = (guard.excess(values, base) or 0.0 for guard in self.guards)
        return gain, sum(min(excess, _LARGEST_EXCESS) for excess in excesses)

    def slacks(self, log_ratios: FloatArray) -> dict[str, float]:
        """Return how far each guard is from being broken in ln, below 0 where it is, for log ratios of shape (k,)."""
        values, base = self.emulator.values(log_ratios), self.emulator.levels
        slacks = {guard.indicator: guard.slack(values, base) for guard in self.guards}
        return {name: slack for name, slack in slacks.items() if slack is not None}

    def parts(self, log_ratios: FloatArray) -> dict[str, float]:
        """Return the log ratio of each indicator of the objective, lower is better, for log ratios of shape (k,)."""
        values, base = self.emulator.values(log_ratios), self.emulator.levels
        gains = {name: oriented_log_ratio(name, values[name], base[name]) for name in self.objective.weights}
        return {name: -gain for name, gain in gains.items() if gain is not None}

    def carried_out(self, values: Mapping[str, Value], trials: Sequence[Trial]) -> Mapping[str, Value]:
        """Return what runs where a configuration is proposed: itself, or the nearest recorded point that is left."""
        if not isinstance(self.emulator, RecordedPoints):
            return values
        return self.emulator.nearest(values, [trial.values for trial in trials])

    def true_gains(self, configurations: Sequence[Mapping[str, Value]]) -> FloatArray:
        """Return the true log gains, shape (n,); 0, the reference's, where guards are broken or it is better."""
        judged = [self.judge(row) for row in self.emulator.log_ratios(configurations)]
        return np.array([max(0.0, gain) if violation == 0 else 0.0 for gain, violation in judged])

    def seconds(self, log_ratios: FloatArray) -> float:
        """Return the time of a run in s."""
        return self.emulator.values(log_ratios)[self.time] + self.fixed_s


@dataclass(frozen=True)
class BenchmarkedSearch:
    """One search by one sampler.

    Attributes:
        sampler: its name.
        seed: of the sampler and the noise.
        gains: true log gain of what would be handed over after 1, 2, ... n runs, shape (n,).
        held: whether the first finalist by then truly holds all guards, shape (n,); False where there is none.
        changed: how many options what would be handed over changes, shape (n,); 0 of the reference.
        seconds: time of the engine by then in s, shape (n,); of several hosts, on the clock.
        asking_s: mean time of a proposal in s.
    """

    sampler: str
    seed: int
    gains: FloatArray
    held: BoolArray
    changed: IntArray
    seconds: FloatArray
    asking_s: float


@dataclass(frozen=True)
class Made:
    """A run that has begun: what will be told of it, what it takes and when it ends in s."""

    trial: Trial
    spent_s: float
    ends: float


Begin: TypeAlias = Callable[[Mapping[str, Value], Sequence[Made], Sequence[Made]], tuple[Trial, float]]
"""From a proposal, what has ended and what is open to what will be told of it, and its time in s."""


def benchmark_sampler(
    question: Question, name: str, make: Callable[[], Sampler], seed: int, runs: int, *, at_once: int = 1
) -> BenchmarkedSearch:
    """Search with one sampler as `lsmtune tune` does: a new one for each proposal, told the whole history.

    Where several runs are made at once, the sampler is told those that have ended and which ones are open.

    Args:
        question: what is searched.
        name: of the sampler.
        make: makes it, always with the same seed.
        seed: of the noise.
        runs: how many.
        at_once: how many hosts make them.
    """
    rng = np.random.default_rng(seed)
    outlook = _outlook(question, np.random.default_rng([seed, runs]), runs)

    def begin(asked: Mapping[str, Value], ended: Sequence[Made], under_way: Sequence[Made]) -> tuple[Trial, float]:
        values = question.carried_out(asked, [each.trial for each in (*ended, *under_way)])
        return _run(question, values, rng, _winning_s(question, ended))

    made, asking_s = asked_in_turn(make, outlook, begin, runs, at_once)
    gains, held, changed = _handed_over(question, [each.trial for each in made])
    ends = np.array([each.ends for each in made])
    return BenchmarkedSearch(name, seed, gains, held, changed, ends, asking_s / runs)


def asked_in_turn(
    make: Callable[[], Sampler], outlook: Outlook, begin: Begin, runs: int, at_once: int = 1
) -> tuple[list[Made], float]:
    """Ask a new sampler for each proposal, as a study does, told what has ended so far, and which runs are open.

    Args:
        make: makes the sampler, always with the same seed.
        outlook: what it expects.
        begin: from a proposal, what has ended and what is open to what will be told of it, and its time in s.
        runs: how many.
        at_once: how many hosts make them.

    Returns:
        The runs in the order of their ends, and the time of asking in s.
    """
    ended: list[Made] = []
    under_way: list[Made] = []
    now = asking_s = 0.0
    while len(ended) < runs:
        if len(under_way) == at_once or len(ended) + len(under_way) == runs:
            first = min(under_way, key=lambda each: each.ends)
            under_way.remove(first)
            ended.append(first)
            now = first.ends
            continue
        began = time.perf_counter()
        sampler = make()
        sampler.expect(outlook)
        for done in ended:
            sampler.tell(done.trial)
        for each in under_way:
            sampler.hold(each.trial.values)
        asked = sampler.ask()
        asking_s += time.perf_counter() - began
        trial, spent_s = begin(asked, ended, under_way)
        under_way.append(Made(trial, spent_s, now + spent_s))
    return ended, asking_s


def best_known(question: Question, searches: Sequence[BenchmarkedSearch], seed: int = 0) -> float:
    """Return the largest true log gain that is known: of random draws, of climbing from the best, and of all searches.

    Of recorded points it is that of the best of them.

    Args:
        question: what is searched.
        searches: those that have ended.
        seed: of the draws.
    """
    found = max((float(each.gains.max()) for each in searches), default=0.0)
    if isinstance(question.emulator, RecordedPoints):
        return max(found, float(question.true_gains(question.emulator.points).max()))
    space, rng = question.space, np.random.default_rng(seed)
    drawn = [space.sample(rng) for _ in range(_DRAWS)]
    gains = question.true_gains(drawn)
    best = [drawn[place] for place in np.argsort(-gains)[:_CLIMBERS]]
    for turn in range(_ROUNDS):
        width = 0.3 * 0.9**turn
        near = [_neighbour(space, values, width, rng) for values in best for _ in range(_NEIGHBOURS)]
        everyone = [*best, *(values for values in near if values is not None)]
        order = np.argsort(-question.true_gains(everyone))
        best = [everyone[place] for place in order[:_CLIMBERS]]
    climbed = float(question.true_gains(best[:1])[0])
    return max(found, climbed)


def _outlook(question: Question, rng: np.random.Generator, runs: int) -> Outlook:
    """Return what a study would know of its noise from some runs of the reference."""
    repeats = [question.emulator.noise(rng) for _ in range(_REPEATS)]
    slacks = [question.slacks(each) for each in repeats]
    spreads = {name: stdev(each[name] for each in slacks) for name in slacks[0]}
    noise = stdev(question.judge(each)[0] for each in repeats)
    slack_noise = {name: spread for name, spread in spreads.items() if spread > 0}
    at_reference = question.slacks(np.zeros(len(question.emulator.indicators)))
    return Outlook(noise or None, slack_noise, runs, at_reference, question.prior)


def _winning_s(question: Question, ended: Sequence[Made]) -> float:
    """Return the time in s beyond which a run cannot win, from the best trial so far; infinity where there is none."""
    better = [
        (each.trial.response, each.spent_s)
        for each in ended
        if each.trial.response is not None and each.trial.response < 0 and each.trial.violation == 0
    ]
    return min(better)[1] * question.beat if better and question.beat is not None else math.inf


def _run(
    question: Question, values: Mapping[str, Value], rng: np.random.Generator, winning_s: float
) -> tuple[Trial, float]:
    """Return what a sampler is told of a run, and the run's time in s.

    As in a study, a run that was stopped has a bound where its time tells the objective; elsewhere it counts as failed.
    """
    ratios = question.emulator.log_ratios([values])[0] + question.emulator.noise(rng)
    typical_s = question.emulator.levels[question.time]
    spent_s, cap_s = question.seconds(ratios), min(question.cap * (typical_s + question.fixed_s), winning_s)
    if spent_s > cap_s:
        told = question.times_all_work and question.objective.follows_time
        bound = math.log((cap_s - question.fixed_s) / typical_s) if told else None
        return Trial(values, None, bound=bound), cap_s
    gain, violation = question.judge(ratios)
    by_name = dict(zip(question.emulator.indicators, np.exp(ratios).tolist(), strict=True))
    parts, slacks = question.parts(ratios), question.slacks(ratios)
    return Trial(values, -gain, violation, ratios=by_name, parts=parts, slacks=slacks), spent_s


def _handed_over(question: Question, trials: Sequence[Trial]) -> tuple[FloatArray, BoolArray, IntArray]:
    """Return the true log gain of the best finalist after each run, whether the first one holds, and its changes.

    Finalists are chosen as `lsmtune tune` does.
    """
    emulator = question.emulator
    noise = dict(zip(emulator.indicators, emulator.residuals.std(axis=0).tolist(), strict=True))
    judged = [question.judge(row) for row in emulator.log_ratios([trial.values for trial in trials])]
    shown = np.array(
        [
            math.inf if trial.response is None or trial.violation > 0 or trial.response >= 0 else trial.response
            for trial in trials
        ]
    )
    gains, held = np.zeros(len(trials)), np.zeros(len(trials), dtype=np.bool_)
    changed = np.zeros(len(trials), dtype=np.int64)
    for number in range(len(trials)):
        good = [place for place in np.argsort(shown[: number + 1]).tolist() if math.isfinite(shown[place])]
        chosen = [
            good[place] for place in first_with_margin([trials[n].slacks for n in good], noise, question.finalists)
        ]
        holding = [place for place in chosen if judged[place][1] == 0 and judged[place][0] > 0]
        held[number] = bool(chosen) and judged[chosen[0]][1] == 0
        if holding:
            best = max(holding, key=lambda place: judged[place][0])
            gains[number], changed[number] = judged[best][0], len(question.space.canonical(trials[best].values))
    return gains, held, changed


def _neighbour(
    space: Space, values: Mapping[str, Value], width: float, rng: np.random.Generator
) -> dict[str, Value] | None:
    """Return feasible values near to the given ones: about a quarter of the axes moved."""
    place = space.to_unit(values)
    moved = rng.random(len(space)) < max(0.25, 1 / len(space))
    place = np.where(moved, np.clip(place + rng.normal(0, width, len(space)), 0, 1), place)
    return space.repair(space.from_unit(place))
