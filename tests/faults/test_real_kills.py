"""kill -9 on lsmtune while it tunes the real engine: what was finished stays, and no engine process is left."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil

from lsmtune.model import Status
from lsmtune.store import DATABASE, read_study

_KILLS = int(os.environ.get("LSMTUNE_REAL_KILLS", "4"))  # make test-slow asks for more
_EXPERIMENT = """
scale = "1/64"
[workload]
benchmarks = "fillrandom"
num = "1.28M"
value_size = 100
settle = "none"
[space]
options = ["write_buffer_size", "level0_file_num_compaction_trigger", "compression_type"]
[search]
sampler = "sobol"
[host]
min_free = "100MiB"
disturbed = "use"
"""


def finished(study: Path) -> dict[int, tuple[str, float | None]]:
    """Status and throughput of every finished run of a study that may not be there yet."""
    if not (study / DATABASE).exists():
        return {}
    with read_study(study) as opened:
        rates = opened.indicator("throughput_ops_s")
        return {
            stored.run.id: (stored.status, rates.get(stored.run.id))
            for stored in opened.runs()
            if stored.status in (Status.OK, Status.FAILED, Status.CENSORED, Status.DISTURBED)
        }


def engines_of(study: Path) -> list[psutil.Process]:
    """Processes that work in the study's folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):  # read at once: it may end meanwhile
        words, status = process.info["cmdline"] or [], process.info["status"]
        if any(word.startswith(f"--db={study}") for word in words) and status != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def wait_for_a_run(study: Path, before: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a run more than `before` has finished, so that every start gets somewhere on a slow machine, too."""
    deadline = time.monotonic() + 300
    while len(finished(study)) <= before:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, "no run finished in 300 s"
        time.sleep(0.05)


def wait_for_no_engine(study: Path) -> None:
    """Give the kernel a moment to end what died with lsmtune."""
    deadline = time.monotonic() + 30
    while left := engines_of(study):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def test_kills_of_a_real_tuning_lose_no_finished_run(tmp_path: Path) -> None:
    experiment, study = tmp_path / "e.toml", tmp_path / "study"
    experiment.write_text(_EXPERIMENT)
    command = [sys.executable, "-m", "lsmtune", "tune", str(experiment), "--study", str(study), "--quiet"]
    chance = random.Random(7)
    kept: dict[int, tuple[str, float | None]] = {}
    for _ in range(_KILLS):
        process = subprocess.Popen([*command, "--budget", "2000 runs"], stderr=subprocess.PIPE)
        wait_for_a_run(study, len(kept), process)
        time.sleep(chance.uniform(0.0, 1.5))
        assert process.poll() is None, process.communicate()[1]
        seen = finished(study)
        process.kill()
        process.communicate()
        wait_for_no_engine(study)
        now = finished(study)
        assert seen.items() <= now.items()
        assert kept.items() <= now.items()
        kept = now
    assert len(kept) >= _KILLS
    ended = subprocess.run(
        [*command, "--budget", f"{len(kept) + 30} runs"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert kept.items() <= finished(study).items()
