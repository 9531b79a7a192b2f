"""Write the report of a study of 2,000 runs x 30 options x 4 indicators, and open it in a headless Chromium.

Usage: python benchmarks/report_2000.py [runs]

The study is built in one transaction through the store's own statements. Writing is the whole life of a fresh process,
start of the interpreter included. Opening is the time from the start of the navigation until the page's load event, by
the clock of a fresh browser, median of 3; it is left out where there is no chromedriver. Goals: written in <= 10 s, at
most 8 MB (500 KB with --lite), open in <= 2 s. Exit code 1 if one is missed.
"""

import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store import create_study
from lsmtune.store._database import transaction
from lsmtune.store._rows import insert_run, update_outcome
from lsmtune.testing import fake_description, fake_rules, fake_space

OPTIONS = 30
REFERENCE_EVERY = 20
GOAL_S, GOAL_BYTES = 10.0, 8e6
LITE_GOAL_BYTES = 500_000
OPEN_GOAL_S = 2.0


def configuration(rng: random.Random) -> Configuration:
    """Return 20 sizes, 6 numbers and 4 choices."""
    sizes = {f"size_{n}": 1 << rng.randrange(12, 30) for n in range(20)}
    numbers = {f"number_{n}": rng.randrange(2, 33) for n in range(6)}
    choices = {f"choice_{n}": rng.choice(("none", "snappy", "lz4", "zstd")) for n in range(4)}
    return Configuration.of({**sizes, **numbers, **choices})


def measured(run: Run, rng: random.Random) -> Outcome:
    """Return 4 indicators; every 50th run fails."""
    if run.id % 50 == 0:
        return Outcome(Status.FAILED, 1.7e9 + 5 * run.id, 0.5, "db_bench was told to fail")
    good = 1.0 if run.purpose is not Purpose.TRIAL else 1.2 * rng.random() + 0.4
    indicators: dict[str, float | None] = {
        "throughput_settled_ops_s": 1e5 * good * rng.lognormvariate(0, 0.05),
        "space_bytes": 1e9 * rng.lognormvariate(0, 0.1),
        "waf": 4 * rng.lognormvariate(0, 0.2),
        "latency_p99_s": 1e-4 / good * rng.lognormvariate(0, 0.1),
    }
    return Outcome(Status.OK, 1.7e9 + 5 * run.id, 4.5, "", Measurement(indicators))


def build(folder: Path, runs: int) -> None:
    """Make a search of `runs` finished runs, every 20th of them the reference."""
    rng = random.Random(1)
    rules, base = fake_rules(), configuration(rng)
    description = fake_description(rules, fake_space())
    description = replace(description, facts={**description.facts, "reference_values": dict(base.values)})
    with create_study(folder, description) as study:
        connection = study._connection  # noqa: SLF001  the benchmark writes the store's tables in bulk
        with transaction(connection, write=True):
            _insert(connection, runs, rng)


def _insert(connection: sqlite3.Connection, runs: int, rng: random.Random) -> None:
    rules = fake_rules()
    for number in range(1, runs + 1):
        again = number <= 5 or number % REFERENCE_EVERY == 0
        purpose = Purpose.TRIAL if not again else Purpose.BASELINE if number <= 5 else Purpose.ANCHOR
        arm, values = (rules.reference, rules.start) if again else (f"trial-{number}", configuration(rng))
        run = Run(number, purpose, arm, None, values, number, 1)
        insert_run(connection, run)
        connection.execute("UPDATE runs SET status = ? WHERE id = ?", (Status.RUNNING, number))
        assert update_outcome(connection, number, measured(run, rng))


def written(folder: Path, page: Path, *more: str) -> float:
    """Write a report in a fresh process and return its wall time in s."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "lsmtune", "report", str(folder), "-o", str(page), *more], check=True)
    return time.perf_counter() - began


def opened(page: Path) -> float | None:
    """Return how long the page takes to open in s, median of 3 fresh browsers; None without one."""
    if shutil.which("chromedriver") is None:
        return None
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "html"))
    from browser import chromium

    times: list[float] = []
    for _ in range(3):
        with chromium() as browser:
            browser.open(page)
            browser.until("return document.documentElement.dataset.ready === 'yes'")
            times.append(browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
    return statistics.median(times)


def main(runs: int) -> int:
    """Build, write, open; print the figures and return the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, page, lite = (Path(scratch) / name for name in ("study", "page.html", "lite.html"))
        build(folder, runs)
        took, lite_took = written(folder, page), written(folder, lite, "--lite")
        sizes = page.stat().st_size, lite.stat().st_size
        open_s = opened(page)
    print(f"{runs:,} runs x {OPTIONS} options x 4 indicators")
    print(f"report         {took:6.1f} s of {GOAL_S:.0f} s, {sizes[0] / 1e6:.2f} MB of {GOAL_BYTES / 1e6:.0f} MB")
    print(
        f"report --lite  {lite_took:6.1f} s of {GOAL_S:.0f} s, {sizes[1] / 1e3:.0f} KB of {LITE_GOAL_BYTES / 1e3:.0f}"
    )
    print(
        "open           no chromedriver" if open_s is None else f"open           {open_s:6.2f} s of {OPEN_GOAL_S:.0f} s"
    )
    missed = max(took, lite_took) > GOAL_S or sizes[0] > GOAL_BYTES or sizes[1] > LITE_GOAL_BYTES
    return int(missed or (open_s is not None and open_s > OPEN_GOAL_S))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
