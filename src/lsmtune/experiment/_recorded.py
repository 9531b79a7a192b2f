"""What the experiment that a study or a table of runs has kept asked for."""

import tomllib
from typing import Any

from lsmtune.errors import UsageError
from lsmtune.experiment._axes import rival_factor


def recorded_rival(text: str) -> str | None:
    """Return the name of the factor whose values compete in a sweep whose experiment a table of runs has kept.

    Raises:
        UsageError: the experiment sweeps nothing.
    """
    sweep = _table(text, "sweep")
    return rival_factor(sweep.get("rival"), sweep.get("axes", {}), sweep.get("variants", {}))


def recorded_mode(text: str) -> str:
    """Return the mode of a repetition whose experiment a table of runs has kept.

    Raises:
        UsageError: the experiment repeats nothing.
    """
    return str(_table(text, "reproduce").get("mode", "sound"))


def _table(text: str, name: str) -> dict[str, Any]:
    document = tomllib.loads(text)
    if name not in document:
        own = document.get("name", "?")
        raise UsageError(f'the experiment "{own}" of these runs has no [{name}]; show them with lsmtune analyze')
    table: dict[str, Any] = document[name]
    return table
