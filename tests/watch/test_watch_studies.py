"""Every kind of study has a page, those of older versions too, and says what the report says."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
from watch_builders import Page, served

from lsmtune import api
from lsmtune.model import Purpose, Status
from lsmtune.report import html
from lsmtune.store import DATABASE, read_study

STUDIES = Path(__file__).parent.parent / "data" / "studies"
REPORTED = {"sample", "sweep", "tune-pruned"}
NAMES = sorted(path.parent.name for path in STUDIES.glob(f"*/{DATABASE}"))


@pytest.fixture(scope="module")
def below(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the studies: reading one leaves an index and an empty log beside it."""
    return Path(shutil.copytree(STUDIES, tmp_path_factory.mktemp("studies") / "below"))


@pytest.fixture(scope="module")
def page(below: Path) -> Iterator[Page]:
    with served(below.parent, state=below.parent / "state") as found:
        yield found


@pytest.mark.parametrize("name", NAMES)
def test_a_study_has_every_page(page: Page, name: str) -> None:
    base = f"/study/{page.keys()[f'below/{name}']}"
    whole = ("/report",) if name in REPORTED else ()  # tests/test_frozen_studies.py makes all of them
    for path in ("", "/parts", "/runs", "/run/1", "/pair?a=1&b=2", *whole):
        assert page.ask(base + path).status == 200, path
    with page.events(f"{base}/events") as events:
        state = events.until("state")
        assert len(events.until("runs")["rows"]) == state["runs"]
    assert not state["running"]
    assert state["trouble"] == ""


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_is_the_report_s(page: Page, below: Path, name: str) -> None:
    parts = page.ask(f"/study/{page.keys()[f'below/{name}']}/parts").data["parts"]
    with read_study(below / name) as study:
        view = api.report_view(study, inside=False, predicts=False)
    assert parts["head"]["sentence"] in unescape(html.html_report(view))
    placed = set(parts["charts"])
    assert all(f'data-chart="{each}"' in parts["html"] for each in placed)


def test_a_page_of_runs_is_fifty_and_the_newest_come_first(page: Page) -> None:
    base = f"/study/{page.keys()['below/tune-pruned']}/runs"
    first, last = page.ask(base).data, page.ask(f"{base}?page=99").data
    assert (first["page"], first["pages"], first["runs"]) == (1, 3, 115)
    assert first["html"].count("<tr data-run=") == 50
    assert first["html"].index('data-run="115"') < first["html"].index('data-run="114"')
    assert (last["page"], last["html"].count("<tr data-run=")) == (3, 15)
    assert page.ask(f"{base}?only=censored").data["runs"] == 1
    assert page.ask(f"{base}?only=<script>").data["runs"] == 115
    assert page.ask(f"{base}?page=-1").data["page"] == 1


def test_runs_of_every_purpose_and_every_end_can_be_listed(page: Page) -> None:
    base = f"/study/{page.keys()['below/steps']}"
    offered = set(re.findall("<option>([^<]*)</option>", page.ask(base).text))
    assert {*map(str, Purpose), *map(str, Status)} <= offered
    assert 0 < page.ask(f"{base}/runs?only=step").data["runs"] < page.ask(f"{base}/runs").data["runs"]


def test_a_run_that_is_not_there_is_said_to_be_missing(page: Page) -> None:
    answer = page.ask(f"/study/{page.keys()['below/tune-pruned']}/run/4711")
    assert answer.status == 404
    assert "has no run 4711" in answer.text


def test_a_study_of_a_newer_lsmtune_is_told_and_the_others_are_shown(tmp_path: Path) -> None:
    shutil.copytree(STUDIES / "sample", tmp_path / "newer")
    shutil.copytree(STUDIES / "sample", tmp_path / "good")
    with closing(sqlite3.connect(tmp_path / "newer" / DATABASE)) as database:
        database.execute("PRAGMA user_version = 4711")
    with served(tmp_path, state=tmp_path / "state") as page:
        keys = page.keys()
        assert set(keys) == {"newer", "good"}
        with page.events(f"/study/{keys['newer']}/events") as events:
            assert "schema version 4711" in events.until("state")["trouble"]
        assert page.ask(f"/study/{keys['newer']}/parts").status == 404
        assert page.ask(f"/study/{keys['good']}/parts").status == 200


def test_a_folder_whose_name_is_no_text_hides_no_study(tmp_path: Path) -> None:
    shutil.copytree(STUDIES / "sample", tmp_path / os.fsdecode(b"odd-\xff"))
    shutil.copytree(STUDIES / "sample", tmp_path / "good")
    with served(tmp_path, state=tmp_path / "state") as page:
        keys = page.keys()
        assert set(keys) == {"odd-?", "good"}
        assert [page.ask(f"/study/{key}").status for key in keys.values()] == [200, 200]


def test_lines_over_many_runs_are_thinned_and_the_best_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lsmtune.report.html import _live_parts

    shutil.copytree(STUDIES / "tune-pruned", tmp_path / "s")
    with read_study(tmp_path / "s") as study:
        view = api.report_view(study, inside=False)
    whole = html.live_parts(view).table
    monkeypatch.setattr(_live_parts, "MOST_LINES", 12)
    monkeypatch.setattr(_live_parts, "_BEST", 5)
    thin = html.live_parts(view)
    gains = next(each["values"] for each in whole["columns"] if each["name"] == "gain")
    best = sorted((-value, row) for row, value in enumerate(gains) if value is not None)[:5]
    kept = [run[0] for run in thin.table["runs"]]
    assert {whole["runs"][row][0] for _, row in best} <= set(kept)
    assert len(kept) <= 12
    assert len(kept) + thin.left_out == len(whole["runs"])
    assert thin.best == 5
    assert json.dumps(thin.table)


def test_lines_of_a_design_without_gains_are_an_even_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lsmtune.report.html import _live_parts

    shutil.copytree(STUDIES / "sample", tmp_path / "s")
    with read_study(tmp_path / "s") as study:
        view = api.report_view(study, inside=False)
    monkeypatch.setattr(_live_parts, "MOST_LINES", 12)
    thin = html.live_parts(view)
    assert thin.left_out > 0
    assert thin.best == 0
