"""Run one and the same trial of NNI's example alone and two at once, and print what that does to rates and ratios.

Usage: python concurrency.py FILE.csv [--rounds 8] [--db-bench PATH]

An A/A: every trial is main.py with its untuned values and half of its keys, so every ratio of two trials is 1 but for
noise. A round is 6 trials one after another (trialConcurrency 1) and 6 by two workers at once (trialConcurrency 2), in
turns first. Trials are paired in the order in which they began. Lines are written as each six end, and the same command
goes on after them; a round that was cut off does not count. Nothing else should run.
"""

import argparse
import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import scipy.stats

from lsmtune.stats import PairedComparison, compare_pairs, geometric_mean

TRIAL = Path(__file__).parent / "main.py"
TRIALS = 6
NUM = 13107200 // 2
STAND_IN = f'''"""Answers a trial as NNI does, and prints what it reports."""


def get_next_parameter():
    return {{"num": {NUM}}}


def report_final_result(value):
    print(value)
'''
COLUMNS = ("round", "at_once", "began_s", "seconds", "ops_s")
LEVEL = 0.95

Row = dict[str, Any]


def trial(environment: dict[str, str], began: float) -> Row:
    """Return what one trial reports, and when it ran."""
    at = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trial-", dir=Path.cwd()) as folder:
        told = subprocess.run(
            [sys.executable, str(TRIAL)],
            env=environment | {"NNI_OUTPUT_DIR": folder},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return {"began_s": f"{at - began:.2f}", "seconds": f"{time.monotonic() - at:.2f}", "ops_s": float(told)}


def measured(number: int, environment: dict[str, str]) -> Iterator[Row]:
    """Yield the trials of a round."""
    for at_once in (1, 2) if number % 2 else (2, 1):
        began = time.monotonic()
        with ThreadPoolExecutor(at_once) as workers:
            done = list(workers.map(lambda _, began=began: trial(environment, began), range(TRIALS)))
        for row in done:
            yield {"round": number, "at_once": at_once} | row


def told(rows: Sequence[Row]) -> None:
    """Print for each number of trials at once how fast they are, and how far and how wide a ratio of two of them is."""
    found: dict[int, PairedComparison] = {}
    for at_once in (1, 2):
        here = [row for row in rows if int(row["at_once"]) == at_once]
        first, second = ([float(row["ops_s"]) for row in here[nth::2]] for nth in (0, 1))
        found[at_once] = pairs = compare_pairs(second, first, 1 - LEVEL)
        half = scipy.stats.t.ppf((1 + LEVEL) / 2, TRIALS - 1) * pairs.sd_log / math.sqrt(TRIALS)
        taken = sum(float(row["seconds"]) for row in here) / at_once
        print(
            f"{at_once} at once: {len(here)} trials of {geometric_mean([*first, *second]):,.0f} operations a second, "
            f"{3600 * len(here) / taken:.0f} an hour"
        )
        print(
            f"  A/A {pairs.ratio:.3f}x [{pairs.low:.3f}, {pairs.high:.3f}] in {pairs.n} pairs, which vary by "
            f"{math.expm1(pairs.sd_log):.1%}: 6 of them give 1.00x [{math.exp(-half):.2f}, {math.exp(half):.2f}]"
        )
    alone, beside = found[1], found[2]
    width = beside.sd_log / alone.sd_log
    low, high = (
        width / math.sqrt(scipy.stats.f.ppf(share, beside.n - 1, alone.n - 1))
        for share in ((1 + LEVEL) / 2, (1 - LEVEL) / 2)
    )
    print(f"two at once: intervals {width:.2f} times as wide [{low:.2f}, {high:.2f}] as of one at a time")


def whole_rounds(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of rounds of which no trial is missing."""
    trials = Counter(int(row["round"]) for row in rows)
    return [row for row in rows if trials[int(row["round"])] == 2 * TRIALS]


def main(output: Path, rounds: int, db_bench: Path) -> None:
    """Run the rounds that are not there yet, write their trials, and print what all of them say."""
    rows: list[Row] = []
    if output.exists():
        with output.open(newline="") as file:
            rows = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory(prefix="stand-in-") as folder, output.open("a", newline="") as file:
        (Path(folder) / "nni.py").write_text(STAND_IN)
        search = os.pathsep.join((str(db_bench.resolve().parent), os.environ["PATH"]))
        environment = os.environ | {"PYTHONPATH": folder, "PATH": search}
        table = csv.DictWriter(file, COLUMNS)
        if not rows:
            table.writeheader()
        while len(whole_rounds(rows)) < rounds * 2 * TRIALS:
            number = 1 + max((int(row["round"]) for row in rows), default=-1)
            for row in measured(number, environment):
                rows.append(row)
                table.writerow(row)
                file.flush()
    told(whole_rounds(rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, metavar="FILE.csv")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--db-bench", type=Path, default=shutil.which("db_bench") or "db_bench")
    given = parser.parse_args()
    main(given.output, given.rounds, Path(given.db_bench))
