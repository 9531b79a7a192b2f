"""What a package installs beside the program: its manual page and the completions of shells.

The page is made here of typer's tree of commands: click-man, which does this for click, knows no command of typer's own
click.
"""

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer._completion_shared import get_completion_script

from docs_pages._cli import flat_commands
from lsmtune.cli import app

_PROGRAM = "lsmtune"


def completion(shell: str) -> str:
    """Return the script that completes commands and options in bash, zsh or fish."""
    script = get_completion_script(prog_name=_PROGRAM, complete_var="_LSMTUNE_COMPLETE", shell=shell).strip()
    if shell == "zsh":
        script += (
            '\n\n_lsmtune_completion "$@"'  # the shell loads the file at the first completion, and wants its answer
        )
    return f"{script}\n"


def manual_page() -> str:
    """Return the page for section 1 in groff's macros of man(7)."""
    root: Any = typer.main.get_command(app)
    commands = dict(flat_commands("", root.commands))
    lines = [
        f'.TH {_PROGRAM.upper()} 1 "" "lsmtune" "User Commands"',
        ".SH NAME",
        f"{_PROGRAM} \\- tune RocksDB and LevelDB for a workload, and prove the gain",
        ".SH SYNOPSIS",
        f".B {_PROGRAM}",
        ".I COMMAND",
        "[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
        ".SH DESCRIPTION",
        *_paragraphs(root.help),
        ".SH COMMANDS",
    ]
    for name, command in commands.items():
        lines += [f".SS {_PROGRAM} {_text(name)}", *_paragraphs(command.help)]
        for parameter in command.params:
            lines += [".TP", _spelled(parameter), _text(parameter.help or "")]
    lines += [".SH EXIT STATUS", *_statuses(), ".SH SEE ALSO", f"{_PROGRAM} help, for concepts; {_PROGRAM} COMMAND"]
    lines += ["\\-\\-help, for examples."]
    return "\n".join(lines) + "\n"


def _statuses() -> Iterator[str]:
    meant = {
        0: "done",
        1: "it could not be done",
        2: "wrong use",
        3: "tune \\-\\-exit\\-code: no improvement was shown",
        4: "tune \\-\\-exit\\-code: the runs leave open whether a guard holds, or how stable the result is",
        130: "stopped; the same command goes on",
    }
    for code, words in meant.items():
        yield from (".TP", f"\\fB{code}\\fR", words)


def _spelled(parameter: Any) -> str:
    metavar = _text(parameter.metavar or parameter.name.upper())
    if parameter.param_type_name == "argument":
        return f"\\fI{metavar}\\fR"
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in (*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} \\fI{metavar}\\fR"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", (text or "").strip()):
        yield ".PP"
        yield _text(paragraph)


def _text(text: str) -> str:
    """Return text on one line, with nothing in it that groff would take for a request or an escape."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
