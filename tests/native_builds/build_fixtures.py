"""Programs that stand in for those that build, alone in PATH, and a cache of the test's own."""

import os
import shutil
from pathlib import Path

import pytest


class Programs:
    """A folder of programs, alone in PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def put(self, name: str, body: str) -> None:
        """Write a shell script under a name."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where builds are to stand."""
    return tmp_path / "cache" / "lsmtune"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """All that compiles, as programs that do nothing, and the usual tools; no cargo and no apt-get."""
    found = Programs(tmp_path / "programs")
    for name in ("cat", "chmod", "cp", "echo", "mkdir", "sh", "sleep", "tar"):
        (found.folder / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
    for name in ("cmake", "make", "c++"):
        found.put(name, "exit 0")
    for name in ("CXX", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(found.folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return found
