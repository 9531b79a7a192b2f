"""What a user's own configuration has beyond its OPTIONS file: stated in the experiment, kept with the study."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lsmtune.model import Value
from lsmtune.result._builds import spelled
from lsmtune.store import StudyDescription

IN_CODE = "in_code"
"""Where a study keeps it among its facts."""


class Said(StrEnum):
    """What the experiment said of an option."""

    VALUE = "value"
    """Its value."""
    DEFAULT = "default"
    """That it is at the engine's default."""
    NOTHING = "nothing"
    """Nothing, and nothing in the file speaks against the engine's default."""


_WORDS = {
    Said.VALUE: "as stated",
    Said.DEFAULT: "the engine's default, as stated",
    Said.NOTHING: "the engine's default, as nothing was stated",
}


@dataclass(frozen=True)
class InCode:
    """An option that programs set in code, under a user's own configuration.

    Attributes:
        option: its name.
        value: at full size.
        at_scale: what the engine gets.
        unit: of both; empty where there is none.
        said: what the experiment said of it.
    """

    option: str
    value: Value
    at_scale: Value
    unit: str
    said: Said

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**vars(self), "said": str(self.said)}

    @property
    def shown(self) -> str:
        """Name and value, with what the scale makes of it."""
        scaled = "" if self.at_scale == self.value else f" ({spelled(self.at_scale, self.unit)} at scale)"
        return f"{self.option} {spelled(self.value, self.unit)}{scaled}"


def read_in_code(description: StudyDescription) -> tuple[InCode, ...]:
    """Return what a study keeps; nothing where its reference is not the user's own, or of an older lsmtune."""
    kept: Any = description.facts.get(IN_CODE, ())
    return tuple(InCode(**{**fields, "said": Said(fields["said"])}) for fields in kept)


def in_code_words(options: Sequence[InCode]) -> str:
    """Return values with who said them: ``cache_size 512 MiB (8 MiB at scale), as stated; ...``."""
    parts = []
    for said, words in _WORDS.items():
        shown = [each.shown for each in options if each.said is said]
        if shown:
            *first, last = shown
            parts.append(f"{', '.join(first)}{' and ' if first else ''}{last}, {words}")
    return "; ".join(parts)
