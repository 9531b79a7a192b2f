"""Help that shows how: each command has examples, and what they say is what the command takes."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from cli_fixtures import Lsmtune

from lsmtune.cli import app

ROOT: Any = typer.main.get_command(app)


def examples(name: str) -> list[list[str]]:
    """The words of a command's examples, without the command's name."""
    command = ROOT.commands[name]
    lines = command.epilog.partition("Examples:\n")[2].splitlines()
    return [shlex.split(line.partition(" > ")[0], comments=True)[1:] for line in lines]


@pytest.mark.parametrize("name", ROOT.commands)
def test_every_example_is_understood_by_its_command(name: str) -> None:
    command = ROOT.commands[name]
    assert examples(name)
    for words in examples(name):
        assert words[0] == name
        context = command.context_class(command, info_name=name)
        command.make_parser(context).parse_args(args=words[1:])  # raises where an option is not known


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
