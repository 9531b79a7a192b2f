"""lsmtune help."""

from typing import Annotated

import typer

from lsmtune.errors import UsageError


def explain(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="What to explain; left out, all are listed.")
    ] = None,
) -> None:
    """Explain a concept in a few lines: verdicts, budget, scale, guards and others."""
    from difflib import get_close_matches

    known = topics()
    if topic is None:
        width = max(map(len, known))
        for name, text in known.items():
            typer.echo(f"{name:<{width}}  {text.partition(chr(10))[0]}")
        typer.echo("\nlsmtune help TOPIC explains one, lsmtune COMMAND --help a command.")
        return
    wanted = topic.lower().replace(" ", "-").replace("_", "-")
    if wanted not in known:
        near = get_close_matches(wanted, known, n=1, cutoff=0.4)
        hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
        raise UsageError(f'"{topic}" is no topic of lsmtune help; {hint}')
    typer.echo(known[wanted].rstrip("\n"))


def topics() -> dict[str, str]:
    """Return the text of each topic by its name: the files of the folder ``topics``."""
    from importlib.resources import files

    folder = files("lsmtune.cli").joinpath("topics")
    found = {each.name.removesuffix(".md"): each for each in folder.iterdir() if each.name.endswith(".md")}
    return {name: found[name].read_text("utf-8") for name in sorted(found)}
