"""What is wrong with a service, and what may help."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Sure(StrEnum):
    """How far a finding is from a guess."""

    HIGH = "high"
    """The engine says so itself."""
    MEDIUM = "medium"
    """Its figures say so, by a rule that has exceptions."""
    LOW = "low"
    """A hint."""


@dataclass(frozen=True)
class Try:
    """A change that may help, as ``[[steps]]`` of an experiment takes it.

    Attributes:
        name: what it is, in a few words.
        options: what it sets, by the catalogue's names, in base units.
        because: why it may help.
    """

    name: str
    options: Mapping[str, int | float | str | bool]
    because: str


@dataclass(frozen=True)
class ServiceFinding:
    """Something that is wrong.

    Attributes:
        code: a name that stays.
        family: the column family; empty where it is the database.
        sentence: what is wrong.
        evidence: the figures that show it, in sentences.
        places: file and line of what the engine said, if it did.
        source: where the rule comes from.
        tries: changes that may help; a measurement decides.
        advice: what helps and is no option, if there is such.
        sure: see `Sure`.
    """

    code: str
    family: str
    sentence: str
    evidence: tuple[str, ...]
    source: str
    sure: Sure
    tries: tuple[Try, ...] = ()
    advice: str = ""
    places: tuple[str, ...] = ()
