"""How long a prediction takes, once compiled, and how long `lsmtune predict` takes to answer.

    python benchmarks/predict_speed.py [--seed 1] [--count 40]

Random configurations, leveled and universal, with and without filters, over sizes from 4 GiB to 4 TiB, loads and
overwrites, read evenly and unevenly through a cache. A prediction is all that the model says of one configuration
without a search for rates; one with the rate that is kept up with runs the model nine times and is printed beside it.
The command is a fresh process with its compiled parts on disk, less what `python -c "import lsmtune.cli"` takes; its
experiment has 4 TiB. Goals: the median and the slowest tenth of predictions <= 50 ms, the command <= 1 s. Exit code 1
if one is missed.
"""

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lsmtune.forecast import Readers, predicted
from lsmtune.lsm_model.tree import Costs, Order, Popularity, Reads, Writes
from lsmtune.model import Value

GOAL_S, COMMAND_GOAL_S = 0.050, 1.0
GIB, TIB, MIB = 1 << 30, 1 << 40, 1 << 20
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


def main(seed: int, count: int) -> int:
    """Time, print; return the exit code."""
    rng = random.Random(seed)
    cases = [(configuration(rng), *workload(rng)) for _ in range(count)]
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
    given = parser.parse_args()
    sys.exit(main(given.seed, given.count))
