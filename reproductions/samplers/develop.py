"""What a sampler finds in the sets for development, where agp knows the other sets alone: for whoever changes it.

Usage: python develop.py SEARCHES.parquet [--sampler NAME] [--seeds N] [--first-seed N] [--question TEXT]

On the sets that taught agp what it starts from, lsmtune bench-samplers flatters it. Here the effects are learnt anew
without the set that is searched. The runs of two sets vary three and four times as much as they were recorded, so that
one varies by 0.3 to 0.4 of the best-known gain, as in the sets that judge. --question asks those alone whose name has
TEXT. SEARCHES.parquet is as lsmtune bench-samplers --searches writes it: judged.py counts it.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType

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
from lsmtune.samplers import make_sampler
from lsmtune.space._effects import read_effects
from lsmtune.study import _prior, startup_runs

HERE = Path(__file__).parent
PROCESSES = 2
TAUGHT: Mapping[str, tuple[Path, ...]] = MappingProxyType(
    {
        "writes": (HERE / "sets/fill-small-values/runs.parquet", HERE.parent / "jin2022/sound/runs.parquet"),
        "mixed": (HERE / "sets/readwhilewriting/runs.parquet", HERE / "sets/ycsb-a-rocksdb/runs.parquet"),
    }
)
"""The tables that taught the effects which agp starts from, by the kind of their workload."""
NOISE = MappingProxyType({"ycsb-a-rocksdb": 3.0, "readwhilewriting": 4.0})
"""Factors on what one run adds to the truth."""


def learnt_without(table: Path) -> list[str]:
    """Return the lines of a table of effects that were learnt from all tables but one."""
    kinds = {kind: [str(each) for each in tables if each != table] for kind, tables in TAUGHT.items()}
    asked = [f"{kind}={','.join(tables)}" for kind, tables in kinds.items()]
    script = HERE.parents[1] / "tools" / "learn_effects.py"
    return subprocess.run(
        [sys.executable, str(script), *asked], check=True, capture_output=True, text=True
    ).stdout.splitlines()


_asked: list[tuple[SamplerBenchmark, Question]] = []


def begin(bench: SamplerBenchmark, lines: list[str]) -> None:
    """Fit the emulator of this process, and know of RocksDB what the lines tell."""
    effects = read_effects(lines)
    vars(_prior)["effects_of"] = lambda engine: effects if engine == "rocksdb" else None
    _asked.append((bench, bench.question()))


def one(name: str, seed: int) -> BenchmarkedSearch:
    """Search once."""
    bench, question = _asked[-1]
    startup = startup_runs(question.space)
    return benchmark_sampler(
        question, name, lambda: make_sampler(name, question.space, seed, startup), seed, bench.runs
    )


def answers(how: SamplerBenchmark, sampler: str, part: str) -> Iterator[Answer]:
    """Search for the sets for development."""
    for each in (each for each in read_sets(how.source) if each.use is Use.DEVELOPMENT):
        asked = replace(how, noise=NOISE.get(each.name, 1.0))
        benches = [bench for bench in each.benches(asked) if part in bench.name]
        lines = learnt_without(each.runs) if benches else []
        for bench in benches:
            context = get_context("spawn")
            with ProcessPoolExecutor(PROCESSES, mp_context=context, initializer=begin, initargs=(bench, lines)) as pool:
                found = tuple(pool.map(one, [sampler] * bench.seeds, bench.all_seeds))
            best = best_known(bench.question(), found)
            yield Answer(bench.name, str(bench.stand), bench.runs, bench.seeds, found, best, bench.noise)


def main() -> None:
    """Ask, and write what came of each question as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", type=Path)
    parser.add_argument("--sampler", default="agp")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=101)
    parser.add_argument("--question", default="")
    asked = parser.parse_args()
    source = HERE / "questions.toml"
    how = SamplerBenchmark(source, (), (), runs=50, seeds=asked.seeds, first_seed=asked.first_seed)
    done: list[Answer] = []
    for answer in answers(how, asked.sampler, asked.question):
        done.append(answer)
        searches_table(done).to_parquet(asked.searches, index=False)
        print(answer.name, flush=True)


if __name__ == "__main__":
    main()
