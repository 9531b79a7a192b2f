"""Running lsmtune inside the test's own process."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from lsmtune.cli import main
from lsmtune.executors import _process

Lsmtune: TypeAlias = Callable[..., tuple[int, str, str]]

AS_IT_IS = ("--unstable", "--guard-undecided")
"""What lets `export` write a result of real runs, whatever the machine did meanwhile."""


@pytest.fixture
def lsmtune(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lsmtune:
    """Run lsmtune with some words in an empty folder; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(_process, "_LOOK_S", 0.05)  # runs of tests are short

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lsmtune", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out, captured.err

    return call
