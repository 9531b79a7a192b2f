"""How much of what agp finds comes of what it knows: agp without its prior, and the others after its first proposals.

Usage: python controls.py QUESTIONS.toml SEARCHES.parquet [--seeds N] [--first-seed N]

Asks the judging sets of QUESTIONS.toml. Samplers: "agp-alone" starts from nothing; "smac-begun", "tpe-begun" and
"random-begun" search on from the first five proposals of agp, which it draws by its prior. SEARCHES.parquet is as
lsmtune bench-samplers --searches writes it, so that judged.py compares these searches with others of the same seeds.
"""

import argparse
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

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


def begin(bench: SamplerBenchmark) -> None:
    """Fit the emulator of this process."""
    _asked.append((bench, bench.question()))


def one(control: str, seed: int) -> BenchmarkedSearch:
    """Search once."""
    bench, question = _asked[-1]
    if control == "agp-alone":
        question = replace(question, prior=None)

    def make() -> Sampler:
        if control == "agp-alone":
            return make_sampler("agp", question.space, seed, startup_runs(question.space))
        return Begun(control.removesuffix("-begun"), question.space, seed)

    return benchmark_sampler(question, control, make, seed, bench.runs)


def answers(how: SamplerBenchmark) -> Iterator[Answer]:
    """Search for all judging sets."""
    for bench in (bench for each in read_sets(how.source) if each.use is Use.JUDGING for bench in each.benches(how)):
        context = get_context("spawn")
        with ProcessPoolExecutor(PROCESSES, mp_context=context, initializer=begin, initargs=(bench,)) as pool:
            jobs = [pool.submit(one, control, seed) for control in CONTROLS for seed in bench.all_seeds]
            found = tuple(job.result() for job in jobs)
        best = best_known(bench.question(), found)
        yield Answer(bench.name, str(bench.stand), bench.runs, bench.seeds, found, best, bench.noise)


def main() -> None:
    """Ask, and write what came of each question as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("searches", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=21)
    asked = parser.parse_args()
    how = SamplerBenchmark(asked.questions, (), (), runs=50, seeds=asked.seeds, first_seed=asked.first_seed)
    done: list[Answer] = []
    for answer in answers(how):
        done.append(answer)
        searches_table(done).to_parquet(asked.searches, index=False)
        print(answer.name, flush=True)


if __name__ == "__main__":
    main()
