"""The texts of a guard: ``"1.10x"``, ``"10%"``, ``"<= 5ms"``."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Literal

from lsmtune.errors import QuantityError, UsageError
from lsmtune.indicators import Guard, Limit, indicator
from lsmtune.units import parse_bytes, parse_seconds

_RATIO = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(x|%)")
_LIMIT = re.compile(r"(<=|>=)\s*(.+)")
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kMG]?)")
_FACTORS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def read_guard(name: str, text: str) -> Guard | Limit:
    """Return what `text` allows for the indicator `name` (or ``name@phase``).

    ``"1.10x"`` and ``"10%"`` both let it get worse than the reference's by a factor of 1.1; ``"<= 5ms"`` is
    an absolute bound in a unit of the indicator.

    Raises:
        UsageError: the indicator is unknown or is a fact, or the text is none of these.
    """
    unit = indicator(name).unit
    if ratio := _RATIO.fullmatch(text.strip()):
        number = float(ratio[1])
        return Guard(name, number if ratio[2] == "x" else 1.0 + number / 100.0)
    if limit := _LIMIT.fullmatch(text.strip()):
        relation: Literal["<=", ">="] = "<=" if limit[1] == "<=" else ">="
        try:
            return Limit(name, relation, _READERS[unit](limit[2].strip()))
        except QuantityError as error:
            raise UsageError(f"the limit {error}") from None
    raise UsageError(f'"{text}" is not a guard; write "1.10x", "10%" or a limit like "{_EXAMPLES[unit]}"')


def _number(text: str) -> float:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise QuantityError(f'"{text}" is not a number; write it like 1.5 or 100k')
    return float(match[1]) * _FACTORS[match[2]]


def _any_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise QuantityError(f'"{text}" is not a number; write it like 1.5 or -2e3')
    return value


def _operations_rate(text: str) -> float:
    return _number(text.removesuffix("ops/s").rstrip())


def _byte_rate(text: str) -> float:
    return float(parse_bytes(text.removesuffix("/s").rstrip()))


_READERS: Mapping[str, Callable[[str], float]] = {
    "s": parse_seconds,
    "B": parse_bytes,
    "B/s": _byte_rate,
    "ops/s": _operations_rate,
    "ratio": _number,
    "count": _number,
    "number": _any_number,
}
_EXAMPLES = {
    "s": "<= 5ms",
    "B": "<= 4GiB",
    "B/s": "<= 100MiB/s",
    "ops/s": ">= 100k",
    "ratio": "<= 1.5",
    "count": "<= 1000",
    "number": ">= -0.5",
}
