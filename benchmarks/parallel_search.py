"""What agp should believe of trials that are still open: its ways of doing so against each other on recorded runs.

    python benchmarks/parallel_search.py reproductions/jin2022/sound/runs.parquet [--at-once 4] [--runs 48] [--seeds 10]

Each way searches an emulator of the recorded runs with the same seeds; what is printed is the share of the best-known
log gain that the best of three finalists has: mean over the seeds, with its standard error. It says which way to take;
nothing is missed.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from lsmtune.sampler_benchmark import BenchmarkedSearch, Question, SamplerBenchmark, benchmark_sampler, best_known
from lsmtune.samplers import Trial
from lsmtune.samplers._agp import AgpSampler, _Judge
from lsmtune.samplers._prior import Floats
from lsmtune.samplers._view import View
from lsmtune.study import startup_runs

_PROCESSES = 2
_MARKS = (16, 24, 32, 48)


class Silent(AgpSampler):
    """Knows only that what is open must not be proposed again."""

    def _judge(self, view: View, places: Floats, trials: Sequence[Trial]) -> _Judge:
        return _Judge.fit(view, places, trials, self.outlook)


class Liar(AgpSampler):
    """Tells its models one response for all that is open, and fits them to it."""

    def _lie(self, told: Sequence[float]) -> float:
        raise NotImplementedError

    def _judge(self, view: View, places: Floats, trials: Sequence[Trial]) -> _Judge:
        told = [trial.response for trial in trials if trial.response is not None]
        lies = [Trial(values, self._lie(told)) for values in self.open_values] if told else []
        known = np.concatenate([places, view.places([lie.values for lie in lies])]) if lies else places
        judge = _Judge.fit(view, known, [*trials, *lies], self.outlook)
        return replace(judge, order=[number for number in judge.order if number < len(places)])


class LiarBest(Liar):
    """The lowest response so far."""

    def _lie(self, told: Sequence[float]) -> float:
        return min(told)


class LiarMean(Liar):
    """The mean of all."""

    def _lie(self, told: Sequence[float]) -> float:
        return fmean(told)


class LiarWorst(Liar):
    """The highest."""

    def _lie(self, told: Sequence[float]) -> float:
        return max(told)


@dataclass(frozen=True)
class _Penalised(_Judge):
    """Takes off what lies near to open places (a simple form of Gonzalez et al. 2016, "local penalization")."""

    around: Floats = field(default_factory=lambda: np.empty((0, 0)))

    def log_acquisition(self, places: Floats) -> Floats:
        points = self.view.points(places).columns
        distances = np.sqrt(((points[:, None, :] - self.around[None, :, :]) ** 2).mean(axis=2))
        return np.asarray(super().log_acquisition(places) + np.log1p(-np.exp(-distances / 0.1)).sum(axis=1))


class Penalising(AgpSampler):
    """Local penalisation."""

    def _judge(self, view: View, places: Floats, trials: Sequence[Trial]) -> _Judge:
        judge = _Judge.fit(view, places, trials, self.outlook)
        if not self.open_values:
            return judge
        around = view.points(view.places(self.open_values)).columns
        own = {name: getattr(judge, name) for name in judge.__dataclass_fields__}
        return _Penalised(**own, around=around)


@dataclass(frozen=True)
class _Drawn(_Judge):
    """Judges by one function that the process may be, with its marginal draws at each place."""

    seed: int = 0

    def log_acquisition(self, places: Floats) -> Floats:
        means, deviations = self.response.predict(self.view.points(places))
        draws = np.random.default_rng([self.seed, len(places)]).normal(size=len(places))
        alone = _Judge.log_acquisition(replace(self, slacks=(), success=None), places)
        sure = _Judge.log_acquisition(self, places) - alone
        return np.asarray(-(means + deviations * draws) + np.minimum(sure, 0.0))


class Thompson(AgpSampler):
    """Thompson draws, at each place by itself."""

    def _judge(self, view: View, places: Floats, trials: Sequence[Trial]) -> _Judge:
        judge = _Judge.fit(view, places, trials, self.outlook)
        if not self.open_values:
            return judge
        own = {name: getattr(judge, name) for name in judge.__dataclass_fields__}
        return _Drawn(**own, seed=len(trials) * 64 + len(self.open_values))


WAYS = {
    "believer": AgpSampler,
    "silent": Silent,
    "liar, best": LiarBest,
    "liar, mean": LiarMean,
    "liar, worst": LiarWorst,
    "penalty": Penalising,
    "thompson": Thompson,
}


def _one(bench: SamplerBenchmark, job: tuple[str, int]) -> BenchmarkedSearch:
    question = _question(bench)
    way, seed = job
    make = partial(WAYS[way], question.space, seed, startup_runs(question.space))
    return benchmark_sampler(question, way, make, seed, bench.runs, at_once=bench.at_once)


_asked: dict[SamplerBenchmark, Question] = {}


def _question(bench: SamplerBenchmark) -> Question:
    if bench not in _asked:
        _asked[bench] = bench.question()
    return _asked[bench]


def main() -> int:
    """Search with every way and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--runs", type=int, default=48)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--objective", action="append", default=[])
    parser.add_argument("--guard", action="append", default=[])
    parser.add_argument("--way", action="append", default=[])
    asked = parser.parse_args()
    objective = tuple((name, 1.0) for name in asked.objective or ["throughput_settled_ops_s"])
    guards = tuple(tuple(text.split("=", 1)) for text in asked.guard)
    bench = SamplerBenchmark(asked.source, objective, guards, asked.runs, asked.seeds, at_once=asked.at_once)
    jobs = [(way, seed) for seed in range(1, asked.seeds + 1) for way in asked.way or WAYS]
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
        searches = list(pool.map(partial(_one, bench), jobs))
    best = best_known(bench.question(), searches)
    print(f"{asked.source}, {asked.at_once} at once, {asked.seeds} seeds; best known {np.exp(best):.3f}x")
    marks = [mark for mark in _MARKS if mark < asked.runs] + [asked.runs]
    print("way".ljust(14), *(f"{mark} runs".rjust(14) for mark in marks))
    for way in asked.way or WAYS:
        rows = np.array([each.gains for each in searches if each.sampler == way]) / best
        cells = [f"{fmean(col):.3f} +- {stdev(col) / len(col) ** 0.5:.3f}" for col in rows[:, [m - 1 for m in marks]].T]
        print(way.ljust(14), *(cell.rjust(14) for cell in cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
