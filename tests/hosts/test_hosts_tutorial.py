"""The commands of docs/tutorials/hosts.md, given as they stand there, with a program in the place of the engine."""

import os
import re
import subprocess
import sys
from pathlib import Path

from ports import free_port

from lsmtune.model import Purpose, Status
from lsmtune.store import read_study
from lsmtune.testing import fake_db_bench

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "hosts.md"


def script() -> str:
    """All commands of the page, in order; the ports are free ones."""
    commands = "\n".join(re.findall(r"^```sh\n(.*?)^```$", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL))
    return commands.replace("8787", "0").replace("8786", str(free_port()))


def test_every_command_of_the_tutorial_works(tmp_path: Path) -> None:
    db_bench = fake_db_bench.install(tmp_path)
    (tmp_path / "bin").mkdir()
    lsmtune = tmp_path / "bin" / "lsmtune"
    lsmtune.write_text(f'#!/bin/sh\nexec {sys.executable} -m lsmtune "$@"\n')
    lsmtune.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{lsmtune.parent}:{os.environ['PATH']}",
        "LSMTUNE_DB_BENCH": str(db_bench),
        fake_db_bench.VARIABLE: "sleep=0.1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "there are doubts about" in done.stdout or "there is no doubt about any of 2 hosts" in done.stdout
    with read_study(tmp_path / "first") as study:
        trials = {stored.run.host for stored in study.runs() if stored.run.purpose is Purpose.TRIAL}
    assert trials == {"lab-1", "lab-2"}
    with read_study(tmp_path / "points") as study:
        runs = study.runs()
    late = [stored.run.host for stored in runs if stored.status is not Status.LOST][-5:]
    assert set(late) == {"lab-1"}
    assert "Hosts" in done.stdout
