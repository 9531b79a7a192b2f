"""Databases provoked into one pain each, and healthy ones, as `tools/provoke_pains.py` kept their LOGs."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from lsmtune.production import findings_of, read_service

TOOLS = Path(__file__).parents[2] / "tools"
RECORDED = Path(__file__).parents[1] / "data" / "pains"
MOST_BYTES, MOST_BYTES_OF_ALL = 60 << 10, 600 << 10
AT_LEAST = frozenset(
    {
        "stalls-l0",
        "stalls-memtables",
        "stalls-pending-bytes",
        "compaction-behind",
        "tombstones",
        "many-small-files",
        "compression-saves-nothing",
        "cache-too-small",
        "slow-reopen",
    }
)


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("provoke_pains")


@pytest.mark.parametrize("name", sorted(folder.name for folder in RECORDED.iterdir()))
def test_the_pain_is_found_and_at_most_one_finding_is_false(tool: Any, name: str) -> None:
    database = next(each for each in tool.DATABASES if each.name == name)
    codes = [each.code for each in findings_of(read_service([RECORDED / name]))]
    if database.pain:
        assert database.pain in codes
    assert len(set(codes) - {database.pain, *database.also}) <= 1


def test_every_pain_and_eight_healthy_databases_are_there(tool: Any) -> None:
    assert {each.name for each in tool.DATABASES} == {folder.name for folder in RECORDED.iterdir()}
    assert {each.pain for each in tool.DATABASES} >= AT_LEAST
    assert sum(not each.pain and not each.also for each in tool.DATABASES) >= 8


def test_the_page_shows_what_is_found_in_them(tool: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--recorded"]) == 0
    table = capsys.readouterr().out
    assert f"{tool.BEGIN}\n\n{table}\n{tool.END}" in tool.PAGE.read_text("utf-8")


def test_what_is_kept_is_small() -> None:
    sizes = [path.stat().st_size for path in RECORDED.rglob("*.gz")]
    assert max(sizes) <= MOST_BYTES
    assert sum(sizes) <= MOST_BYTES_OF_ALL
