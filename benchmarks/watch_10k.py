"""Open the live page of a study of 10,000 runs in a headless Chromium, and follow a study that goes on.

Usage: python benchmarks/watch_10k.py [runs]

Opening is by the clock of a fresh browser from the start of the navigation, median of 3: until the page's load event,
and until its chart shows all runs. The sections of the report come later and are timed apart, by a fresh server, as
they take processor time. Following: a run is added each second, beside the stored ones, for half a minute; printed are
the time from its commit until a reader was told, and what the server took of a core, of memory and of the disk.

Goals: open in <= 1 s, told in <= 1 s, <= 1 % of a core, nothing written but the pages of SQLite's index in which
readers say what they read. Exit code 1 if one is missed.
"""

import re
import shutil
import statistics
import sys
import tempfile
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store import open_study
from report_2000 import build

if TYPE_CHECKING:
    from watch_builders import Page

OPEN_GOAL_S, TOLD_GOAL_S, CORE_GOAL = 1.0, 1.0, 0.01
INDEX_BYTES = 4 * 4096  # pages of SQLite's index in shared memory in which readers say what they read
FOLLOWED_S = 30
WHOLE = (
    "const drawn = Number(document.documentElement.dataset.drawn), rows = document.querySelectorAll('#run-list tr');"
    "return drawn >= arguments[0] && rows.length > 1 && performance.getEntriesByName('drawn')[0].startTime / 1000"
)


def page_of(folder: Path, scratch: Path) -> "AbstractContextManager[Page]":
    """Serve the page of a study, as the tests do."""
    sys.path[:0] = [str(Path(__file__).parent.parent / "tests" / name) for name in ("html", "watch")]
    from watch_builders import served

    return served(folder, state=scratch)


def opened(folder: Path, scratch: Path, runs: int) -> tuple[float, float] | None:
    """Return how long the page takes until its load event, and until all is shown, in s; None without a browser."""
    if shutil.which("chromedriver") is None:
        return None
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "html"))
    from browser import chromium

    loads, wholes = [], []
    for _ in range(3):
        with page_of(folder, scratch) as page, chromium() as browser:
            browser.visit(f"{page.address}")
            wholes.append(browser.until(WHOLE, runs, within_s=120))
            loads.append(browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
    return statistics.median(loads), statistics.median(wholes)


def put_together(folder: Path, scratch: Path) -> tuple[float, int]:
    """Return how long a fresh server takes for the sections of the report in s, and how many bytes they are."""
    with page_of(folder, scratch) as page:
        key = page.ask("/").headers["location"].rpartition("/")[2]
        began = time.perf_counter()
        text = page.ask(f"/study/{key}/parts?now=yes").text
        return time.perf_counter() - began, len(text)


def followed(folder: Path, scratch: Path) -> dict[str, float]:
    """Add a run each second while a reader listens, and return what that takes."""
    committed: dict[int, float] = {}
    with page_of(folder, scratch) as page, open_study(folder) as study:
        process = psutil.Process(page.process.pid)
        key = page.ask("/").headers["location"].rpartition("/")[2]
        told: list[float] = []
        stopped = threading.Event()

        def listen() -> None:
            with page.events(f"/study/{key}/events") as events:
                while not stopped.is_set():
                    name, data = events.next()
                    if name == "runs":
                        now = time.monotonic()
                        told.extend(
                            now - committed.pop(row[0])
                            for row in data["rows"]
                            if row[0] in committed and row[3] == "ok"
                        )

        reader = threading.Thread(target=listen, daemon=True)
        reader.start()
        time.sleep(3)
        before, io, began = process.cpu_times(), process.io_counters(), time.monotonic()
        for number in range(FOLLOWED_S):
            run = study.plan(Run(0, Purpose.TRIAL, f"late-{number}", None, Configuration(), number + 1, 1))
            study.start(run)
            measured = Measurement({"throughput_settled_ops_s": 1e5, "space_bytes": 1e9})
            study.finish(run, Outcome(Status.OK, time.time(), 1.0, "", measured))
            committed[run.id] = time.monotonic()
            time.sleep(1)
        after, io_after, took = process.cpu_times(), process.io_counters(), time.monotonic() - began
        stopped.set()
        return {
            "median": statistics.median(told),
            "most": max(told),
            "n": len(told),
            "core": (after.user + after.system - before.user - before.system) / took,
            "written": io_after.write_bytes - io.write_bytes,
            "memory": process.memory_info().rss,
        }


def main(runs: int) -> int:
    """Build, open, follow; print the figures and return the exit code."""
    with tempfile.TemporaryDirectory() as name:
        scratch, folder = Path(name), Path(name) / "study"
        build(folder, runs)
        times = opened(folder, scratch, runs)
        parts_s, parts_bytes = put_together(folder, scratch)
        told = followed(folder, scratch)
    print(f"{runs:,} runs x 30 options x 4 indicators")
    if times is None:
        print("open        no chromedriver")
    else:
        print(f"loaded      {times[0]:5.2f} s")
        print(f"all shown   {times[1]:5.2f} s; goal {OPEN_GOAL_S} s")
    print(f"sections    {parts_s:5.2f} s afterwards, {parts_bytes / 1e6:.1f} MB; beside a run only when asked for")
    print(f"told after  {told['median']:5.2f} s, at most {told['most']:.2f} s (n = {told['n']}); goal {TOLD_GOAL_S} s")
    print(f"server      {100 * told['core']:5.2f} % of a core; goal {100 * CORE_GOAL:.0f} %")
    print(f"            {told['memory'] / 2**20:5.0f} MiB, {told['written']:.0f} bytes written")
    missed = told["median"] > TOLD_GOAL_S or told["core"] > CORE_GOAL or told["written"] > INDEX_BYTES
    return int(missed or (times is not None and times[1] > OPEN_GOAL_S))


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "10000"
    sys.exit(main(int(re.sub(r"\D", "", wanted))))
