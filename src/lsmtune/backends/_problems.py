"""What can be wrong in an experiment file: problems with their place, and the checks that find them."""

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

KeyPath: TypeAlias = tuple[str | int, ...]
"""A place in a TOML document: keys of tables and indices of arrays."""

_Subject = TypeVar("_Subject")
_VERBS = frozenset({"begins", "builds", "cannot", "has", "is", "lists", "names", "takes"})


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        path: where, as keys of the file; places in lists decide the line only.
        sentence: what, with the next step; joined to the path by ": ", or by " " where it goes on
            with a verb.
    """

    path: KeyPath
    sentence: str

    def __str__(self) -> str:
        place = ".".join(part for part in self.path if isinstance(part, str))
        if not place:
            return self.sentence
        verb, _, _ = self.sentence.partition(" ")
        return f"{place}{' ' if verb in _VERBS else ': '}{self.sentence}"


@dataclass(frozen=True)
class Check(Generic[_Subject]):
    """A check and the keys that it reads: where one of them is wrong already, the check is not made."""

    find: Callable[[_Subject], Iterator[Problem]]
    reads: tuple[KeyPath, ...] = ()


def findings(subject: _Subject, checks: Iterable[Check[_Subject]], wrong: Iterable[KeyPath]) -> list[Problem]:
    """Return what the checks find, without those that read a key that is wrong already."""
    places = tuple(wrong)
    return [
        problem
        for check in checks
        if not any(_touches(place, read) for place in places for read in check.reads)
        for problem in check.find(subject)
    ]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean "x"?`` for the closest of `known`, or nothing where none is close."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""


def one_of(names: Iterable[str]) -> str:
    """Return the names in quotes, with commas and a last "or"."""
    *head, last = (f'"{name}"' for name in names)
    return f"{', '.join(head)} or {last}" if head else last


def _touches(place: KeyPath, read: KeyPath) -> bool:
    """Whether one of the two is the other or lies in it."""
    shorter = min(len(place), len(read))
    return place[:shorter] == read[:shorter]
