"""How much of what agp finds comes of what it knows, and how much of the model that stands for the engine.

Usage: python controls.py QUESTIONS.toml SEARCHES.parquet [--trees] [--seeds N] [--first-seed N]

Asks the judging sets of QUESTIONS.toml. Samplers: "agp-alone" starts from nothing; "smac-begun", "tpe-begun" and
"random-begun" search on from the first five proposals of agp, which it draws by its prior. With --trees it asks agp,
smac, tpe and random draws as they are, and trees alone stand for the engine, a model like that of smac, instead of the
mean of trees and a kernel regression. SEARCHES.parquet is as lsmtune bench-samplers --searches writes it, so that
judged.py compares the searches of controls with others of the same seeds.
"""

import argparse
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from lsmtune.analysis import Emulator
from lsmtune.model import Value
from lsmtune.sampler_benchmark import (
    Answer,
    BenchmarkedSearch,
    Question,
    SamplerBenchmark,
    Use,
    benchmark_sampler,
    best_known,
    read_sets,
    searches_table,
)
from lsmtune.samplers import Outlook, Sampler, Trial, make_sampler
from lsmtune.space import Space
from lsmtune.study import startup_runs

PROCESSES = 2
BEGUN = 5
"""Proposals that agp draws by its prior."""
CONTROLS = ("agp-alone", "smac-begun", "tpe-begun", "random-begun")
SAMPLERS = ("agp", "smac", "tpe", "random")


class Begun(Sampler):
    """The first proposals of agp, then those of another sampler, which is told all trials."""

    def __init__(self, name: str, space: Space, seed: int) -> None:
        """Make both; the other one has no start of its own beyond the first proposals."""
        super().__init__(space, seed, BEGUN)
        self._first, self._then = (make_sampler(each, space, seed, BEGUN) for each in ("agp", name))

    def expect(self, outlook: Outlook) -> None:
        """Tell both."""
        super().expect(outlook)
        self._first.expect(outlook)
        self._then.expect(outlook)

    def tell(self, trial: Trial) -> None:
        """Tell both."""
        super().tell(trial)
        self._first.tell(trial)
        self._then.tell(trial)

    def propose(self, index: int, attempt: int) -> Mapping[str, Value]:
        """Ask the one whose turn it is."""
        return (self._first if index < BEGUN else self._then).propose(index, attempt)


_asked: list[tuple[SamplerBenchmark, Question]] = []


def question_of(bench: SamplerBenchmark, *, trees: bool) -> Question:
    """Fit the emulator; of its two models the trees alone where `trees` asks for them."""
    question = bench.question()
    if not trees:
        return question
    emulator = question.emulator
    assert isinstance(emulator, Emulator)  # recorded points stand for the engine only where a bench says so
    models = [replace(each, estimator=each.estimator.parts[0]) for each in emulator.surrogates]
    return replace(question, emulator=replace(emulator, surrogates=tuple(models)))


def begin(bench: SamplerBenchmark, trees: bool) -> None:
    """Fit the emulator of this process."""
    _asked.append((bench, question_of(bench, trees=trees)))


def one(name: str, seed: int) -> BenchmarkedSearch:
    """Search once."""
    bench, question = _asked[-1]
    if name == "agp-alone":
        question = replace(question, prior=None)

    def make() -> Sampler:
        if name.endswith("-begun"):
            return Begun(name.removesuffix("-begun"), question.space, seed)
        return make_sampler(name.removesuffix("-alone"), question.space, seed, startup_runs(question.space))

    return benchmark_sampler(question, name, make, seed, bench.runs)


def answers(how: SamplerBenchmark, *, trees: bool) -> Iterator[Answer]:
    """Search for all judging sets."""
    for bench in (bench for each in read_sets(how.source) if each.use is Use.JUDGING for bench in each.benches(how)):
        context = get_context("spawn")
        with ProcessPoolExecutor(PROCESSES, mp_context=context, initializer=begin, initargs=(bench, trees)) as pool:
            names = SAMPLERS if trees else CONTROLS
            jobs = [pool.submit(one, name, seed) for name in names for seed in bench.all_seeds]
            found = tuple(job.result() for job in jobs)
        best = best_known(question_of(bench, trees=trees), found)
        yield Answer(bench.name, str(bench.stand), bench.runs, bench.seeds, found, best, bench.noise)


def main() -> None:
    """Ask, and write what came of each question as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("searches", type=Path)
    parser.add_argument("--trees", action="store_true")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=21)
    asked = parser.parse_args()
    how = SamplerBenchmark(asked.questions, (), (), runs=50, seeds=asked.seeds, first_seed=asked.first_seed)
    done: list[Answer] = []
    for answer in answers(how, trees=asked.trees):
        done.append(answer)
        searches_table(done).to_parquet(asked.searches, index=False)
        print(answer.name, flush=True)


if __name__ == "__main__":
    main()
