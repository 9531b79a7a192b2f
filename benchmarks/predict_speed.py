"""How long a prediction takes, once compiled, and how long `lsmtune predict` takes to answer.

    python benchmarks/predict_speed.py [--seed 1] [--count 40] [--against OTHER/src]

Random configurations, leveled and universal, with and without filters, over sizes from 4 GiB to 4 TiB, loads and
overwrites, read evenly and unevenly through a cache. A prediction is all that the model says of one configuration
without a search for rates; one with the rate that is kept up with runs the model nine times and is printed beside it.
The command is a fresh process with its compiled parts on disk, less what `python -c "import lsmtune.cli"` takes; its
experiment has 4 TiB. Goals: the median and the slowest tenth of predictions <= 50 ms, the command <= 1 s. Exit code 1
if one is missed. `--against` makes the same predictions by another checkout's package, too, one in turn with the other,
and prints the ratio of the processor times and how far its figures are from this one's.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import lsmtune
from lsmtune.forecast import Readers, predicted
from lsmtune.lsm_model.tree import Costs, Order, Popularity, Reads, Writes
from lsmtune.model import Value

GOAL_S, COMMAND_GOAL_S = 0.050, 1.0
GIB, TIB, MIB = 1 << 30, 1 << 40, 1 << 20
Case: TypeAlias = tuple[dict[str, Value], tuple[Writes, ...], Readers]
EXPERIMENT = """
scale = "1/4096"
[workload]
load = "fillrandom"
benchmarks = "readrandom"
num = "4G"
value_size = 1000
"""


def configuration(rng: random.Random) -> dict[str, Value]:
    """Return values of options."""
    return {
        "write_buffer_size": rng.choice((32, 64, 128, 256)) * MIB,
        "max_write_buffer_number": rng.choice((2, 4, 8)),
        "level0_file_num_compaction_trigger": rng.choice((2, 4, 8)),
        "max_bytes_for_level_base": rng.choice((256, 512, 1024)) * MIB,
        "max_bytes_for_level_multiplier": rng.choice((5, 10, 20)),
        "target_file_size_base": rng.choice((32, 64, 256)) * MIB,
        "compaction_style": rng.choice(("level", "level", "universal")),
        "level_compaction_dynamic_level_bytes": rng.choice((False, True)),
        "compression_type": rng.choice(("none", "lz4", "zstd")),
        "max_background_jobs": rng.choice((2, 4, 8)),
        "bloom_bits": rng.choice((0, 10)),
        "cache_size": rng.choice((1, 8, 64)) * GIB,
        "cache_index_and_filter_blocks": rng.choice((False, True)),
    }


def workload(rng: random.Random) -> tuple[tuple[Writes, ...], Readers]:
    """Return phases of writes and what is read then."""
    size = rng.choice((4 * GIB, 64 * GIB, TIB, 4 * TIB))
    value = rng.choice((100, 400, 1000))
    keys = round(size / (value + 24))
    load = Writes(keys, keys, 24, value, order=rng.choice((Order.UNIQUE, Order.UNIFORM)))
    updates = Writes(keys, keys // 10, 24, value, order=rng.choice((Order.UNIFORM, Order.ZIPFIAN)))
    reads = Reads(
        keys, rng.choice((Popularity.UNIFORM, Popularity.ZIPFIAN)), scans=rng.choice((0.0, 0.5)), scan_length=50
    )
    return rng.choice(((load,), (load, updates))), Readers(reads, 48.0 * GIB)


def timed(call: Callable[[], object]) -> float:
    """Return how long a call takes, in s."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def command_s() -> float:
    """Return what the command takes beyond the start of the program, median of 3, in s."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.toml"
        path.write_text(EXPERIMENT)
        argv = [sys.executable, "-m", "lsmtune", "predict", str(path), "--json"]
        start = [sys.executable, "-c", "import lsmtune.cli"]
        subprocess.run(argv, check=True, capture_output=True)
        run = [timed(lambda: subprocess.run(argv, check=True, capture_output=True)) for _ in range(3)]
        bare = [timed(lambda: subprocess.run(start, check=True, capture_output=True)) for _ in range(3)]
    return statistics.median(run) - statistics.median(bare)


def cases_of(seed: int, count: int) -> list[Case]:
    """Return configurations with what is asked of them."""
    rng = random.Random(seed)
    return [(configuration(rng), *workload(rng)) for _ in range(count)]


def serve(seed: int, count: int) -> None:
    """Predict the case whose number comes in, and print its processor time and figures; until no more come."""
    cases = cases_of(seed, count)
    for line in sys.stdin:
        options, phases, readers = cases[int(line)]
        began = time.process_time()
        found = predicted(options, phases, None, 2, None, readers)
        took = time.process_time() - began
        figures = {each.name: each.value for each in found.quantities}
        if found.reads is not None and found.reads.hit_share is not None:
            figures["hit share"] = found.reads.hit_share
        print(json.dumps([took, figures]), flush=True)


def server(source: str, seed: int, count: int) -> subprocess.Popen[str]:
    """Start a process that predicts by the package in a folder."""
    argv = [sys.executable, __file__, "--serve", "--seed", str(seed), "--count", str(count)]
    environment = {**os.environ, "PYTHONPATH": source}
    return subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def asked(process: subprocess.Popen[str], number: int) -> tuple[float, dict[str, float]]:
    """Return what a server says of a case."""
    assert process.stdin is not None
    assert process.stdout is not None
    print(number, file=process.stdin, flush=True)
    took, figures = json.loads(process.stdout.readline())
    return took, figures


def compare(source: str, seed: int, count: int) -> None:
    """Print how much faster predictions are than those of another checkout, and what they differ by."""
    own = str(Path(lsmtune.__file__).parents[1])
    with server(source, seed, count) as other, server(own, seed, count) as this:
        for process in (other, this):
            asked(process, 0)  # compiles
        ratios, errors = [], defaultdict(list)
        for number in range(count):
            (before, then), (after, now) = asked(other, number), asked(this, number)
            ratios.append(before / after)
            for name, value in now.items():
                errors[name].append(abs(value / then[name] - 1))
        for process in (other, this):
            process.kill()
    ratios.sort()
    print(f"against {source}: {statistics.median(ratios):.1f} times as fast, {ratios[0]:.1f} to {ratios[-1]:.1f}")
    for name, found in errors.items():
        print(f"  {name:<26} differs by {max(found):.1e} at most")


def main(seed: int, count: int) -> int:
    """Time, print; return the exit code."""
    cases = cases_of(seed, count)
    for options, phases, readers in cases[:3]:
        predicted(options, phases, Costs(), 2, None, readers)  # compiles
    plain = sorted(timed(partial(predicted, o, phases, None, 2, None, r)) for o, phases, r in cases)
    rated = sorted(timed(partial(predicted, o, phases, Costs(), 2, None, r)) for o, phases, r in cases[: count // 4])
    command = command_s()
    slow = plain[int(0.9 * len(plain))]
    middle = statistics.median(plain)
    print(f"prediction         median {middle * 1e3:7.1f} ms, slowest tenth {slow * 1e3:7.1f} ms of 50 ms")
    print(f"with rates         median {statistics.median(rated) * 1e3:7.1f} ms")
    print(f"lsmtune predict           {command:7.2f} s of {COMMAND_GOAL_S:g} s, 4 TiB")
    return int(middle > GOAL_S or slow > GOAL_S or command > COMMAND_GOAL_S)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--against", metavar="OTHER/src")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.seed, given.count)
        sys.exit()
    if given.against:
        compare(given.against, given.seed, given.count)
    sys.exit(main(given.seed, given.count))
