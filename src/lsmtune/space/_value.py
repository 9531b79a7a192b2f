"""Values of options: read from what a user wrote, and rounded to what a person can read."""

import math

from lsmtune.errors import OptionError, QuantityError
from lsmtune.model import Value
from lsmtune.space._option import Kind, Option
from lsmtune.units import LARGEST, parse_bytes, parse_count

_SIZE_BITS = 3
_LEAST_SIZE = -1
"""It means "unlimited" or "the engine's choice"; no size option gives what is below it a meaning."""
_TRUTHS = {"true": True, "false": False}


def is_bytes(unit: str) -> bool:
    """Return whether a unit counts bytes: ``"B"`` or ``"B/s"``."""
    return unit in {"B", "B/s"}


def read_value(option: Option, raw: Value) -> Value:
    """Return the value of an option that a user means: ``"64MiB"``, ``4``, ``"true"``, ``"zstd"``.

    Args:
        option: from the catalogue.
        raw: number, text or bool, at full size.

    Returns:
        A bool, int, float or str, by the option's kind, in base units.

    Raises:
        OptionError: the option cannot take it; the message names option, value and what it takes.
    """
    for special in option.special:
        if type(raw) is not bool and str(raw) == str(special):
            return special
    match option.kind:
        case Kind.BOOL:
            return _read_bool(option, raw)
        case Kind.CHOICE:
            if raw not in option.choices:
                raise OptionError(f'option "{option.name}" cannot be "{raw}"; choose from {", ".join(option.choices)}')
            return raw
        case Kind.INT:
            return _read_int(option, raw)
        case Kind.FLOAT:
            return _read_float(option, raw)


def round_size(size_bytes: float, direction: int = 0) -> int:
    """Return a size with three significant bits (4, 5, 6, 7, 8, 10, 12, 14, 16 ... times a power of two).

    Args:
        size_bytes: at least 0.
        direction: 0 the nearest, -1 not more, +1 not less than `size_bytes`.
    """
    if size_bytes < 1:
        return 1 if direction > 0 and size_bytes > 0 else 0
    unit = 2.0 ** max(math.floor(math.log2(size_bytes)) - _SIZE_BITS + 1, 0)
    return int(to_whole(size_bytes / unit, direction) * unit)


def to_whole(number: float, direction: int) -> int:
    """Return the nearest whole number (`direction` 0), the next one below (-1) or above (+1)."""
    if direction == 0:
        return round(number)
    return math.floor(number) if direction < 0 else math.ceil(number)


def _read_bool(option: Option, raw: Value) -> bool:
    if isinstance(raw, bool):
        return raw
    truth = _TRUTHS.get(str(raw).lower())
    if truth is None:
        raise OptionError(f'option "{option.name}" cannot be "{raw}"; write true or false')
    return truth


def _read_int(option: Option, raw: Value) -> int:
    if isinstance(raw, bool):
        raise OptionError(f'option "{option.name}" cannot be {str(raw).lower()}; write a whole number')
    sign, text = (-1, str(raw).strip()[1:]) if str(raw).strip().startswith("-") else (1, str(raw))
    try:
        number = sign * (parse_bytes(text.removesuffix("/s")) if is_bytes(option.unit) else parse_count(text))
    except QuantityError as error:
        raise OptionError(f'option "{option.name}": {error}') from None
    if number < _LEAST_SIZE and is_bytes(option.unit):
        raise OptionError(f'option "{option.name}" cannot be "{raw}", which is below 0; write it like "64MiB"')
    return number


def _read_float(option: Option, raw: Value) -> float:
    try:
        number = math.nan if isinstance(raw, bool) else float(raw)
    except (ValueError, OverflowError):
        number = math.nan
    if not abs(number) <= LARGEST:  # nor is nan
        raise OptionError(f'option "{option.name}" cannot be "{raw}"; write a number, at most {LARGEST:.2g}')
    return number
