"""Wrong use of the commands: one clear sentence, the right exit code, no traceback."""

import errno
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lsmtune.cli import main

FILL = """
scale = "1/64"
[workload]
benchmarks = "fillrandom"
num = "3.2M"
[space]
options = ["write_buffer_size"]
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run lsmtune in an empty folder; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LSMTUNE_DB_BENCH", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lsmtune", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return code, captured.out, captured.err

    return call


def one_sentence(answer: tuple[int, str, str], code: int, *parts: str) -> None:
    """Check that the answer is one sentence on stderr with all parts, and the exit code."""
    got, out, err = answer
    assert (got, out) == (code, ""), err
    assert err.startswith("lsmtune: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for part in parts:
        assert part in err


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["frobnicate"], ["frobnicate", "lsmtune --help"]),
        (["tune"], ["experiment file", "lsmtune init"]),
        (["compare"], ["EXPERIMENT", "lsmtune compare --help"]),
        (["tune", "a.toml", "--bugdet", "3m"], ["--bugdet"]),
        (["tune", "missing.toml"], ["missing.toml does not exist", "lsmtune init"]),
        (["options", "write_bufer_size"], ["write_bufer_size", "did you mean write_buffer_size?"]),
        (["options", "--preset", "write-hevy"], ["write-hevy", "write-heavy"]),
        (["options", "block_size", "--preset", "balanced"], ["NAME", "--preset", "leave one of them out"]),
        (["options", "--engine", "leveldb", "--db-bench", "gone"], ["--db-bench", "leveldb", "leave it out"]),
        (["show", "x", "--benchstat", "--json"], ["--benchstat", "leave out --json"]),
        (["show", "x", "--benchstat", "--per-phase", "--svg", "a.svg"], ["leave out --per-phase, --svg"]),
        (["doctor", "--runs", "1"], ["--runs 1", "at least 2"]),
        (["doctor", "--runs", "x"], ["--runs"]),
        (["doctor", "--runs", "0", "--db-bench", "~nosuchuser/db_bench"], ['"~nosuchuser/db_bench"', "user's home"]),
        (["doctor", "--scratch", "nowhere"], ["nowhere", "no folder"]),
        (["doctor", "--runs", "0", "--label", "nvme"], ["--label", "--hosts ADDRESS"]),
        (["doctor", "--runs", "0", "--keys", "keys"], ["--keys", "--hosts ADDRESS"]),
        (["doctor", "--hosts", "tls://lab-0:8786", "--scratch", "/data"], ["--scratch", "--hosts", "leave it out"]),
        (["hosts", "scheduler", "--missed-after", "inf"], ["--missed-after", "inf is not a finite number"]),
        (["calibrate", "--output", "none/host.toml"], ["--output none/host.toml", "folder that does not exist"]),
        (["diagnose", ".", "--report", "none/page.html"], ["--report none/page.html", "folder that does not exist"]),
        (["diagnose", ".", "--report", "."], ["--report . cannot be written"]),
        (["import", "trace", "gone", "-o", "none/t.toml"], ["--output none/t.toml", "folder that does not exist"]),
        (["export", "x", "--format", "yaml"], ["yaml", "options-file"]),
        (["export", "x", "--for", "cassandra"], ["cassandra", "kafka-streams"]),
        (["export", "x", "--for", "kvrocks@99"], ["99", "kvrocks@2.10"]),
        (["export", "x", "--for", "kvrocks", "--format", "json"], ["--format or --for"]),
    ],
)
def test_wrong_words_are_named_with_the_next_step(run: Run, words: list[str], parts: list[str]) -> None:
    one_sentence(run(*words), 2, *parts)


@pytest.mark.parametrize("text", ["soon", "20m, 30m", "0 runs", "0s", "-5m", "20m, 3 rnus", " ", ""])
def test_a_budget_that_means_nothing_is_refused(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "e.toml").write_text(FILL)
    one_sentence(run("tune", "e.toml", f"--budget={text}"), 2, "write it like")


def test_a_missing_engine_is_named_with_the_package(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(FILL)
    monkeypatch.setenv("PATH", str(tmp_path))
    one_sentence(run("tune", "e.toml"), 1, "db_bench", "rocksdb-tools")


def test_a_named_engine_that_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(FILL)
    one_sentence(run("tune", "e.toml", "--db-bench", "gone/db_bench"), 1, "gone/db_bench")


def test_a_program_that_is_no_db_bench_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(FILL)
    one_sentence(run("tune", "e.toml", "--db-bench", shutil.which("true") or "/bin/true"), 1, "db_bench")


def test_a_text_file_is_no_engine(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(FILL)
    (tmp_path / "db_bench").write_text("hello")
    one_sentence(run("doctor", "--db-bench", "db_bench"), 1, "db_bench")


def test_a_folder_that_is_no_study_is_refused(run: Run, tmp_path: Path) -> None:
    one_sentence(run("show", str(tmp_path)), 1, "study")
    one_sentence(run("show", "nowhere"), 1, "nowhere")
    one_sentence(run("export", "nowhere"), 1, "nowhere")


def test_a_damaged_study_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "study.sqlite").write_bytes(b"not a database at all" * 100)
    one_sentence(run("show", "s"), 1, "study.sqlite")


def test_a_study_of_a_newer_lsmtune_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    with sqlite3.connect(tmp_path / "s" / "study.sqlite") as connection:
        connection.execute("CREATE TABLE runs (id INTEGER)")
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    one_sentence(run("show", "s"), 1, "s", "lsmtune")


def test_a_file_is_not_overwritten_by_init(run: Run, tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text("mine")
    one_sentence(run("init"), 2, "experiment.toml exists", "--force")
    assert (tmp_path / "experiment.toml").read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_named_by_init(run: Run) -> None:
    one_sentence(run("init", "no/such/folder/e.toml"), 2, "no/such/folder/e.toml")


def test_all_problems_of_an_experiment_come_at_once_with_their_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(FILL + '[budget]\ntime = "soon"\nruns = 0\n')
    code, out, err = run("tune", "e.toml")
    assert (code, out) == (2, "")
    assert "e.toml:9: budget.time" in err
    assert "e.toml:10: budget.runs" in err
    assert err.count("\n") == 2


def test_an_options_file_that_cannot_be_read_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(FILL + '[engine]\noptions_file = "OPTIONS-9"\n')
    one_sentence(run("tune", "e.toml"), 2, "OPTIONS-9", "engine.options_file")


def test_a_study_made_from_another_experiment_is_not_mixed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(FILL + '[budget]\ntime = "1s"\n')
    code, _, err = run("tune", "e.toml", "--study", "s", "--quiet", "--budget", "9 runs")
    assert code == 2
    assert "the budget of 9 runs is too small" in err
    (tmp_path / "e.toml").write_text(FILL.replace("3.2M", "6.4M"))
    one_sentence(run("tune", "e.toml", "--study", "s"), 2, "another text of the experiment file", "--study")


def test_a_study_made_from_another_options_file_is_not_mixed(run: Run, tmp_path: Path) -> None:
    mine = (Path(__file__).parents[1] / "fixtures" / "db_bench-7.8.3" / "OPTIONS-000007.ini").read_text()
    (tmp_path / "mine.ini").write_text(mine)
    (tmp_path / "e.toml").write_text(FILL + '[engine]\noptions_file = "mine.ini"\n')
    assert run("tune", "e.toml", "--study", "s", "--quiet", "--budget", "9 runs")[0] == 2
    assert (tmp_path / "s" / "study.sqlite").exists()
    (tmp_path / "mine.ini").write_text(re.sub(r"\n  write_buffer_size=\d+", "\n  write_buffer_size=12345678", mine))
    one_sentence(run("tune", "e.toml", "--study", "s"), 2, "an OPTIONS file with other content", "--study")


def test_what_was_there_stays_where_the_disk_is_full(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("init", "e.toml", "--yes")[0] == 0
    before = (tmp_path / "e.toml").read_text()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    one_sentence(run("init", "e.toml", "--force", "--size", "1GiB"), 1, "e.toml", "No space left", "free some space")
    assert (tmp_path / "e.toml").read_text() == before


def test_a_path_that_needs_quotes_has_them_in_the_next_step(run: Run) -> None:
    assert "lsmtune tune 'my own.toml'" in run("init", "my own.toml", "--yes")[2]


def test_no_command_shows_the_help(run: Run) -> None:
    code, out, _ = run()
    assert code == 2
    assert "tune" in out
