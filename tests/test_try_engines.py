"""The command that tries all engines keeps what each of them did, whatever becomes of another one."""

import importlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild
from lsmtune.testing import fake_description, fake_rules, fake_space

TOOLS = Path(__file__).parent.parent / "tools"
BUILD = fake_description(fake_rules(), fake_space()).build
OLD = "| 6.2.4 | opened again | 6 runs | 8 runs | opened | as asked | 2026-11-25 | nothing |"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with a row of an earlier day."""
    (tmp_path / "page.md").write_text(f"# Versions\n\n{OLD}\n")
    return tmp_path / "page.md"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, page: Path) -> Any:
    """The command; an engine is as its path says, and does all that is asked of it without being run."""
    monkeypatch.syspath_prepend(str(TOOLS))
    found = importlib.import_module("try_engines")

    def discovered(path: Path) -> EngineBuild:
        if path.name == "broken":
            raise EngineError(f"{path} does not say what it is")
        return replace(BUILD, version=path.name)

    monkeypatch.setattr(found, "_PAGE", page)
    monkeypatch.setattr(found, "find_db_bench", lambda path: path)
    monkeypatch.setattr(found, "discover", discovered)
    for step in ("_tuned", "_swept", "_exported", "_read_back"):
        monkeypatch.setattr(found, step, lambda *_: "done")
    return found


def failing(error: Exception) -> Callable[..., str]:
    """A step that ends in an error."""

    def step(*_: object) -> str:
        raise error

    return step


def versions_of(page: Path) -> list[str]:
    """Return the versions that have a row."""
    return re.findall(r"^\| (\d\S*) \|", page.read_text(), re.MULTILINE)


def test_rows_are_written_beside_those_of_earlier_days(tool: Any, page: Path) -> None:
    assert tool.main(["/e/7.8.3", "/e/6.11.4"]) == 0
    assert versions_of(page) == ["6.2.4", "6.11.4", "7.8.3"]
    assert OLD in page.read_text()


def test_an_engine_that_cannot_be_asked_costs_no_other_its_row(
    tool: Any, page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main(["/e/7.8.3", "/e/broken", "/e/8.0.0"]) == 1
    assert versions_of(page) == ["6.2.4", "7.8.3", "8.0.0"]
    told = capsys.readouterr().err
    assert "/e/broken does not say what it is" in told
    assert told.endswith("failed: /e/broken\n")


def test_an_error_in_a_step_that_nobody_foresaw_costs_no_row_either(
    tool: Any, page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "_swept", failing(KeyError("purpose")))
    assert tool.main(["/e/7.8.3"]) == 1
    assert versions_of(page) == ["6.2.4"]
    assert capsys.readouterr().err.endswith("failed: /e/7.8.3\n")


def test_a_step_that_fails_is_named_in_the_row(tool: Any, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "_exported", failing(EngineError("it does not open\nand more")))
    assert tool.main(["/e/7.8.3"]) == 1
    assert "| no: it does not open |" in page.read_text()


def test_what_ran_before_an_interrupt_is_kept(tool: Any, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(path: Path) -> EngineBuild:
        if path.name == "9.0.0":
            raise KeyboardInterrupt
        return replace(BUILD, version=path.name)

    monkeypatch.setattr(tool, "discover", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tool.main(["/e/7.8.3", "/e/9.0.0"])
    assert versions_of(page) == ["6.2.4", "7.8.3"]
