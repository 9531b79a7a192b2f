"""lsmtune init: the questions, and the flags that are their answers."""

import re
from itertools import product
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from terminal import Terminal

from lsmtune.backends import KEPT, WORKS, Needs
from lsmtune.backends.db_bench import commented_experiment
from lsmtune.backends.ycsb import commented_leveldb_experiment
from lsmtune.errors import LsmtuneError
from lsmtune.experiment import load_experiment, parse_experiment
from lsmtune.study import prepare
from lsmtune.testing import fake_db_bench

QUESTIONS = (
    "Which engine?",
    "What is to be faster?",
    "How large is the data?",
    "What must not get worse?",
    "How long may the tuning take?",
)


def answer(terminal: Terminal, *answers: str) -> None:
    for question, said in zip(QUESTIONS, answers, strict=False):
        terminal.wait_for(question)
        terminal.press(f"{said}\n")


def test_enter_takes_what_is_usual_and_that_is_what_yes_writes(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with Terminal(tmp_path, "init") as terminal:
        answer(terminal, "", "", "", "", "")
        assert terminal.end() == 0
    assert "[rocksdb]" in terminal.said
    assert "[64GiB]" in terminal.said
    assert "[space, memory]" in terminal.said
    assert lsmtune("init", "yes.toml", "--yes")[0] == 0
    assert Path("experiment.toml").read_text() == Path("yes.toml").read_text()


def test_answers_are_what_flags_say(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with Terminal(tmp_path, "init", "asked.toml") as terminal:
        answer(terminal, "rocksdb", "reads", "200GiB", "latency, space", "1h")
        assert terminal.end() == 0
    flags = ("--engine", "rocksdb", "--work", "reads", "--size", "200GiB", "--keep", "latency, space", "--time", "1h")
    code, out, _ = lsmtune("init", "flags.toml", *flags)
    assert (code, out) == (0, "")
    assert Path("asked.toml").read_text() == Path("flags.toml").read_text()
    experiment = load_experiment(Path("asked.toml"))
    assert {guard.indicator for guard in experiment.guards()} == {"latency_p99_s", "space_bytes"}
    assert experiment.budget.time_s == 3600
    assert experiment.workload().load == ("fillrandom",)
    assert experiment.space.preset == "read-heavy"
    assert 190 << 30 < experiment.workload().num * 1040 <= 200 << 30


def test_a_wrong_answer_is_asked_again_with_the_reason(tmp_path: Path) -> None:
    with Terminal(tmp_path, "init") as terminal:
        for question, wrong, reason in (
            ("Which engine?", "mysql", '"mysql" is not an engine'),
            ("What is to be faster?", "all", '"all" is none of writes, reads, mixed'),
            ("How large is the data?", "1KiB", "of data is not between"),
            ("What must not get worse?", "space, price", '"price" is none of space'),
            ("How long may the tuning take?", "soon", "soon"),
        ):
            answer_one(terminal, question, wrong)
            terminal.wait_for(reason)
            answer_one(terminal, question, "")
        assert terminal.end() == 0
    load_experiment(tmp_path / "experiment.toml")


def answer_one(terminal: Terminal, question: str, said: str) -> None:
    terminal.wait_for(question)
    terminal.press(f"{said}\n")


@pytest.mark.parametrize("after", range(5))
def test_ctrl_c_at_any_question_writes_nothing(tmp_path: Path, after: int) -> None:
    with Terminal(tmp_path, "init") as terminal:
        answer(terminal, *[""] * after)
        terminal.wait_for(QUESTIONS[after])
        terminal.interrupt("lsmtune: stopped; nothing was written")
        assert terminal.end() == 130
    assert "lsmtune: stopped; nothing was written" in terminal.said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flags", [("--yes",), ("--work", "reads"), ("--engine", "rocksdb"), ("--time", "5m")])
def test_with_a_flag_a_terminal_asks_nothing(tmp_path: Path, flags: tuple[str, ...]) -> None:
    with Terminal(tmp_path, "init", *flags) as terminal:
        assert terminal.end() == 0
    assert "?" not in terminal.said
    load_experiment(tmp_path / "experiment.toml")


def test_a_folder_that_is_missing_is_told_before_the_first_question(tmp_path: Path) -> None:
    with Terminal(tmp_path, "init", "none/new.toml") as terminal:
        terminal.wait_for("lies in a folder that does not exist")
        assert terminal.end() == 2
    assert "Which engine" not in terminal.said


def test_without_a_terminal_nothing_is_asked(lsmtune: Lsmtune) -> None:
    code, out, err = lsmtune("init")
    assert (code, out) == (0, "")
    assert "?" not in err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--work", "fast"), '"fast" is none of writes, reads, mixed'),
        (("--size", "huge"), '"huge" is not a size'),
        (("--size", "1"), "is not between 64 MiB and 64 TiB"),
        (("--keep", "space,all"), '"all" is none of space, memory, latency, wear'),
        (("--time", "0s"), "no time to tune in"),
        (("--work", "reads", "--from", "."), "--work cannot be with --from"),
        (("--engine", "rocksdb", "--from", "."), "--engine cannot be with --from"),
        (("--engine", "leveldb", "--db-bench", "bin/db_bench"), "--db-bench bin/db_bench is not used by lsmtune-ycsb"),
    ],
)
def test_a_wrong_flag_is_refused_and_nothing_written(lsmtune: Lsmtune, words: tuple[str, ...], reason: str) -> None:
    code, _, err = lsmtune("init", *words)
    assert code == 2
    assert reason in err
    assert not Path("experiment.toml").exists()


