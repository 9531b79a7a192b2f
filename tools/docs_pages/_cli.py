"""The page of the command line: the help of every command."""

from collections.abc import Iterator
from typing import Any

import typer

from docs_pages._markdown import generated, page, table
from lsmtune.cli import app

_WIDTH = 100


def cli_page() -> str:
    """Return the page of all commands."""
    root: Any = typer.main.get_command(app)
    commands = dict(flat_commands("", root.commands))
    root.commands.clear()  # its help would cut their descriptions short; the table has them whole
    context = _context(root, None, "lsmtune")
    rows = (
        (f"[{name}](#lsmtune-{name.replace(' ', '-')})", _first_paragraph(command.help))
        for name, command in commands.items()
    )
    return page(
        "# The command line",
        generated("src/lsmtune/cli/"),
        _help(root, context),
        table(("Command", "What it does"), rows),
        *(
            f"## lsmtune {name}\n\n{_help(command, _context(command, context, name))}"
            for name, command in commands.items()
        ),
    )


def flat_commands(prefix: str, commands: Any) -> Iterator[tuple[str, Any]]:
    """Yield the commands by what is written after lsmtune; those of a group stand for it."""
    for name, command in commands.items():
        if command.hidden:
            continue
        if inner := getattr(command, "commands", None):
            yield from flat_commands(f"{prefix}{name} ", inner)
        else:
            yield f"{prefix}{name}", command


def _context(command: Any, parent: Any, name: str) -> Any:
    settings = command.context_settings | {"terminal_width": _WIDTH, "max_content_width": _WIDTH, "color": False}
    return command.context_class(command, info_name=name, parent=parent, **settings)


def _help(command: Any, context: Any) -> str:
    command.rich_markup_mode = None  # plain text: no boxes, no colours
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    text = "\n".join(lines).strip("\n")
    return f"```text\n{text}\n```"


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())
