"""All samplers on recorded runs: the same questions to each, several times, in two processes."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from enum import StrEnum
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from lsmtune.analysis import Runs, fit_emulator, response
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.experiment import read_guard
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.sampler_benchmark._recorded import recorded_points
from lsmtune.sampler_benchmark._search import TOTAL_TIME, BenchmarkedSearch, Question, benchmark_sampler, best_known
from lsmtune.samplers import Sampler, make_sampler
from lsmtune.study import fit_computed_memory, full_size_of, prior_of, space_of, startup_runs

PROCESSES = 2
"""That search at a time."""
_FEW = 4
"""Searches that are over sooner than other processes have fitted the emulator."""
_CAP = 3.0
_WALL_TIME = "elapsed_s"
"""How long a run takes where it reads: there is no time of all of its work."""
_COMPUTED = "memory_peak_bytes"


class Stand(StrEnum):
    """What stands for the engine."""

    EMULATOR = "emulator"
    POINTS = "points"


@dataclass(frozen=True)
class SamplerBenchmark:
    """What samplers are compared on.

    Attributes:
        source: the table of recorded runs.
        objective: weight by indicator.
        guards: by indicator, how much worse it may get, as in an experiment. Memory is computed for the full size and
            bounds the space of all samplers alike.
        runs: of each search.
        seeds: searches of each sampler.
        beat: factor on the best trial's time beyond which a run is stopped; None: it never is, nor where the objective
            does not follow the time.
        stand: what stands for the engine: a model of the runs, which knows no more of the engine than they say, or the
            recorded points alone.
        name: of the question, where there are several.
        at_once: how many hosts make the runs of a search.
        noise: factor on what one run adds to the truth: below 1 as of longer runs or a quieter machine.
        first_seed: of each sampler's first search; those of further ones count up from it.
    """

    source: Path
    objective: tuple[tuple[str, float], ...]
    guards: tuple[tuple[str, str], ...]
    runs: int
    seeds: int
    beat: float | None = None
    stand: Stand = Stand.EMULATOR
    name: str = ""
    at_once: int = 1
    noise: float = 1.0
    first_seed: int = 1

    @property
    def all_seeds(self) -> range:
        """The seeds of each sampler's searches."""
        return range(self.first_seed, self.first_seed + self.seeds)

    def check(self) -> None:
        """Look whether the table has what is asked of it, in less than a second; `question` takes longer.

        Raises:
            UsageError: the table cannot be read, or lacks an indicator.
            StatisticsError: an indicator cannot be explained.
        """
        runs = Runs.read(self.source)
        for name in self._indicators(runs):
            response(runs, name)

    def question(self) -> Question:
        """Fit the emulator and return what is searched; takes some seconds.

        Raises:
            UsageError: the table cannot be read, or lacks an indicator.
            StatisticsError: an emulator cannot be made of it.
        """
        runs = Runs.read(self.source)
        guards = tuple(_guard(name, text) for name, text in self.guards)
        measured = tuple(guard for guard in guards if guard.indicator != _COMPUTED)
        objective, facts = Objective(dict(self.objective)), runs.facts
        workload, times_all_work = facts.asked.workload(), facts.asked.times_all_work
        space = space_of(runs)
        if len(measured) < len(guards):
            space, _ = fit_computed_memory(space, set(guards) - set(measured), full_size_of(runs))
        names = self._indicators(runs)
        # Without knowledge of the engine: what a sampler believes must not be what it is judged by.
        emulator = fit_emulator(runs, names)
        emulator = replace(emulator, residuals=self.noise * emulator.residuals)
        return Question(
            space=space,
            emulator=emulator if self.stand is Stand.EMULATOR else recorded_points(runs, space, emulator),
            objective=objective,
            guards=measured,
            cap=_CAP,
            beat=self.beat if objective.follows_time and times_all_work else None,  # as in a study
            time=names[0],
            times_all_work=times_all_work,
            fixed_s=_fixed_s(runs, names[0]),
            prior=prior_of(facts.engine, workload, facts.reference_values, objective, measured),
        )

    def _indicators(self, runs: Runs) -> tuple[str, ...]:
        """Return what is asked about: the time of a run first, then objective and measured guards."""
        time = TOTAL_TIME if TOTAL_TIME in runs.indicators else _WALL_TIME
        guarded = (name for name, _ in self.guards if name != _COMPUTED)
        return (time, *(name for name, _ in self.objective), *guarded)