ALL = [
    Needs(work, size, kept, time)
    for work, size, kept, time in product(
        WORKS, (100 << 20, 3 << 30, 5 << 40), ((), ("space",), tuple(KEPT)), ("10m", "1h 30m")
    )
]


@pytest.mark.parametrize("needs", ALL)
def test_every_file_can_be_read_and_says_what_was_answered(needs: Needs) -> None:
    text = commented_experiment("7.8.3", 4, needs)
    experiment = parse_experiment(text, Path("new.toml"))
    assert {guard.indicator for guard in experiment.guards()} == {KEPT[name] for name in needs.kept}
    assert 0.9 * needs.size_bytes < experiment.workload().data_bytes <= needs.size_bytes
    assert experiment.workload().num * experiment.scale * 1040 <= 1 << 30
    assert (experiment.workload().load != ()) == (needs.work != "writes")
    for line in text.splitlines():
        assert len(line) <= 120
    comments = {len(line.partition(" # ")[0].rstrip()) for line in text.splitlines() if re.match(r"\w+ = .* # ", line)}
    assert max(comments) < 80


@pytest.mark.parametrize("needs", [needs for needs in ALL if needs.size_bytes < 1 << 30])
def test_every_file_of_leveldb_can_be_read(needs: Needs) -> None:
    experiment = parse_experiment(commented_leveldb_experiment("1.23", 4, needs), Path("new.toml"))
    assert {guard.indicator for guard in experiment.guards()} == {KEPT[name] for name in needs.kept}
    assert experiment.scale == 1
    assert 0.9 * needs.size_bytes < experiment.workload().num * 1024 <= needs.size_bytes


@pytest.mark.parametrize("work", WORKS)
def test_the_linter_finds_nothing_in_what_is_written(tmp_path: Path, work: str) -> None:
    experiment = parse_experiment(commented_experiment("7.8.3", 4, Needs(work)), tmp_path / "new.toml")
    prepared = prepare(experiment, fake_db_bench.install(tmp_path)).searching()
    assert prepared.findings() == ()
    assert len(prepared.space) > 5


@pytest.mark.parametrize(("work", "size"), [("everything", 1 << 30), ("reads", 5)])
def test_needs_that_cannot_be_are_refused(work: str, size: int) -> None:
    with pytest.raises(LsmtuneError):
        Needs(work, size)
