"""All samplers on recorded runs: the same question to each, several times, in two processes."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from lsmtune.analysis import Runs, fit_emulator
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.experiment import read_guard
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.sampler_benchmark._search import TOTAL_TIME, BenchmarkedSearch, Question, benchmark_sampler, best_known
from lsmtune.samplers import Sampler, make_sampler
from lsmtune.study import knowledge_of, space_of, startup_runs

_PROCESSES = 2
_CAP = 3.0


@dataclass(frozen=True)
class SamplerBenchmark:
    """What samplers are compared on.

    Attributes:
        source: the table of recorded runs.
        objective: weight by indicator.
        guards: by indicator, how much worse it may get, as in an experiment.
        runs: of each search.
        seeds: searches of each sampler.
        beat: factor on the best trial's time beyond which a run is stopped; None: it never is.
        at_once: how many hosts make the runs of a search.
    """

    source: Path
    objective: tuple[tuple[str, float], ...]
    guards: tuple[tuple[str, str], ...]
    runs: int
    seeds: int
    beat: float | None = None
    at_once: int = 1

    def question(self) -> Question:
        """Fit the emulator and return what is searched; takes some seconds.

        Raises:
            UsageError: the table cannot be read, or lacks an indicator.
            StatisticsError: an emulator cannot be made of it.
        """
        runs = Runs.read(self.source)
        guards = tuple(_guard(name, text) for name, text in self.guards)
        names = (TOTAL_TIME, *(name for name, _ in self.objective), *(name for name, _ in self.guards))
        return Question(
            space=space_of(runs),
            emulator=fit_emulator(runs, names, derive=knowledge_of(runs)),
            objective=Objective(dict(self.objective)),
            guards=guards,
            cap=_CAP,
            beat=self.beat,
            fixed_s=_fixed_s(runs),
        )


def benchmark_samplers(
    bench: SamplerBenchmark, samplers: Sequence[str], tell: Callable[[str, int, int], None] = lambda *_: None
) -> tuple[tuple[BenchmarkedSearch, ...], float]:
    """Let each sampler search `bench.seeds` times.

    Args:
        bench: what is searched.
        samplers: their names.
        tell: is told a search that ended (its sampler), how many have, and of how many.

    Returns:
        All searches, by sampler and seed, and the largest log gain that is known.

    Raises:
        UsageError: there is no such sampler, or the table cannot be read or lacks an indicator.
        StatisticsError: an emulator cannot be made of it.
    """
    question = bench.question()
    for name in samplers:
        make_sampler(name, question.space, 0)
    jobs = [(name, seed) for name in samplers for seed in range(1, bench.seeds + 1)]
    searches = sorted(_all(bench, jobs, tell), key=lambda each: (samplers.index(each.sampler), each.seed))
    return tuple(searches), best_known(question, searches)


def _all(
    bench: SamplerBenchmark, jobs: Sequence[tuple[str, int]], tell: Callable[[str, int, int], None]
) -> Iterator[BenchmarkedSearch]:
    # Each process fits the emulator anew: threads of this one's models must not be forked.
    context = get_context("spawn")
    with ProcessPoolExecutor(_PROCESSES, mp_context=context, initializer=_begin, initargs=(bench,)) as pool:
        waiting = [pool.submit(_one, name, seed) for name, seed in jobs]
        for number, done in enumerate(as_completed(waiting), start=1):
            found = done.result()
            tell(found.sampler, number, len(jobs))
            yield found


_here: dict[str, Any] = {}


def _begin(bench: SamplerBenchmark) -> None:
    _here.update(bench=bench, question=bench.question())


def _one(name: str, seed: int) -> BenchmarkedSearch:
    bench, question = _here["bench"], _here["question"]

    def make() -> Sampler:
        return make_sampler(name, question.space, seed, startup_runs(question.space))

    return benchmark_sampler(question, name, make, seed, bench.runs, at_once=bench.at_once)


def _guard(name: str, text: str) -> Guard:
    found = read_guard(name, text)
    if isinstance(found, Limit):
        raise UsageError(f'the guard "{text}" on {name} is a bound in a unit; compare with the reference, like 1.10x')
    return found


def _fixed_s(runs: Runs) -> float:
    """Return what the reference's runs take beside `TOTAL_TIME` in s: opening, sleeps, reading."""
    reference = (runs.frame["arm"].to_numpy() == runs.facts.reference) & runs.counting()
    spare = runs.frame["elapsed_s"].to_numpy(dtype=np.float64) - runs.indicator(TOTAL_TIME)
    known = spare[reference & np.isfinite(spare)]
    if not known.size:
        raise StatisticsError(f'no run of the reference has "{TOTAL_TIME}"; record runs with anchors')
    return max(0.0, float(np.median(known)))
