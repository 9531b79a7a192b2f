"""Types of the values in an experiment file: how they are read, and how the JSON Schema shows them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import PlainSerializer, PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import core_schema

from lsmtune.backends import expanded, one_of, suggestion
from lsmtune.backends.registry import engines, starting_points, tools
from lsmtune.errors import QuantityError, UsageError
from lsmtune.model import SchedulerAddress, Value
from lsmtune.units import (
    LARGEST,
    format_bytes,
    format_count,
    format_seconds,
    parse_bytes,
    parse_count,
    parse_scale,
    parse_seconds,
)


@dataclass(frozen=True)
class Source:
    """Where an experiment comes from: the context of its validation.

    Attributes:
        folder: where relative paths start.
        text: the TOML.
        notes: what property files added, in sentences.
    """

    folder: Path
    text: str
    notes: tuple[str, ...] = ()


NO_MEMORY = "none"
"""What stands in the place of a memory where nothing is said of it."""

_LEAST_MEMORY = 2**26
_LEAST_BANDWIDTH = 2**16

_Number = TypeVar("_Number", int, float)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def shown(value: object) -> str:
    """Return `value` as TOML spells it, cut to a length that fits in a sentence."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and abs(value) > LARGEST:
        return "a number of more than 64 bits"
    text = str(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    return f'"{text}"' if isinstance(value, str) else text


def _quantity(
    parse: Callable[[str | int | float], _Number],
    low: _Number,
    high: _Number,
    format_: Callable[[float], str],
    noun: str,
) -> PlainValidator:
    """Return a validator that reads a quantity and holds it between `low` and `high`."""

    def read(value: object) -> _Number:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(f"{shown(value)} is not {noun}; write a number or a text with a unit")  # noqa: TRY004 - pydantic collects ValueError only
        try:
            quantity = parse(value)
        except QuantityError as error:
            raise ValueError(str(error)) from None
        if not low <= quantity <= high:
            raise ValueError(f"{shown(value)} is outside the range from {format_(low)} to {format_(high)}")
        return quantity

    return PlainValidator(read)


def _schema(kind: str, *examples: Value) -> WithJsonSchema:
    return WithJsonSchema({"type": ["string", kind], "examples": list(examples)})


def _read_scale(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f'{shown(value)} is not a scale; write it like "1/64" or 1')  # noqa: TRY004 - as above
    try:
        return parse_scale(value)
    except QuantityError as error:
        raise ValueError(str(error).removeprefix("scale ")) from None


def _read_name(value: object) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise ValueError(
            f"{shown(value)} is not a name; use at most 80 letters, digits, dots, dashes and underscores, "
            "beginning with a letter or digit"
        )
    return value


def _read_memory(value: object) -> int | None:
    """Read a size, or that nothing is said of it."""
    if value == NO_MEMORY:
        return None
    try:
        size_bytes = parse_bytes(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
    except QuantityError:
        size_bytes = None
    if size_bytes is None:
        raise ValueError(f'{shown(value)} is no memory; write it like "64GiB", or "none"')
    if not _LEAST_MEMORY <= size_bytes <= LARGEST:
        raise ValueError(
            f"{shown(value)} is outside the range from {format_bytes(_LEAST_MEMORY)} to {format_bytes(LARGEST)}"
        )
    return size_bytes


def _read_bandwidth(value: object) -> int:
    """Read bytes in a second: a size, with or without "/s"."""
    text = value.strip().removesuffix("/s") if isinstance(value, str) else value
    try:
        bytes_s = parse_bytes(text) if isinstance(text, str | int) and not isinstance(text, bool) else None
    except QuantityError:
        bytes_s = None
    if bytes_s is None:
        raise ValueError(f'{shown(value)} is no bandwidth; write it like "500MiB/s"')
    if not _LEAST_BANDWIDTH <= bytes_s <= LARGEST:
        raise ValueError(f'{shown(value)} is below {format_bytes(_LEAST_BANDWIDTH)}/s; write it like "500MiB/s"')
    return bytes_s


def _read_words(value: object) -> tuple[str, ...]:
    """Read ``"a,b"`` or ``["a", "b"]``."""
    words: list[Any] = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [None]
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f'{shown(value)} is not a list of names; write "a,b" or ["a", "b"]')
    return tuple(word.strip() for word in words if word.strip())


def _read_texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f'{shown(value)} is not a list of texts; write it like ["a", "b"]')
    return tuple(value)