@dataclass(frozen=True)
class Answer:
    """What samplers found in one question.

    Attributes:
        name: of the question.
        stand: what stood for the engine.
        runs: of each search.
        seeds: searches of each sampler.
        searches: by sampler and seed.
        best: the largest log gain that is known.
        noise: factor on the noise of recorded runs.
    """

    name: str
    stand: str
    runs: int
    seeds: int
    searches: tuple[BenchmarkedSearch, ...]
    best: float
    noise: float = 1.0


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
    (answer,) = benchmark_questions([bench], samplers, tell)
    return answer.searches, answer.best


def benchmark_questions(
    benches: Sequence[SamplerBenchmark],
    samplers: Sequence[str],
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> Iterator[Answer]:
    """Ask each sampler each of several questions, as `benchmark_samplers` asks one; what came of one is told at once.

    Raises:
        UsageError: there is no such sampler, or a table cannot be read or lacks an indicator.
        StatisticsError: an emulator cannot be made of a table.
    """
    for bench in benches:
        bench.check()  # hours of searches are not lost to the last table
    done, of = 0, sum(len(samplers) * bench.seeds for bench in benches)
    for bench in benches:
        question = bench.question()
        for name in samplers:
            make_sampler(name, question.space, 0)
        jobs = [(name, seed) for name in samplers for seed in bench.all_seeds]
        searches = []
        for found in _all(bench, question, jobs):
            done += 1
            tell(found.sampler, done, of)
            searches.append(found)
        ordered = tuple(sorted(searches, key=lambda each: (samplers.index(each.sampler), each.seed)))
        best = best_known(question, ordered)
        yield Answer(bench.name, str(bench.stand), bench.runs, bench.seeds, ordered, best, bench.noise)


def _all(bench: SamplerBenchmark, question: Question, jobs: Sequence[tuple[str, int]]) -> Iterator[BenchmarkedSearch]:
    if len(jobs) <= _FEW:
        yield from (_search(bench, question, name, seed) for name, seed in jobs)
        return
    # Each process fits the emulator anew: threads of this one's models must not be forked.
    context = get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=context, initializer=_begin, initargs=(bench,)) as pool:
        waiting = [pool.submit(_one, bench, name, seed) for name, seed in jobs]
        for done in as_completed(waiting):
            yield done.result()


_here: dict[SamplerBenchmark, Question] = {}


def _begin(bench: SamplerBenchmark) -> None:
    _here[bench] = bench.question()


def _one(bench: SamplerBenchmark, name: str, seed: int) -> BenchmarkedSearch:
    return _search(bench, _here[bench], name, seed)


def _search(bench: SamplerBenchmark, question: Question, name: str, seed: int) -> BenchmarkedSearch:
    def make() -> Sampler:
        return make_sampler(name, question.space, seed, startup_runs(question.space))

    return benchmark_sampler(question, name, make, seed, bench.runs, at_once=bench.at_once)


def _guard(name: str, text: str) -> Guard:
    found = read_guard(name, text)
    if isinstance(found, Limit):
        raise UsageError(f'the guard "{text}" on {name} is a bound in a unit; compare with the reference, like 1.10x')
    return found


def _fixed_s(runs: Runs, time: str) -> float:
    """Return what the reference's runs take beside their work in s: opening, sleeps, reading."""
    reference = (runs.frame["arm"].to_numpy() == runs.facts.reference) & runs.counting()
    spare = runs.frame["elapsed_s"].to_numpy(dtype=np.float64) - runs.indicator(time)
    known = spare[reference & np.isfinite(spare)]
    if not known.size:
        raise StatisticsError(f'no run of the reference has "{time}"; record runs with anchors')
    return max(0.0, float(np.median(known)))
