"""What a user's own configuration has beyond its OPTIONS file: stated in the experiment, kept with the study."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from lsmtune.codec import JSON, Object, member, scalar, text
from lsmtune.model import Value
from lsmtune.result._builds import spelled
from lsmtune.result._rules import Rules
from lsmtune.result._tools import reference_words


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

    @classmethod
    def from_json(cls, value: Any) -> "InCode":
        """Return what `to_json` wrote.

        Raises:
            MisreadError: the value is no such option.
        """
        fields = Object(value)
        return cls(
            fields.need("option", text),
            fields.need("value", scalar),
            fields.need("at_scale", scalar),
            fields.need("unit", text),
            fields.need("said", member(Said)),
        )

    def to_json(self) -> dict[str, JSON]:
        """Return it as JSON values."""
        return asdict(self)

    @property
    def shown(self) -> str:
        """Name and value, with what the scale makes of it."""
        scaled = "" if self.at_scale == self.value else f" ({spelled(self.at_scale, self.unit)} at scale)"
        return f"{self.option} {spelled(self.value, self.unit)}{scaled}"


def in_code_words(options: Sequence[InCode]) -> str:
    """Return values with who said them: ``cache_size 512 MiB (8 MiB at scale), as stated; ...``."""
    parts = []
    for said, words in _WORDS.items():
        shown = [each.shown for each in options if each.said is said]
        if shown:
            *first, last = shown
            parts.append(f"{', '.join(first)}{' and ' if first else ''}{last}, {words}")
    return "; ".join(parts)


def own_words(in_code: Sequence[InCode], rules: Rules) -> str:
    """Say with what a user's own configuration runs that its OPTIONS file cannot hold."""
    name = "options_file" if "options_file" in rules.baselines else "options"
    beyond = ", with what the file cannot hold" if name == "options_file" else ""
    return f"{reference_words(name)}{beyond}: {in_code_words(in_code)}"
