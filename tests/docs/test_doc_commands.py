"""What tutorials and guides tell a reader to type: it runs, in its order, and prints what the page shows of it.

The engine is the program that stands in for db_bench, which answers at once: what is shown is that the commands fit
together. A page that needs what an engine does has the real one. A command that cannot run here is listed in
not_run.py, with the reason and with the test that covers it.
"""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import fake_driver
import matplotlib
import pytest
import typer
from doc_pages import (
    DOCS,
    ROOT,
    Command,
    blocks,
    check_commands,
    commands,
    install_lsmtune,
    missing,
    named,
    pages,
    typed,
    write_files,
    written,
)
from not_run import NOT_RUN, RUN_ELSEWHERE

from lsmtune.backends import cache_folder
from lsmtune.cli import app
from lsmtune.testing import fake_db_bench
from lsmtune.testing.fake_builds import install_build

ON_THE_ENGINE = {"how-to/from-a-trace.md"}
"""The stand-in records no trace of queries."""
ON_LEVELDB = {"how-to/leveldb-bench.md"}
"""Its program is the one that lsmtune build makes."""
KNOWN_RATES = {"how-to/max-rate.md"}
"""A search for the largest rate takes minutes: its driver is the one whose engine bears a known rate."""
IN_A_KERNEL = {"tutorials/notebook.md"}
"""Its cells are run by tests/test_notebooks.py."""
NEWER = "11.8.1"
_ANYWHERE = ("", "plain", "console", "text", "sh", "bash")
_LSMTUNE = re.compile(r"^(?: {4}|\$ |)\s*(lsmtune(?: .*)?)$", re.MULTILINE)


def key(page: Path) -> str:
    return str(page.relative_to(DOCS))


def listed(page: Path) -> set[str]:
    """The names of the commands of a page that are not run."""
    return {name for listed_page, name in NOT_RUN if listed_page == key(page)}


