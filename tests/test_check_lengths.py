"""The check of lengths finds what is too long, and nothing else."""

import importlib
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parent.parent / "tools"


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("check_lengths").main


def function(name: str, lines: int) -> str:
    return f"def {name}():\n" + "    pass\n" * (lines - 1)


def test_files_and_functions_of_the_largest_length_pass(check: Any, tmp_path: Path) -> None:
    (tmp_path / "even.py").write_text(function("even", 60) + "x = 1\n" * 440)
    assert check([str(tmp_path)]) == 0


def test_a_function_of_61_lines_fails_and_is_named(
    check: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.py"
    path.write_text("class A:\n    async def b(self):\n" + "        pass\n" * 60 + function("c", 60))
    assert check([str(tmp_path)]) == 1
    (named,) = (line for line in capsys.readouterr().out.splitlines() if line.endswith("TOO LONG"))
    assert named.split() == ["61", f"{path}:2", "b", "TOO", "LONG"]


def test_a_file_of_601_lines_fails_and_is_named(check: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.py"
    path.write_text("x = 1\n" * 601)
    assert check([str(tmp_path)]) == 1
    assert f"601 {path}  TOO LONG" in capsys.readouterr().out


def test_no_more_than_the_five_longest_are_shown(
    check: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(1, 10):
        (tmp_path / f"file{number}.py").write_text(function("f", number + 1))
    assert check([str(tmp_path)]) == 0
    shown = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith(" ")]
    assert shown == ["10", "9", "8", "7", "6"] * 2


def test_a_folder_without_python_is_a_mistake(check: Any, tmp_path: Path) -> None:
    assert check([str(tmp_path)]) == 1
