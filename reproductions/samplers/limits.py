"""What samplers find where memory, space and the tail of latencies must not get worse at all.

Usage: python limits.py QUESTIONS.toml... SEARCHES.parquet [--seeds N] [--first-seed N]

Asks of the judging sets of all QUESTIONS.toml the objective with three guards at once, each at 1.00x the reference's:
memory at full size, space on disk, and P99 of reads, or of writes where a workload does not read. SEARCHES.parquet is
as lsmtune bench-samplers --searches writes it; judged.py counts what was found.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lsmtune.analysis import Runs
from lsmtune.sampler_benchmark import SamplerBenchmark, Use, benchmark_questions, read_sets, searches_table

SAMPLERS = ("agp", "smac", "tpe", "random")
TAILS = ("read_latency_p99_s", "latency_p99_s")
"""That of all operations is told where a workload has one kind of them."""
BOUND = "1.00x"


def benches(questions: Sequence[Path], how: SamplerBenchmark) -> Iterator[SamplerBenchmark]:
    """Yield the question of each judging set."""
    for each in (each for path in questions for each in read_sets(path) if each.use is Use.JUDGING):
        tail = next(name for name in TAILS if name in Runs.read(each.runs).indicators)
        guards = tuple((name, BOUND) for name in ("memory_peak_bytes", "space_bytes", tail))
        objective = ((each.objective, 1.0),)
        yield replace(how, source=each.runs, objective=objective, guards=guards, name=f"{each.name}, limits")


def main() -> None:
    """Ask, and write what came of each question as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path, nargs="+")
    parser.add_argument("searches", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=21)
    asked = parser.parse_args()
    how = SamplerBenchmark(Path(), (), (), runs=50, seeds=asked.seeds, first_seed=asked.first_seed)
    done = []
    for answer in benchmark_questions(list(benches(asked.questions, how)), SAMPLERS):
        done.append(answer)
        searches_table(done).to_parquet(asked.searches, index=False)
        print(answer.name, flush=True)


if __name__ == "__main__":
    main()
