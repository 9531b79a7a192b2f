"""A budget that is too small: said after the first run, with a size that fits, which a terminal offers."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from terminal import Terminal

from lsmtune import load
from lsmtune.testing import fake_db_bench

SLOW = "sleep=1"
FILL = """scale = "1/4"
[workload]
benchmarks = "fillrandom"
num = "64M"   # of them a quarter
[space]
options = ["write_buffer_size", "block_size"]
[budget]
time = "5s"
[host]
disturbed = "use"
min_free = "16MiB"
"""


@pytest.fixture
def slow_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(fake_db_bench.VARIABLE, SLOW)
    (tmp_path / "fill.toml").write_text(FILL)
    (tmp_path / "bin").mkdir()
    return fake_db_bench.install(tmp_path / "bin", SLOW)


def runs_in(study: Path) -> int:
    with closing(sqlite3.connect(study / "study.sqlite")) as connection:
        return int(connection.execute("SELECT count(*) FROM runs").fetchone()[0])


def test_it_is_said_after_the_first_run_with_what_would_fit(lsmtune: Lsmtune, slow_bench: Path) -> None:
    code, _, err = lsmtune("tune", "fill.toml", "--db-bench", str(slow_bench), "--quiet")
    assert code == 2
    assert re.search(r"the budget is too small: one run takes about [1-9][\d.]* s", err)
    assert 'or take less data: scale = "1/' in err
    assert 'or num = "' in err
    assert "go on with" not in err
    assert runs_in(Path("studies/fill")) == 1


def test_a_terminal_offers_it_and_begins_another_study_with_it(tmp_path: Path, slow_bench: Path) -> None:
    with Terminal(tmp_path, "tune", "fill.toml", "--db-bench", str(slow_bench)) as terminal:
        terminal.wait_for("go on with scale 1/")
        terminal.wait_for("instead? [Y/n]: ")
        offered = terminal.said.partition("go on with scale 1/")[2].split()[0]
        terminal.press("\n")
        terminal.wait_for(f"another study, fill-scale-1-{offered}")
        terminal.wait_for("instead? [Y/n]: ")  # the stand-in is no faster with less data
        terminal.press("n\n")
        assert terminal.end() == 2
    assert int(offered) in (16, 32, 64)
    study = tmp_path / f"studies/fill-scale-1-{offered}"
    assert runs_in(study) == runs_in(tmp_path / "studies/fill") == 1
    assert load(study).name == f"fill-scale-1-{offered}"
    kept = (study / "experiment.toml").read_text()
    assert kept == FILL.replace('"1/4"', f'"1/{offered}"')


def test_what_is_said_of_the_other_study_goes_on_with_it(tmp_path: Path, lsmtune: Lsmtune, slow_bench: Path) -> None:
    words = ("tune", "fill.toml", "--db-bench", str(slow_bench))
    with Terminal(tmp_path, *words, "--num", "32M", "--study", "mine") as terminal:
        terminal.wait_for("go on with scale 1/")
        terminal.wait_for("instead? [Y/n]: ")
        offered = terminal.said.partition("go on with scale 1/")[2].split()[0]
        terminal.press("\n")
        terminal.wait_for(f"another study, fill-scale-1-{offered}-num-32M;")
        study = f"mine-scale-1-{offered}-num-32M"
        flags = ("--scale", f"1/{offered}", "--num", "32M", "--study", study)
        terminal.wait_for(f"the same answer goes on with it, or {' '.join(flags)}\n")
        terminal.wait_for("instead? [Y/n]: ")  # the stand-in is no faster with less data
        terminal.press("n\n")
        assert terminal.end() == 2
    code, _, err = lsmtune(*words, *flags, "--quiet")
    assert (code, "the budget is too small" in err) == (2, True), err
    assert load(study).name == f"fill-scale-1-{offered}-num-32M"
    assert runs_in(Path(study)) == 1, "no other study was begun"
    assert {each.name for each in tmp_path.glob("mine*")} == {"mine", study}


def test_a_study_in_the_current_folder_has_the_other_one_beside_it(tmp_path: Path, slow_bench: Path) -> None:
    (tmp_path / "here").mkdir()
    words = ("tune", "../fill.toml", "--db-bench", str(slow_bench), "--study", ".")
    with Terminal(tmp_path / "here", *words) as terminal:
        terminal.wait_for("go on with scale 1/")
        terminal.wait_for("instead? [Y/n]: ")
        offered = terminal.said.partition("go on with scale 1/")[2].split()[0]
        terminal.press("\n")
        terminal.wait_for("instead? [Y/n]: ")  # the stand-in is no faster with less data
        terminal.press("n\n")
        assert terminal.end() == 2
    assert runs_in(tmp_path / f"here-scale-1-{offered}") == runs_in(tmp_path / "here") == 1


def test_other_sizes_are_studies_of_their_own(lsmtune: Lsmtune, slow_bench: Path) -> None:
    words = ("tune", "fill.toml", "--db-bench", str(slow_bench), "--quiet", "--scale", "1/8", "--num", "32M")
    code, _, err = lsmtune(*words)
    assert (code, "too small" in err) == (2, True)
    kept = Path("studies/fill-scale-1-8-num-32M/experiment.toml").read_text()
    assert 'scale = "1/8"' in kept
    assert 'num = "32M"   # of them a quarter' in kept


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--scale", "2"), "outside (0, 1]"),
        (("--num", "1k"), "keys"),
        (("--num", "many"), '"many" is not'),
        (("--num", "9" * 19), "64 bits"),
    ],
)
def test_a_size_that_cannot_be_is_refused(
    lsmtune: Lsmtune, slow_bench: Path, words: tuple[str, ...], reason: str
) -> None:
    code, _, err = lsmtune("tune", "fill.toml", "--db-bench", str(slow_bench), *words)
    assert code == 2
    assert reason in err
    assert not Path("studies").exists()
