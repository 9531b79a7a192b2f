"""examples/cluster: its script runs with programs in the place of ssh and scp, and its commands are lsmtune's."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]  # PyYAML comes with dask, its stubs do not
from cli_fixtures import Lsmtune
from executor_builders import wait_until

from lsmtune.model import SchedulerAddress

EXAMPLES = Path(__file__).parents[2] / "examples" / "cluster"
# A home folder for each host; what is given to lsmtune there is noted.
STAND_INS = {
    "ssh": 'host=$1; shift; mkdir -p "$RACK/$host"; cd "$RACK/$host"; HOME=$RACK/$host sh -c "$*"',
    "scp": "for last; do :; done; to=$RACK/${last%%:*}/${last#*:}\n"
    'for each; do case $each in -p|*:*) ;; *) cp -p "$each" "$to" ;; esac; done',
    "lsmtune": 'case "$1 $2" in "hosts keys") mkdir -p "$3"\n'
    'for name in ca ca-key worker worker-key; do touch "$3/$name.pem"; done ;; esac\n'
    'echo "$(basename "$HOME"): $*" >>"$RACK/called"',
}


def commands() -> Iterator[tuple[str, list[str]]]:
    """Each command of lsmtune in the files, with the name of the file, as words."""
    compose = yaml.safe_load((EXAMPLES / "compose.yaml").read_text())
    for service in compose["services"].values():
        yield "compose.yaml", service["command"][1:]
    unit = (EXAMPLES / "lsmtune-worker.service").read_text()
    yield "lsmtune-worker.service", shlex.split(re.findall(r"^ExecStart=\S+/lsmtune (.*)$", unit, re.MULTILINE)[0])
    script = (EXAMPLES / "rack.sh").read_text().replace("$scheduler", "tls://lab-0:8786")
    for command in re.findall(r"lsmtune (hosts (?:scheduler|worker|status) .*?)(?: >|\"$)", script, re.MULTILINE):
        yield "rack.sh", shlex.split(command.replace('"', ""))


def test_every_command_of_the_files_has_the_options_that_it_gives(lsmtune: Lsmtune) -> None:
    found = list(commands())
    assert {words[1] for _, words in found} == {"scheduler", "worker", "status"}
    assert {file for file, _ in found} == {"compose.yaml", "lsmtune-worker.service", "rack.sh"}
    for file, words in found:
        _, described, _ = lsmtune("hosts", words[1], "--help")
        given = [word for word in words if word.startswith("--")]
        assert all(f"{option} " in described for option in given), (file, words)
        assert [SchedulerAddress.parse(word).secure for word in words if "://" in word] == [True], (file, words)


@pytest.fixture
def rack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a home for each host, and programs in the place of those that reach them."""
    (tmp_path / "bin").mkdir()
    for name, text in STAND_INS.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    (tmp_path / "home").mkdir()
    for name, value in {"RACK": tmp_path, "HOME": tmp_path / "home"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.delenv("LSMTUNE_HOSTS_KEYS", raising=False)
    return tmp_path


def test_the_script_starts_a_scheduler_here_and_a_worker_on_each_host(rack: Path) -> None:
    def started() -> list[str]:
        called = rack / "called"
        lines = called.read_text().splitlines() if called.exists() else []
        return sorted(lines) if len(lines) == 4 else []

    ran = subprocess.run(
        ["sh", EXAMPLES / "rack.sh", "lab-1", "lab-2"], cwd=rack, capture_output=True, text=True, check=True
    )
    scheduler = f"tls://{os.uname().nodename}:8786"
    assert ran.stdout.splitlines()[-1] == f"lsmtune hosts status {scheduler}"
    worker = f"hosts worker {scheduler} --label nvme --scratch /data/lsmtune"
    assert wait_until(started) == [
        f"home: hosts keys {rack}/home/.config/lsmtune/keys",
        f"home: hosts scheduler --listen {scheduler}",
        f"lab-1: {worker}",
        f"lab-2: {worker}",
    ]
    for host in ("lab-1", "lab-2"):
        there = rack / host / ".config" / "lsmtune" / "keys"
        assert {path.name for path in there.iterdir()} == {"ca.pem", "worker.pem", "worker-key.pem"}
        assert there.stat().st_mode & 0o077 == 0