TOLD = [*pages("tutorials"), *pages("how-to"), DOCS / "tutorials" / "README.md", DOCS / "how-to" / "README.md"]
RUN = [
    page
    for page in TOLD
    if key(page) not in RUN_ELSEWHERE and any(command.name not in listed(page) for command in commands(page))
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that has what the pages name, and no study yet; `home` has a newer RocksDB and LevelDB as if built."""
    for name in ("examples", "reproductions", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("bin", "quick"):
        (tmp_path / name).mkdir()
    fake_db_bench.install(tmp_path / "bin")
    install_lsmtune(tmp_path / "quick")
    built = tmp_path / "home" / ".cache" / "lsmtune"
    install_build(built / "rocksdb" / NEWER / "bin", NEWER, speed=1.2)
    (built / "leveldb").symlink_to(cache_folder() / "leveldb")
    (built.parent / "matplotlib").symlink_to(matplotlib.get_cachedir())  # it looks for all fonts where there is none
    return tmp_path


def environment(checkout: Path, page: Path) -> dict[str, str]:
    """What stands in for the engine comes first in PATH, and lsmtune is the one of these tests."""
    found = {"HOME": str(checkout / "home"), "XDG_CACHE_HOME": str(checkout / "home" / ".cache")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if key(page) not in ON_THE_ENGINE | ON_LEVELDB:
        path = f"{checkout / 'quick'}:{path}"
    if key(page) not in ON_THE_ENGINE:
        path = f"{checkout / 'bin'}:{path}"
        found["LSMTUNE_DB_BENCH"] = str(checkout / "bin" / "db_bench")
    if key(page) in KNOWN_RATES:
        found["LSMTUNE_DRIVER"] = str(fake_driver.install(checkout))
    return found | {"PATH": path}


@pytest.mark.parametrize("page", RUN, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_the_commands_of_a_page_run_in_their_order(page: Path, checkout: Path) -> None:
    check_commands(page, checkout, environment(checkout, page), listed(page))


def test_every_command_of_tutorials_and_guides_is_run_or_is_listed_with_a_reason() -> None:
    told = {(key(page), name) for page in TOLD if key(page) not in RUN_ELSEWHERE for name in typed(page)}
    run = {(key(page), command.name) for page in RUN for command in commands(page)}
    assert len(run) > 50
    assert sorted(told - run - NOT_RUN.keys()) == [], "neither run nor listed in not_run.py"
    assert sorted(NOT_RUN.keys() - told) == [], "listed in not_run.py, but on no page"


@pytest.mark.parametrize("reason", sorted({*NOT_RUN.values(), *RUN_ELSEWHERE.values()}))
def test_a_reason_names_a_test_that_is_there(reason: str) -> None:
    told = re.findall(r"\b(?:tests|benchmarks)/[\w/]+\.py", reason)
    assert told or reason.endswith("nothing covers it")
    assert [path for path in told if not (ROOT / path).is_file()] == []


def test_no_block_is_indented_where_its_commands_would_not_be_found() -> None:
    assert [key(page) for page in TOLD if re.search(r"^[ \t]+```", page.read_text("utf-8"), re.MULTILINE)] == []


def test_what_another_test_runs_is_named_by_it() -> None:
    for page, test in RUN_ELSEWHERE.items():
        assert (DOCS / page).is_file()
        assert Path(page).name in (ROOT / test).read_text("utf-8")


def test_every_tutorial_has_something_to_run() -> None:
    for page in pages("tutorials"):
        assert page in RUN or key(page) in {*RUN_ELSEWHERE, *IN_A_KERNEL}, page.name


def told_anywhere() -> list[tuple[str, str]]:
    """Every command of lsmtune in a block of any page, with the page."""
    found = list[tuple[str, str]]()
    for page in written():
        for language, block in blocks(page):
            text = re.sub(r"\\\n\s*", " ", block) if language in _ANYWHERE else ""
            found += [(page.name, line.strip()) for line in _LSMTUNE.findall(text)]
    return found


def unknown(line: str) -> list[str]:
    """The words of a command line that lsmtune does not know: a command, or its options."""
    command: Any = typer.main.get_command(app)
    words = shlex.split(re.sub(r" +#.*| \|\|? .*| && .*| > .*|\[.*\]$", "", line))[1:]
    while words and getattr(command, "commands", None):
        if words[0].endswith(".yml") and "file" in command.commands:
            command = command.commands["file"]  # lsmtune nni CONFIG
            break
        if words[0] not in command.commands:
            return [] if words[0].startswith("-") or words[0].isupper() else words[:1]
        command, words = command.commands[words[0]], words[1:]
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}
    return [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]


def test_every_command_of_a_page_is_one_that_there_is() -> None:
    assert len(told_anywhere()) > 100
    told = [(page, line) for page, line in told_anywhere() if page != "cli.md" and "lsmtune:" not in line]
    assert not [f"{page}: {line}: {unknown(line)}" for page, line in told if unknown(line)]


def test_every_command_that_a_sentence_names_is_one_that_there_is() -> None:
    told = [(page.name, line) for page in written() for line in named(page) if page.name != "cli.md"]
    assert len(told) > 100
    assert not [f"{page}: {line}: {unknown(line)}" for page, line in told if unknown(line)]


def test_a_command_or_an_option_that_is_not_there_is_named() -> None:
    assert unknown("lsmtune tnue x.toml") == ["tnue"]
    assert unknown("lsmtune tune x.toml --buget 1h  # too long") == ["--buget"]
    assert unknown("lsmtune build rocksdb --version 11.8.1") == []


def test_a_file_of_a_page_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```toml\n# mine.toml\nscale = 1\n```\n\n```toml\nscale = 2\n```\n")
    write_files(page, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.toml", "page.md"]
    assert (tmp_path / "mine.toml").read_text() == "scale = 1\n"


def test_a_here_document_is_part_of_its_command(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ cat > x <<END\n> one\n>\n> END\n$ cat x\none\n...\n```\n")
    assert commands(page) == [Command("cat > x <<END\none\n\nEND", ()), Command("cat x", ("one",))]


def test_a_command_over_several_lines_has_a_name_of_one_line_without_its_comment(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo a \\\n    b  # both\na b\n```\n")
    (command,) = commands(page)
    assert (command.name, command.shown) == ("echo a b", ("a b",))
    check_commands(page, tmp_path, {})


def test_commands_are_found_in_every_block_that_may_hold_some(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ lsmtune doctor\nok\n```\n\nOr:\n\n    lsmtune tune x.toml   # long\n\n```sh\nmake demo\n```\n\n"
        "```text\nlsmtune: it needs more\nmakes nothing\n```\n\n```toml\nmake demo\n```\n"
    )
    assert typed(page) == ["lsmtune doctor", "lsmtune tune x.toml", "make demo"]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("console\n$ printf 'a\\nb\\n'\nb\na\n", "'a'"),
        ("console\n$ false\n", "false"),
        ("console refused\n$ true\n", "true"),
        ("console refused\n$ echo no >&2; exit 2\nyes\n", "yes"),
        ("console mesured\n$ true\n", "mesured"),
    ],
    ids=["another order", "a failure", "no refusal", "another message", "a kind that there is not"],
)
def test_a_page_that_shows_what_does_not_happen_fails(tmp_path: Path, block: str, message: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```{block}```\n")
    with pytest.raises(AssertionError, match=message):
        check_commands(page, tmp_path, {})


def test_what_is_cut_is_not_compared_and_a_listed_command_is_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n$ false\n```\n")
    check_commands(page, tmp_path, {}, {"false"})
    assert missing(("a", "c"), "a\nb\nc\n") == []
