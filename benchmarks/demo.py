"""How often the demo ends with a verified gain, and how long it takes: on a quiet machine, and beside a busy process.

    PYTHONPATH=src .venv/bin/python benchmarks/demo.py --times 20 --output demo.csv

`--experiment benchmarks/demo-driver.toml` repeats another demo, which needs `make driver`.

Each demo is a new study in a folder of its own, which is removed. The busy ones run beside a process that keeps one
core at work from their beginning to their end. A line of the CSV is written as soon as a demo ends, so that a stopped
measurement keeps what it has; with --goes-on lines are added to those that are there.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
EXPERIMENT = ROOT / "examples" / "demo.toml"
COLUMNS = (
    "host",
    "number",
    "seconds",
    "exit_code",
    "state",
    "verified",
    "ratio",
    "low",
    "high",
    "pairs",
    "runs",
    "error",
)
MOST_S = 3600.0


@contextmanager
def busy(*, wanted: bool) -> Iterator[None]:
    """Keep one core at work meanwhile, if that is wanted."""
    if not wanted:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def run_demo(host: str, number: int, experiment: Path) -> dict[str, Any]:
    """Return what one demo said."""
    with tempfile.TemporaryDirectory(prefix="demo-", dir=Path.cwd()) as folder, busy(wanted=host == "busy"):
        began = time.monotonic()
        words = ["tune", str(experiment), "--study", str(Path(folder) / "study"), "--json", "--quiet"]
        command = [sys.executable, "-m", "lsmtune", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_S, check=False)
        seconds = time.monotonic() - began
    row: dict[str, Any] = {"host": host, "number": number, "seconds": f"{seconds:.1f}", "exit_code": done.returncode}
    if done.returncode != 0:
        return row | {"error": done.stderr.strip().replace("\n", " ")[-300:]}
    told = json.loads(done.stdout)
    claim = (told.get("verdict") or {}).get("claim") or {}
    return row | {
        "state": told["state"],
        "verified": told["improved"],
        "ratio": claim.get("gain"),
        "low": claim.get("low"),
        "high": claim.get("high"),
        "pairs": claim.get("n"),
        "runs": sum(count["runs"] for count in told["runs"]["counts"]),
    }


def main() -> None:
    """Run the demos and write their lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20, help="demos on each kind of host")
    parser.add_argument("--hosts", nargs="+", choices=("quiet", "busy"), default=("quiet", "busy"))
    parser.add_argument("--experiment", type=Path, default=EXPERIMENT)
    parser.add_argument("--output", type=Path, default=Path("demo.csv"))
    parser.add_argument("--goes-on", action="store_true", help="add to the lines that are there")
    wanted = parser.parse_args()
    is_new = not (wanted.goes_on and wanted.output.exists())
    with wanted.output.open("w" if is_new else "a", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        if is_new:
            table.writeheader()
        for number in range(1, wanted.times + 1):
            for host in wanted.hosts:  # in turn, so that a slow hour is in both
                row = run_demo(host, number, wanted.experiment)
                table.writerow(row)
                file.flush()
                print(*(row.get(name) for name in COLUMNS if row.get(name) is not None), flush=True)


if __name__ == "__main__":
    main()
