"""`lsmtune diagnose` on the LOG of a real database and on ones of other versions."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.backends.rocksdb import find_db_bench

DATA = Path(__file__).parent.parent / "production" / "data"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose writes were slowed down, with a dump of statistics at its end."""
    folder = tmp_path_factory.mktemp("service") / "db"
    words = [
        "--benchmarks=fillrandom,overwrite,stats",
        "--num=60000",
        "--value_size=400",
        f"--db={folder}",
        "--write_buffer_size=1000000",
        "--level0_slowdown_writes_trigger=5",
        "--stats_dump_period_sec=1",
        "--statistics=1",
    ]
    subprocess.run([find_db_bench(), *words], check=True, capture_output=True, timeout=300)
    return folder


def test_a_real_database_is_told_as_its_log_says_it(lsmtune: Lsmtune, database: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in database.iterdir()}
    code, out, err = lsmtune("diagnose", str(database), "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    (opening,) = found["openings"]
    text = (database / "LOG").read_text()
    assert opening["version"] == re.findall(r"RocksDB version: (\S+)", text)[-1]
    told = {each["option"]: each["here"] for each in found["differences"]["options"]}
    assert (told["write_buffer_size"], told["level0_slowdown_writes_trigger"]) == ("1000000", "5")
    assert opening["flushes"] == {"default": text.count('"event": "flush_finished"')}
    assert sum(each["lines"] for each in opening["stalls"]) == len(re.findall(r"(?:Stalling|Stopping) writes", text))
    assert {path: path.stat().st_mtime_ns for path in database.iterdir()} == before


def test_the_card_has_its_parts(lsmtune: Lsmtune, database: Path) -> None:
    code, out, _ = lsmtune("diagnose", str(database))
    assert code == 0
    for words in (
        ": 1 column family",
        "Options that differ from the defaults of RocksDB",
        "level0_slowdown_writes_trigger",
        "What happened since it was opened",
        "Levels of [default], as the LOG prints them",
        "What these files do not tell",
    ):
        assert words in out, words


def test_levels_and_stalls_of_another_version_are_the_log_s_own(lsmtune: Lsmtune) -> None:
    code, out, _ = lsmtune("diagnose", str(DATA / "sample.LOG.gz"))
    assert code == 0
    assert "SpeeDB 6.22.1: 4 column families" in out
    assert "writes were slowed down or stopped for 98.7 % of the time" in " ".join(out.split())
    assert re.search(r"L3 +421 +24\.96 GiB +1 ", out)
    assert "nearest to 6.22.1" in out


def test_what_a_late_log_lacks_is_said(lsmtune: Lsmtune) -> None:
    code, out, _ = lsmtune("diagnose", str(DATA / "sample-statistics.LOG.gz"))
    assert code == 0
    assert "the LOG begins after the database was opened" in " ".join(out.split())


def test_a_path_without_a_log_is_one_sentence(lsmtune: Lsmtune, tmp_path: Path) -> None:
    code, out, err = lsmtune("diagnose", str(tmp_path / "gone"))
    assert (code, out) == (2, "")
    assert err.startswith("lsmtune: there is no ")
    assert len(err.splitlines()) == 1


def test_the_page_is_written_and_nothing_else_is_written_over(lsmtune: Lsmtune, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    code, out, err = lsmtune("diagnose", str(DATA / "sample-statistics.LOG.gz"), "--report", str(target))
    assert (code, f"wrote {target}" in err) == (0, True)
    assert "What happened" in out
    assert "<h2" in target.read_text()
    target.write_text("mine")
    code, _, err = lsmtune("diagnose", str(DATA / "sample-statistics.LOG.gz"), "--report", str(target))
    assert (code, target.read_text()) == (2, "mine")
    assert "page.html" in err
