"""Where the time of a load goes as its size grows: replays commands of recorded studies, and asks the kernel.

Usage: python processor_time.py STUDIES SCALE:CONFIGURATION...   (folder of the studies of record.sh; 1/16:default)

Appends a line to processor-time.csv for each, in their order, so that sizes take turns within an hour. Nothing else
should run. Processor time is that of the process, in the kernel and outside of it. Times of merges are those of
RocksDB's event log, for each entry that a compaction read. Waiting is how long all tasks that had work waited for the
device together (`full` of /proc/pressure/io).
"""

import csv
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lsmtune.analysis import Runs

HERE = Path(__file__).parent
COLUMNS = (
    *("at", "scale", "configuration", "elapsed_s", "user_s", "kernel_s", "writes", "merged_entries", "merge_ns"),
    *("merge_processor_ns", "device_read_bytes", "device_written_bytes", "waiting_for_device_s"),
)
SECTOR = 512


def command_of(studies: Path, scale: str, configuration: str) -> list[str]:
    """Return the words that ran a configuration first at a scale."""
    name = scale.replace("/", "-")
    frame = Runs.read(HERE / name / "runs.parquet").frame
    run = int(frame[frame["variant.configuration"] == configuration]["run"].iloc[0])
    kept = studies / name / "artefacts" / str(run) / "measure.command.gz"
    return shlex.split(gzip.decompress(kept.read_bytes()).decode())


def waiting_s() -> float:
    """Return how long the machine has waited for its devices so far."""
    (told,) = re.findall(r"^full .*total=(\d+)", Path("/proc/pressure/io").read_text(), re.MULTILINE)
    return int(told) * 1e-6


def replayed(words: list[str], database: Path) -> dict[str, float]:
    """Run a command on a database of its own; return what it took."""
    flags = {"--db": str(database), "--benchmarks": "fillrandom,flush,waitforcompaction"}
    argv = [f"{name}={flags[name]}" if (name := word.partition("=")[0]) in flags else word for word in words]
    waited, began = waiting_s(), time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, code, used = os.wait4(process.pid, 0)
    if code != 0:
        raise SystemExit(f"{argv[0]} ended with {code}")
    elapsed = time.monotonic() - began
    lines = (database / "LOG").read_text(errors="replace").splitlines()
    events = [json.loads(line.partition("EVENT_LOG_v1 ")[2]) for line in lines if "EVENT_LOG_v1" in line]
    merges = [each for each in events if each["event"] == "compaction_finished"]
    entries = sum(each["num_input_records"] for each in merges)
    return {
        "elapsed_s": round(elapsed, 1),
        "user_s": round(used.ru_utime, 1),
        "kernel_s": round(used.ru_stime, 1),
        "writes": int(re.findall(r"--num=(\d+)", " ".join(argv))[0]),
        "merged_entries": entries,
        "merge_ns": round(sum(each["compaction_time_micros"] for each in merges) * 1e3 / entries),
        "merge_processor_ns": round(sum(each["compaction_time_cpu_micros"] for each in merges) * 1e3 / entries),
        "device_read_bytes": used.ru_inblock * SECTOR,
        "device_written_bytes": used.ru_oublock * SECTOR,
        "waiting_for_device_s": round(waiting_s() - waited, 1),
    }


def main(studies: Path, wanted: list[str]) -> None:
    """Replay what is wanted, and append a line for each."""
    path = HERE / "processor-time.csv"
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        if is_new:
            table.writeheader()
        for each in wanted:
            scale, _, configuration = each.partition(":")
            folder = Path(tempfile.mkdtemp(dir=studies))
            found = replayed(command_of(studies, scale, configuration), folder / "db")
            shutil.rmtree(folder)
            row = {"at": time.strftime("%Y-%m-%dT%H:%M:%S"), "scale": scale, "configuration": configuration, **found}
            table.writerow(row)
            file.flush()
            print(row, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
