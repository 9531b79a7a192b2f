"""What the experiment that a study or a table of runs has kept asked for."""

import tomllib
from typing import Any

from lsmtune.errors import UsageError
from lsmtune.model import Tool
from lsmtune.samplers import Jin2022Indicators
from lsmtune.store import Study
from lsmtune.study._designs import FACTORIAL
from lsmtune.study._experiment_axes import rival_factor
from lsmtune.study._jin2022 import AS_PUBLISHED, SOUND
from lsmtune.study._sample import kept_design


def was_swept(study: Study) -> bool:
    """Whether a study runs the grid of its table [sweep], and not a design of its table [sample]."""
    if study.description.build.tool is Tool.COMMAND:
        return False
    document = tomllib.loads(study.description.experiment)
    return "sweep" in document and kept_design(study) == FACTORIAL != document.get("sample", {}).get("design")


def recorded_rival(text: str) -> str | None:
    """Return the name of the factor whose values compete in a sweep whose experiment a table of runs has kept.

    Raises:
        UsageError: the experiment sweeps nothing.
    """
    sweep = _table(text, "sweep")
    return rival_factor(sweep.get("rival"), sweep.get("axes", {}), sweep.get("variants", {}))


def recorded_reproduction(text: str) -> Jin2022Indicators:
    """Return the readings of a repetition whose experiment a table of runs has kept.

    Raises:
        UsageError: the experiment repeats nothing.
    """
    mode = _table(text, "reproduce").get("mode", "sound")
    return SOUND if mode == "sound" else AS_PUBLISHED


def _table(text: str, name: str) -> dict[str, Any]:
    document = tomllib.loads(text)
    if name not in document:
        own = document.get("name", "?")
        raise UsageError(f'the experiment "{own}" of these runs has no [{name}]; show them with lsmtune analyze')
    table: dict[str, Any] = document[name]
    return table
