"""Typed values out of JSON: readers of single values and of objects, whose errors name the place of what is wrong.

A reader takes a value that JSON can hold and returns a typed one, or raises `MisreadError`. Readers are put together:
``listed(text)`` reads a list of texts, and an `Object` gives its fields to readers by name. Who has stored the JSON
turns `MisreadError` into an error of its own, as `stored` does for studies.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from lsmtune.errors import StudyError

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
"""A value that JSON can hold. Sequences come back as lists, mappings as dicts."""

_T = TypeVar("_T")
_D = TypeVar("_D")
_E = TypeVar("_E", bound=Enum)
Reader: TypeAlias = Callable[[Any], _T]
_LONGEST = 60


class MisreadError(ValueError):
    """A value of JSON is not what it should be.

    Attributes:
        sentence: what is wrong with it, beginning with a verb.
        place: names of fields and places in lists that lead to it, from the outside.
    """

    def __init__(self, sentence: str, place: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.place = place

    def __str__(self) -> str:
        return f"{'.'.join(self.place) or 'it'} {self.sentence}"

    def under(self, name: str) -> "MisreadError":
        """Return the same error seen from one level further out."""
        return MisreadError(self.sentence, (name, *self.place))


def text(value: Any) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise MisreadError(f"is {_shown(value)}, not a text")
    return value


def fraction(value: Any) -> Fraction:
    """Read a part of a whole as it is written: ``"1/64"``."""
    written = text(value)
    try:
        return Fraction(written)
    except (ValueError, ZeroDivisionError):
        raise MisreadError(f'is "{written}", not a fraction such as 1/64') from None


def truth(value: Any) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise MisreadError(f"is {_shown(value)}, neither true nor false")
    return value


def whole(value: Any) -> int:
    """Read a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise MisreadError(f"is {_shown(value)}, not a whole number")
    return value


def number(value: Any) -> float:
    """Read a number; a whole one stays whole."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MisreadError(f"is {_shown(value)}, not a number")
    return value


def scalar(value: Any) -> bool | int | float | str:
    """Read the value of an option: a text, a number, true or false."""
    if not isinstance(value, bool | int | float | str):
        raise MisreadError(f"is {_shown(value)}, not a single value")
    return value


def anything(value: Any) -> JSON:
    """Read a value as it is."""
    found: JSON = value
    return found


def optional(read: Reader[_T]) -> Reader[_T | None]:
    """Return a reader of what may also be null."""
    return lambda value: None if value is None else read(value)


def listed(read: Reader[_T]) -> Reader[tuple[_T, ...]]:
    """Return a reader of a list."""

    def read_list(value: Any) -> tuple[_T, ...]:
        if not isinstance(value, list | tuple):
            raise MisreadError(f"is {_shown(value)}, not a list")
        return tuple(_inside(str(place), read, item) for place, item in enumerate(value))

    return read_list


def pair(first: Reader[_T], second: Reader[_D]) -> Reader[tuple[_T, _D]]:
    """Return a reader of a list of two values."""

    def read_pair(value: Any) -> tuple[_T, _D]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise MisreadError(f"is {_shown(value)}, not a list of two")
        return _inside("0", first, value[0]), _inside("1", second, value[1])

    return read_pair


def mapped(read: Reader[_T]) -> Reader[dict[str, _T]]:
    """Return a reader of an object whose names are the user's, such as values by option."""

    def read_object(value: Any) -> dict[str, _T]:
        return {name: _inside(name, read, item) for name, item in _object(value).items()}

    return read_object


def member(kind: type[_E]) -> Reader[_E]:
    """Return a reader of a member of an enumeration by its value."""

    def read_member(value: Any) -> _E:
        try:
            return kind(value)
        except ValueError:
            known = ", ".join(str(each.value) for each in kind)
            raise MisreadError(f"is {_shown(value)}, none of {known}") from None

    return read_member


class Object:
    """A JSON object whose fields are read by name. Fields that nobody asks for do no harm: a newer lsmtune wrote them.

    Args:
        value: of JSON.

    Raises:
        MisreadError: it is no object.
    """

    def __init__(self, value: Any) -> None:
        self._fields = _object(value)

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def need(self, name: str, read: Reader[_T]) -> _T:
        """Return a field that has always been there.

        Raises:
            MisreadError: it is missing or wrong.
        """
        if name not in self._fields:
            raise MisreadError("is missing", (name,))
        return _inside(name, read, self._fields[name])

    def get(self, name: str, read: Reader[_T], default: _D) -> _T | _D:
        """Return a field, or `default` where an older lsmtune kept none.

        Raises:
            MisreadError: it is wrong.
        """
        return self.need(name, read) if name in self._fields else default

    def beyond(self, known: Container[str]) -> dict[str, JSON]:
        """Return the fields that are not known, as they are."""
        return {name: value for name, value in self._fields.items() if name not in known}


def stored(what: str, read: Reader[_T], value: Any) -> _T:
    """Return a value that a study has kept.

    Args:
        what: what it is and of which study, for the error.
        read: its reader.
        value: of JSON.

    Raises:
        StudyError: it is damaged, or of a form that a later lsmtune has given it.
    """
    try:
        return read(value)
    except MisreadError as error:
        raise StudyError(
            f"{what} cannot be read: {error}; take it from a backup, or use the lsmtune that wrote it"
        ) from None


def _inside(name: str, read: Reader[_T], value: Any) -> _T:
    try:
        return read(value)
    except MisreadError as error:
        raise error.under(name) from None


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise MisreadError(f"is {_shown(value)}, not an object")
    return value


def _shown(value: Any) -> str:
    """Return a value as an error names it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= _LONGEST else f'"{value[:_LONGEST]}..."'
    return "an object" if isinstance(value, Mapping) else "a list"
