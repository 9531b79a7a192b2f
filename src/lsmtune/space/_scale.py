"""One factor by which the data and every size option of the tree shrink together."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeGuard

from lsmtune.model import Value
from lsmtune.space._option import Option


def scaled_value(option: Option, value: Value, scale: Fraction) -> Value:
    """Return the value that the engine gets when the tree shrinks by `scale`.

    Args:
        option: from the catalogue.
        value: at full size, in base units.
        scale: above 0 and at most 1.

    Returns:
        For a scaled int above 0 the rounded product, at least the option's floor and at least 1; every other value and
        the option's special values as they are, as 0 and what is below it mean "off", "unlimited" or "the engine's
        choice". At scale 1 nothing is raised to a floor: what the engine makes of a value that is too small is read
        back from it.
    """
    if scale == 1 or not _is_scaled(value, option):
        return value
    least = 1 if option.floor is None else option.floor
    return max(round(value * scale), least)


def unscaled_value(option: Option, value: Value, scale: Fraction) -> Value:
    """Return the value at full size that the engine's value stands for: the inverse of `scaled_value`.

    A value that the floor raised does not come back as it was asked for: what comes back is the size that the
    engine's value has in proportion to the data.

    Args:
        option: from the catalogue.
        value: as the engine has it, in base units.
        scale: above 0 and at most 1.
    """
    if not _is_scaled(value, option):
        return value
    return round(value / scale)


def scale_values(
    options: Mapping[str, Option], values: Mapping[str, Value], scale: Fraction
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Return all values scaled, and the names of those that their floor held up.

    Args:
        options: the catalogue's options by name; values of other names stay as they are.
        values: at full size, in base units.
        scale: above 0 and at most 1.
    """
    scaled: dict[str, Value] = {}
    held: list[str] = []
    for name, value in values.items():
        option = options.get(name)
        if option is None:
            scaled[name] = value
            continue
        scaled[name] = scaled_value(option, value, scale)
        if _is_scaled(value, option) and option.floor is not None and round(value * scale) < option.floor:
            held.append(name)
    return scaled, tuple(held)


def _is_scaled(value: Value, option: Option) -> TypeGuard[int]:
    if isinstance(value, bool) or not isinstance(value, int) or not option.scaled:
        return False
    return value > 0 and value not in option.special
