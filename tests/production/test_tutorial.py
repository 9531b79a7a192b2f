"""The tutorial from a LOG to a roll-out: all of its commands run, in their order, and say what the page shows."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from lsmtune.backends.ycsb import find_driver

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "from-production.md"
_BLOCK = re.compile(r"```console( measured)?\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A command of the page.

    Attributes:
        words: as they stand there.
        shown: the lines under it, without those that stand for others.
        measured: whether what it prints is another each time.
    """

    words: str
    shown: tuple[str, ...]
    measured: bool


def commands() -> list[Command]:
    """The commands of the page."""
    found = list[Command]()
    for measured, block in _BLOCK.findall(PAGE.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            words, *lines = part.splitlines()
            shown = tuple(line.rstrip() for line in lines if line.strip() and line != "...")
            found.append(Command(words, shown, bool(measured)))
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that has what the page names."""
    for name in ("examples", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def run(command: Command, checkout: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell, with lsmtune as it is here."""
    places = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LSMTUNE_DRIVER": str(find_driver(None, "")),
        "COLUMNS": "100",
    }
    return subprocess.run(
        command.words,
        shell=True,
        cwd=checkout,
        env=os.environ | places,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_all_commands_of_the_tutorial_run_and_say_what_the_page_shows(checkout: Path) -> None:
    told = commands()
    assert {command.words.split()[1] for command in told if command.words.startswith("lsmtune ")} >= {
        "diagnose",
        "init",
        "memory",
        "tune",
        "show",
        "report",
        "export",
        "check",
    }
    for command in told:
        done = run(command, checkout)
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        assert done.returncode == 0, f"{command.words}: {done.stderr}"
        if not command.measured:
            assert [line for line in command.shown if line not in printed] == [], command.words
    assert (checkout / "report.html").stat().st_size > 100_000
