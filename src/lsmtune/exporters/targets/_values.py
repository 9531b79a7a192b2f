"""Values in the units of a target: exact, or rounded by little and named, or not at all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lsmtune.exporters._wording import value_text
from lsmtune.model import Value
from lsmtune.space import Option

_MIB = 1 << 20
_TOLERANCE = 0.1
"""Share by which a rounded value may be off; what is further off is another configuration."""
_SUFFIXES = ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K"))


@dataclass(frozen=True)
class Written:
    """A value as a target takes it.

    Attributes:
        text: what is written; None where the target has no word for the value.
        remark: what was lost, a clause; empty where nothing was.
    """

    text: str | None
    remark: str = ""


def written(option: Option, value: Value, unit: str, booleans: tuple[str, ...]) -> Written:
    """Return the value of an option in a unit of a target.

    Args:
        option: what the value is of.
        value: at full size, in base units.
        unit: ``""`` for base units, or a name of `UNITS`.
        booleans: the target's words for true and false.
    """
    if isinstance(value, bool):
        return Written(booleans[0] if value else booleans[1])
    if isinstance(value, str):
        return Written(value)
    return UNITS[unit](option, value)


def _plain(_: Option, value: int | float) -> Written:
    return Written(str(value))


def _long(_: Option, value: int | float) -> Written:
    """Write a literal of Java that need not fit an int."""
    return Written(f"{value}L" if isinstance(value, int) else str(value))


def _mebibytes(option: Option, value: int | float) -> Written:
    if value <= 0:
        return Written(str(value))
    return _nearest(option, value, value / _MIB, "MiB")


def _whole(option: Option, value: int | float) -> Written:
    return _nearest(option, value, float(value), "numbers")


def _percent(option: Option, value: int | float) -> Written:
    return _nearest(option, value, value * 100, "%")


def _size(letter_suffix: str) -> Callable[[Option, int | float], Written]:
    def write(_: Option, value: int | float) -> Written:
        for size, letter in _SUFFIXES:
            if value > 0 and value % size == 0:
                return Written(f"{int(value) // size}{letter_suffix.format(letter)}")
        return Written(f"{value}B" if value > 0 else str(value))

    return write


def _flink_size(option: Option, value: int | float) -> Written:
    text = _size("{}B")(option, value).text or ""
    return Written(text.lower())


def _nearest(option: Option, value: int | float, exact: float, unit: str) -> Written:
    whole = max(1, round(exact)) if exact > 0 else round(exact)
    if whole == round(exact, 9):  # 0.29 * 100 is not 29
        return Written(str(whole))
    said = value_text(option, value)
    said = f"{said} {option.unit}" if said == str(value) and option.unit else said
    if abs(whole - exact) > _TOLERANCE * abs(exact):
        return Written(None, f"it takes whole {unit} only, and none is near {said}")
    return Written(str(whole), f"rounded: it takes whole {unit} only, and {said} was measured")


UNITS: Mapping[str, Callable[[Option, int | float], Written]] = MappingProxyType(
    {
        "": _plain,
        "long": _long,
        "MiB": _mebibytes,
        "whole": _whole,
        "%": _percent,
        "IEC": _size("{}iB"),
        "flink": _flink_size,
    }
)
"""How a number is written: in base units, as a long of Java, in whole MiB, as a whole number, in whole per cent, with
a prefix (``64MiB``), or as Flink's MemorySize (``64mb``, which is binary there)."""
