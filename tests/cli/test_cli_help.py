"""Help that shows how: each command has examples, and what they say is what the command takes."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from cli_fixtures import Lsmtune

from lsmtune.cli import app

ROOT: Any = typer.main.get_command(app)


def flat(commands: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The commands that help shows, by what is written after lsmtune; those of a group stand for it."""
    for name, command in commands.items():
        if command.hidden:
            continue
        inner = getattr(command, "commands", None)
        yield from flat(inner, f"{before}{name} ") if inner else [(before + name, command)]


COMMANDS = dict(flat(ROOT.commands))


def examples(name: str) -> list[list[str]]:
    """The words of a command's examples, without the program's name."""
    lines = COMMANDS[name].epilog.partition("Examples:\n")[2].splitlines()
    return [shlex.split(line.partition(" > ")[0], comments=True)[1:] for line in lines]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_is_understood_by_its_command(name: str) -> None:
    command, own = COMMANDS[name], name.split()
    assert examples(name)
    for words in examples(name):
        assert words[: len(own)] == own
        context = command.context_class(command, info_name=name)
        command.make_parser(context).parse_args(args=words[len(own) :])  # raises where an option is not known


def test_an_example_stands_in_the_help_as_it_is(lsmtune: Lsmtune) -> None:
    _, out, _ = lsmtune("tune", "--help")
    assert "\n  Examples:\n    lsmtune tune experiment.toml --budget 40m\n" in out


@pytest.mark.parametrize(
    ("files", "next_step"),
    [
        ([], "lsmtune init writes one for this machine"),
        (["mine.toml"], "here is mine.toml: lsmtune tune mine.toml"),
        (["CURRENT", "LOG", "MANIFEST-000004"], "this folder is a database: lsmtune init ../service.toml --from ."),
    ],
)
def test_tuning_nothing_says_what_to_do_next(
    lsmtune: Lsmtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[str], next_step: str
) -> None:
    for name in files:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    code, out, err = lsmtune("tune")
    assert (code, out) == (2, "")
    assert next_step in err
    assert len(err.splitlines()) == 1
