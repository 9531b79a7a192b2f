"""What the Makefile installs, by stand-ins for apt and for the programs that it looks for."""

import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[1] / "Makefile"
_ALWAYS = ("id", "echo 0"), ("nproc", "echo 2"), ("expr", "echo 3"), ("env", 'shift; exec "$@"')
"""What the Makefile asks for whatever is made."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder that is all of PATH, with an apt-get that notes what it is asked for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (*_ALWAYS, ("apt-get", f'echo "$*" >>{tmp_path}/asked'), ("apt-cache", "exit 0")):
        install(folder, name, text)
    return folder


def install(folder: Path, name: str, text: str = "exit 0") -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)


def browser(path: Path) -> subprocess.CompletedProcess[str]:
    make = shutil.which("make")
    assert make is not None
    environment = {"PATH": str(path), "HOME": str(path.parent)}
    argv = [make, "-f", str(MAKEFILE), "browser"]
    return subprocess.run(argv, env=environment, cwd=path.parent, capture_output=True, text=True, check=False)


def installed(path: Path) -> list[str]:
    """The packages that apt-get was to install."""
    asked = (path.parent / "asked").read_text().splitlines()
    return [word for line in asked if line.startswith("install") for word in line.split()[1:] if word[0] != "-"]


def test_a_machine_without_a_browser_gets_one_and_what_reads_pages(path: Path) -> None:
    done = browser(path)
    assert done.returncode == 0, done.stderr
    assert installed(path) == ["chromium", "chromium-driver", "poppler-utils", "groff-base"]


def test_a_distribution_without_a_package_of_a_browser_is_told_what_to_do(path: Path) -> None:
    install(path, "apt-cache", "exit 100")
    done = browser(path)
    assert done.returncode != 0
    assert "put chromium and chromedriver into PATH that are no snap" in done.stderr
    assert installed(path) == []


def test_a_browser_that_is_there_is_no_package(path: Path) -> None:
    install(path, "apt-cache", "exit 100")
    install(path, "chromium")
    install(path, "chromedriver")
    done = browser(path)
    assert done.returncode == 0, done.stderr
    assert installed(path) == ["poppler-utils", "groff-base"]
