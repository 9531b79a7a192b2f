"""What tutorials and guides tell a reader to type: it runs, in its order, and every command is one that there is.

The engine is the program that stands in for db_bench, which answers at once: what is shown is that the commands fit
together. tests/production/test_tutorial.py runs a tutorial on the real one.
"""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from doc_pages import ROOT, Command, blocks, check_commands, commands, pages, write_files, written

from lsmtune.cli import app
from lsmtune.testing import fake_db_bench

ON_THE_ENGINE = {"from-production.md"}
OVER_HOSTS = {"hosts.md"}
"""tests/hosts/test_hosts_tutorial.py goes through it."""
TUTORIALS = [page for page in pages("tutorials") if page.name not in ON_THE_ENGINE | OVER_HOSTS and commands(page)]
GUIDES = [page for page in pages("how-to") if commands(page)]
_TYPED = ("", "plain", "console", "text", "bash")
_COMMAND = re.compile(r"^(?: {4}|\$ |)\s*(lsmtune(?: .*)?)$", re.MULTILINE)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that has what the pages name, and no study yet."""
    for name in ("examples", "reproductions", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "bin").mkdir()
    fake_db_bench.install(tmp_path / "bin")
    return tmp_path


def environment(checkout: Path) -> dict[str, str]:
    """The stand-in comes first in PATH, and lsmtune is the one of these tests."""
    path = f"{checkout / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {
        "PATH": path,
        "LSMTUNE_DB_BENCH": str(checkout / "bin" / "db_bench"),
        "XDG_CACHE_HOME": str(checkout / "cache"),
    }


@pytest.mark.parametrize("page", [*TUTORIALS, *GUIDES], ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_the_commands_of_a_page_run_in_their_order(page: Path, checkout: Path) -> None:
    check_commands(page, checkout, environment(checkout))


def test_every_tutorial_has_something_to_run() -> None:
    assert {page.name for page in pages("tutorials")} == {
        page.name for page in TUTORIALS
    } | ON_THE_ENGINE | OVER_HOSTS | {"notebook.md"}


def typed() -> list[tuple[str, str]]:
    """Every command of lsmtune in a block of a page, with the page."""
    found = list[tuple[str, str]]()
    for page in written():
        for language, block in blocks(page):
            text = re.sub(r"\\\n\s*", " ", block) if language in _TYPED else ""
            found += [(page.name, line.strip()) for line in _COMMAND.findall(text)]
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
    assert len(typed()) > 100
    told = [(page, line) for page, line in typed() if page != "cli.md" and "lsmtune:" not in line]
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
    assert commands(page) == [Command("cat > x <<END\none\n\nEND", (), False), Command("cat x", ("one",), False)]
