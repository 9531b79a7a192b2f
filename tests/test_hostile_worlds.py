"""The command for hostile worlds goes on where it was stopped, writes its tables into the page and fails on a miss."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from lsmtune.testing.hostile import Answered, Kind, Question
from lsmtune.testing.hostile._runner import code_fingerprint

TOOLS = Path(__file__).parent.parent / "tools"
PART = ("--studies", "2", "--world", "calm", "--kind", "sweep", "--workers", "1")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("hostile_worlds")


def test_answers_are_kept_shown_and_not_asked_for_again(
    tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, rows, page = tmp_path / "kept.jsonl", tmp_path / "rates.csv", tmp_path / "page.md"
    page.write_text(f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n")
    monkeypatch.setattr(tool, "PAGE", page)
    assert tool.main([*PART, "--kept", str(kept), "--csv", str(rows), "--write"]) == 0
    printed = capsys.readouterr()
    assert "2 of 2 studies" in printed.err
    assert "| `calm` | identical arms | 0.0 % (<= 77.6 %, 2) |" in printed.out
    assert page.read_text() == f"before\n{tool.BEGIN}\n\n{printed.out}\n{tool.END}\nafter\n"
    assert len(rows.read_text().splitlines()) == 3  # false improvements, and studies with a verdict
    lines = kept.read_text()
    assert tool.main([*PART, "--kept", str(kept)]) == 0
    assert kept.read_text() == lines
    assert capsys.readouterr().err == ""


def test_a_missed_goal_is_named_and_ends_with_one(
    tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {Question.FALSE: True}
    lines = [Answered("calm", Kind.SWEEP, seed, wrong, None, None, "", code_fingerprint()).to_line() for seed in (1, 2)]
    kept = tmp_path / "kept.jsonl"
    kept.write_text("\n".join([*lines, ""]))
    assert tool.main([*PART, "--kept", str(kept)]) == 1
    assert "missed: false improvements in calm, sweep: 100.0 % (<= 100.0 %, 2)" in capsys.readouterr().err


def test_the_page_has_the_place_for_the_tables(tool: Any) -> None:
    page = tool.PAGE.read_text("utf-8")
    assert page.count(tool.BEGIN) == page.count(tool.END) == 1
    assert page.index(tool.BEGIN) < page.index(tool.END)
