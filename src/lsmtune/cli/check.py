"""lsmtune check."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lsmtune.cli._common import Json, make_console, print_json

_FAMILY = "default"
_Paths: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH...]", help="The folder of a database, or its OPTIONS file and LOGs; only read."),
]
_Against: TypeAlias = Annotated[
    Path | None, typer.Option("--against", metavar="STUDY", help="The study whose result was rolled out.")
]
_Canary: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--canary", metavar="PATH", help="Folder or LOG of an instance that has changed; repeatable."),
]
_Control: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--control", metavar="PATH", help="Folder or LOG of an instance that has not; repeatable."),
]
_DIFFERS = 3


def check(
    paths: _Paths = None,
    *,
    against: _Against = None,
    family: Annotated[str, typer.Option("--family", metavar="NAME", help="Column family that was tuned.")] = _FAMILY,
    canary: _Canary = None,
    control: _Control = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="TIME",
            help='When the canaries changed, by their clocks, like "2026-11-23 14:00"; left out, when they were first '
            "opened with other options.",
        ),
    ] = None,
    json: Json = False,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            help="Exit with 3 if the service does not run what was exported, or a figure of the canaries is worse.",
        ),
    ] = False,
) -> None:
    """Tell after a roll-out whether a service runs what a study exported, and what the change did.

    With --against: option by option, and the LOG's figures beside the study's runs. With --canary and --control: how
    the instances that changed did before and after, against those that did not, with intervals by instance.
    """
    from lsmtune import api
    from lsmtune.errors import UsageError
    from lsmtune.production import canary_card, canary_json, rollout_card, rollout_json

    if canary or control:
        if paths or against or family != _FAMILY:
            raise UsageError(
                "--canary and --control compare instances by themselves; leave PATH, --against and --family out"
            )
        seen = api.compare_canaries(canary or (), control or (), since=None if since is None else _moment(since))
        print_json(canary_json(seen)) if json else make_console().print(canary_card(seen))
        differs = any(each.verdict == "worse" for each in seen.effects)
    else:
        if not paths or against is None:
            raise UsageError("give the folder of the service's database and --against STUDY, or --canary and --control")
        if since is not None:
            raise UsageError("--since is of --canary and --control; leave it out")
        found = api.check(*paths, against=against, family=family)
        print_json(rollout_json(found)) if json else make_console().print(rollout_card(found))
        differs = not found.runs_it
    if exit_code and differs:
        raise typer.Exit(_DIFFERS)


def _moment(text: str) -> datetime:
    """Return a time by the services' clocks, which are taken as UTC unless it says otherwise.

    Raises:
        UsageError: it is none.
    """
    from lsmtune.errors import UsageError

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f'--since "{text}" is not a time; write it like "2026-11-23 14:00"') from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
