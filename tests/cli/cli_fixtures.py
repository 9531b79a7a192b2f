"""Running lsmtune inside the test's own process."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from lsmtune.cli import main

Lsmtune: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def lsmtune(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lsmtune:
    """Run lsmtune with some words in an empty folder; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lsmtune", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out, captured.err

    return call
