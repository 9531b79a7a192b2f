"""The tutorial from a LOG to a roll-out: all of its commands run on a real engine, and say what the page shows."""

import os
import sys
from pathlib import Path

import pytest
from doc_pages import DOCS, ROOT, check_commands, commands

from lsmtune.backends.ycsb import find_driver

PAGE = DOCS / "tutorials" / "from-production.md"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that has what the page names."""
    for name in ("examples", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def test_all_commands_of_the_tutorial_run_and_say_what_the_page_shows(checkout: Path) -> None:
    told = commands(PAGE)
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
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    check_commands(PAGE, checkout, {"PATH": path, "LSMTUNE_DRIVER": str(find_driver(None, ""))})
    assert (checkout / "report.html").stat().st_size > 100_000
