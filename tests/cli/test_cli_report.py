"""lsmtune report on small studies of the fake engine."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.store import DATABASE
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, fake_study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with fake_study(tmp_path / "study", FakePlan(Budget(None, 24))) as made:
        made.tune()
    return tmp_path / "study"


def test_a_report_lies_in_the_study_folder_unless_told_otherwise(lsmtune: Lsmtune, study: Path) -> None:
    assert lsmtune("report", str(study)) == (0, "", f"lsmtune: wrote {study / 'report.html'}\n")
    assert lsmtune("report", str(study), "--lite") == (0, "", f"lsmtune: wrote {study / 'report-lite.html'}\n")
    assert lsmtune("report", str(study), "-o", "page.html") == (0, "", "lsmtune: wrote page.html\n")
    assert Path("page.html").read_text() == (study / "report.html").read_text()


def test_an_earlier_report_is_replaced_and_no_other_file(lsmtune: Lsmtune, study: Path) -> None:
    Path("notes.html").write_text("<!doctype html>\n<title>mine</title>")
    assert lsmtune("report", str(study), "-o", "notes.html") == (
        *(2, ""),
        "lsmtune: notes.html exists and is not a report of lsmtune; give another name, or move it away\n",
    )
    assert "mine" in Path("notes.html").read_text()
    for _ in range(2):
        assert lsmtune("report", str(study), "-o", "own.html")[0] == 0


def test_a_folder_that_is_missing_is_told_before_the_work(lsmtune: Lsmtune, study: Path) -> None:
    code, _, err = lsmtune("report", str(study), "-o", "none/page.html")
    assert (code, err.count("\n")) == (2, 1)
    assert "--output none/page.html lies in a folder that does not exist" in err


def test_an_earlier_report_stays_where_the_disk_is_full(
    lsmtune: Lsmtune, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = study / "report-lite.html"
    assert lsmtune("report", str(study), "--lite")[0] == 0
    before = page.read_text()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    code, out, err = lsmtune("report", str(study), "--lite")
    assert (code, out) == (1, "")
    assert err == (
        f"lsmtune: {page} cannot be written: No space left on device; free some space, and the same command writes it\n"
    )
    assert page.read_text() == before
    assert not list(study.glob("*.new"))


def test_figures_are_written_one_by_one(lsmtune: Lsmtune, study: Path) -> None:
    code, _, err = lsmtune("report", str(study), "-o", "page.html", "--figures", "a/b")
    assert code == 0
    assert "lsmtune: wrote a/b/parallel.svg" in err


def test_a_study_of_a_newer_lsmtune_is_one_sentence(lsmtune: Lsmtune, study: Path) -> None:
    with closing(sqlite3.connect(study / DATABASE)) as connection:
        connection.execute("PRAGMA user_version = 999")
    code, out, err = lsmtune("report", str(study))
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "999" in err
    assert not (study / "report.html").exists()


def test_what_is_no_study_is_one_sentence(lsmtune: Lsmtune, tmp_path: Path) -> None:
    code, out, err = lsmtune("report", str(tmp_path))
    assert (code, out, err.count("\n")) == (1, "", 1)