def _read_scheduler(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f'{shown(value)} is no address; write it like "tls://lab-0:8786"')  # noqa: TRY004 - as above
    try:
        return SchedulerAddress.parse(value).text
    except UsageError as error:
        raise ValueError(str(error)) from None


def _read_scalar(value: object) -> Value:
    if not isinstance(value, bool | int | float | str):
        raise ValueError(f"{shown(value)} is not a single value; write a number, a text, true or false")  # noqa: TRY004 - as above
    return value


def _read_scalars(value: object) -> tuple[Value, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{shown(value)} is not a list of values; write it like [1, 2, 4]")
    return tuple(_read_scalar(item) for item in value)


def _read_flag(value: object) -> str:
    scalar = _read_scalar(value)
    return str(scalar).lower() if isinstance(scalar, bool) else str(scalar)


def _read_path(value: object, info: ValidationInfo) -> Path:
    """Read a path; what is relative starts at the experiment file's folder, which the validation context holds."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{shown(value)} is not a path; write it as text in quotes")
    folder = info.context.folder if isinstance(info.context, Source) else Path()
    try:
        return folder / expanded(Path(value))
    except UsageError as error:
        raise ValueError(str(error)) from None


def _read_paths(value: object, info: ValidationInfo) -> tuple[Path, ...]:
    if not isinstance(value, list):
        raise ValueError(f'{shown(value)} is not a list of paths; write it like ["studies/first"]')  # noqa: TRY004 - as above
    return tuple(_read_path(item, info) for item in value)


def _read_part(value: object) -> int:
    """Read a part of a whole as how many of it there are."""
    part = re.fullmatch(r"1/([1-9]\d*)", value) if isinstance(value, str) else None
    if part is None or int(part[1]) < 2:
        raise ValueError(f'{shown(value)} is no part; write it like "1/2" or "1/3"')
    return int(part[1])


_PERCENTILES = (99, 99.9)


def _read_percentile(value: object) -> float:
    if isinstance(value, bool) or value not in _PERCENTILES:
        raise ValueError(f"{shown(value)} is no percentile that is judged; write 99 or 99.9")
    return float(str(value))


_MOST_RUNGS = 2


def _read_rungs(value: object) -> tuple[Fraction, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f'{shown(value)} is no list; write it like ["1/4"]')  # noqa: TRY004 - as above
    rungs = tuple(_read_scale(item) for item in value)
    if len(rungs) > _MOST_RUNGS:
        raise ValueError(f"{len(rungs)} rungs are too many; two below the whole run are the most that pay")
    for lower, upper in pairwise((*rungs, Fraction(1))):
        if lower > upper / 2:
            raise ValueError(
                f'a rung of {lower} below one of {upper} saves too little; write them rising, like ["1/16", "1/4"]'
            )
    return rungs


_MOST_SCALES = 4


def _read_climb(value: object) -> tuple[Fraction, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f'{shown(value)} is no list; write it like ["1/16", "1/4"]')  # noqa: TRY004 - as above
    scales = tuple(_read_scale(item) for item in value)
    if len(scales) > _MOST_SCALES:
        raise ValueError(f"{len(scales)} scales are too many; write at most {_MOST_SCALES}")
    for lower, upper in pairwise(scales):
        if lower >= upper:
            raise ValueError(f'{upper} stands after {lower}; write scales rising and each once, like ["1/16", "1/4"]')
    return scales


@dataclass(frozen=True)
class NameOf:
    """One of the names that are known when the file is read, as of engines and tools; backends bring more.

    Attributes:
        names: returns them, in the order in which they are shown.
    """

    names: Callable[[], Iterable[str]]

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, schema: object, handler: object) -> dict[str, Any]:
        return {"enum": list(self.names()), "type": "string"}

    def _read(self, value: object) -> str:
        known = tuple(self.names())
        if not isinstance(value, str):
            raise ValueError(f"{shown(value)} is not {one_of(known)}")  # noqa: TRY004 - as above
        if value not in known:
            raise ValueError(f"{shown(value)} is not {one_of(known)}{suggestion(value, known)}")
        return value


_SCALAR_SCHEMA = {"type": ["string", "number", "boolean"]}

Name = Annotated[str, PlainValidator(_read_name), WithJsonSchema({"type": "string"})]
"""Name of an experiment, fit for a folder."""

EngineName = Annotated[str, NameOf(engines)]
"""An engine that a backend drives."""

ToolName = Annotated[str, NameOf(tools)]
"""A tool that drives engines."""

BaselineName = Annotated[str, NameOf(lambda: (*starting_points(), "options_file", "options"))]
"""A starting point of a tool, or the user's own."""

Scale = Annotated[
    Fraction,
    PlainValidator(_read_scale),
    PlainSerializer(str, return_type=str),
    _schema("number", "1/64", 1),
]
"""A factor above 0 and at most 1."""

Scales = Annotated[
    tuple[Fraction, ...],
    PlainValidator(_read_rungs),
    PlainSerializer(lambda scales: [str(scale) for scale in scales], return_type=list[str]),
    WithJsonSchema({"type": "array", "items": {"type": ["string", "number"]}, "examples": [["1/16", "1/4"]]}),
]
"""One or two rising factors below 1, each at most half of the next."""

ClimbScales = Annotated[
    tuple[Fraction, ...],
    PlainValidator(_read_climb),
    PlainSerializer(lambda scales: [str(scale) for scale in scales], return_type=list[str]),
    WithJsonSchema({"type": "array", "items": {"type": ["string", "number"]}, "examples": [["1/16", "1/4"]]}),
]
"""Rising factors of at most 1."""

PartOf = Annotated[
    int,
    PlainValidator(_read_part),
    PlainSerializer(lambda of: f"1/{of}", return_type=str),
    WithJsonSchema({"type": "string", "examples": ["1/2"]}),
]
"""One of so many."""

ItemSize = Annotated[int, _quantity(parse_bytes, 1, 2**31 - 1, format_bytes, "a size"), _schema("integer", 16, "1KiB")]
"""Bytes of a key or a value."""

DiskSize = Annotated[
    int, _quantity(parse_bytes, 0, LARGEST, format_bytes, "a size"), _schema("integer", "2GiB", 2147483648)
]
"""Bytes on a disk."""

MemorySize = Annotated[int | None, PlainValidator(_read_memory), _schema("integer", "64GiB", NO_MEMORY, 68719476736)]
"""Bytes of a machine's memory; None where nothing is said of it."""

Bandwidth = Annotated[int, PlainValidator(_read_bandwidth), _schema("integer", "500MiB/s", 524288000)]
"""Bytes in a second."""

Count = Annotated[
    int,
    _quantity(parse_count, 1, LARGEST, format_count, "a count"),
    _schema("integer", "64M", 1000000),
]
"""A whole number from 1."""

Seconds = Annotated[
    float,
    _quantity(parse_seconds, 1.0, 366 * 86400.0, format_seconds, "a time"),
    _schema("number", "20m", "1h 30m", 90),
]
"""A time from 1 s to a year, in s."""

ShortSeconds = Annotated[
    float,
    _quantity(parse_seconds, 1e-6, 3600.0, format_seconds, "a time"),
    _schema("number", "5ms", 0.005),
]
"""A time from 1 us to an hour, in s."""

HoldSeconds = Annotated[
    float,
    _quantity(parse_seconds, 0.1, 86400.0, format_seconds, "a time"),
    _schema("number", "10s", 10),
]
"""A time from 0.1 s to a day, in s."""

Percentile = Annotated[float, PlainValidator(_read_percentile), WithJsonSchema({"enum": [99, 99.9]})]
"""99 or 99.9."""

Words = Annotated[
    tuple[str, ...],
    PlainValidator(_read_words),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""Names, as a list or in one text with commas."""

Texts = Annotated[
    tuple[str, ...], PlainValidator(_read_texts), WithJsonSchema({"type": "array", "items": {"type": "string"}})
]
"""A list of texts."""

SchedulerText = Annotated[
    str, PlainValidator(_read_scheduler), WithJsonSchema({"type": "string", "examples": ["tls://lab-0:8786"]})
]
"""The address of a scheduler of hosts."""

Scalar = Annotated[Value, PlainValidator(_read_scalar), WithJsonSchema(_SCALAR_SCHEMA)]
"""A value of an option."""

Scalars = Annotated[
    tuple[Value, ...],
    PlainValidator(_read_scalars),
    WithJsonSchema({"type": "array", "items": _SCALAR_SCHEMA, "minItems": 1}),
]
"""A list of values of an option."""

Flag = Annotated[str, PlainValidator(_read_flag), WithJsonSchema(_SCALAR_SCHEMA)]
"""The value of a db_bench flag, as it is passed."""

FilePath = Annotated[Path, PlainValidator(_read_path), WithJsonSchema({"type": "string"})]
"""A path, relative to the experiment file."""

FilePaths = Annotated[
    tuple[Path, ...], PlainValidator(_read_paths), WithJsonSchema({"type": "array", "items": {"type": "string"}})
]
"""A list of paths, relative to the experiment file."""
