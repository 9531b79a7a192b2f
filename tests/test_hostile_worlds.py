"""The command for hostile worlds goes on where it was stopped, writes its tables into the page and fails on a miss."""

import importlib
from collections.abc import Iterable
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


def kept_answers(file: Path, kinds: Iterable[Kind], *, wrong: bool) -> Path:
    """Write answers of two studies of each kind in the calm world, all of them wrong or none."""
    said, code = {Question.FALSE: wrong}, code_fingerprint()
    answers = [Answered("calm", kind, seed, said, None, None, "", code) for kind in kinds for seed in (1, 2)]
    file.write_text("".join(answer.to_line() + "\n" for answer in answers))
    return file


def test_answers_are_kept_shown_and_not_asked_for_again(
    tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, rows = tmp_path / "kept.jsonl", tmp_path / "rates.csv"
    assert tool.main([*PART, "--kept", str(kept), "--csv", str(rows)]) == 0
    printed = capsys.readouterr()
    assert "2 of 2 studies" in printed.err
    assert "| `calm` | identical arms | 0.0 % (<= 77.6 %, 2) |" in printed.out
    assert len(rows.read_text().splitlines()) == 3  # false improvements, and studies with a verdict
    lines = kept.read_text()
    assert tool.main([*PART, "--kept", str(kept)]) == 0
    assert kept.read_text() == lines
    assert capsys.readouterr().err == ""


def test_the_tables_of_all_studies_take_the_place_of_the_old(
    tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, kept = tmp_path / "page.md", kept_answers(tmp_path / "kept.jsonl", Kind, wrong=False)
    page.write_text(f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n")
    monkeypatch.setattr(tool, "PAGE", page)
    monkeypatch.setattr(tool, "WORLDS", {"calm": tool.WORLDS["calm"]})
    assert tool.main(["--studies", "2", "--kept", str(kept), "--write"]) == 0
    printed = capsys.readouterr().out
    assert "`calm`" in printed
    assert page.read_text() == f"before\n{tool.BEGIN}\n\n{printed}\n{tool.END}\nafter\n"


@pytest.mark.parametrize("part", [["--world", "calm"], ["--kind", "sweep"]])
def test_a_part_of_the_studies_is_not_written_over_all_tables(
    tool: Any, part: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    page.write_text("as it was")
    monkeypatch.setattr(tool, "PAGE", page)
    with pytest.raises(SystemExit, match="2"):
        tool.main([*part, "--write"])
    assert "--write replaces all tables; leave --world and --kind out" in capsys.readouterr().err
    assert page.read_text() == "as it was"


def test_a_missed_goal_is_named_and_ends_with_one(
    tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = kept_answers(tmp_path / "kept.jsonl", [Kind.SWEEP], wrong=True)
    assert tool.main([*PART, "--kept", str(kept)]) == 1
    assert "missed: false improvements in calm, sweep: 100.0 % (<= 100.0 %, 2)" in capsys.readouterr().err


def test_the_page_has_the_place_for_the_tables(tool: Any) -> None:
    page = tool.PAGE.read_text("utf-8")
    assert page.count(tool.BEGIN) == page.count(tool.END) == 1
    assert page.index(tool.BEGIN) < page.index(tool.END)
