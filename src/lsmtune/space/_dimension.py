"""One axis of a search space: an option, the values it may take, and its place on the unit interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lsmtune.errors import OptionError
from lsmtune.model import Value
from lsmtune.space._option import Kind, Option
from lsmtune.space._value import is_bytes, read_value, round_size, to_whole

_SPECIAL_SHARE = 0.1
"""Share of the unit interval that one special value gets."""
_SPECIAL_SHARE_MAX = 0.3
_FLOAT_DIGITS = 3


@dataclass(frozen=True)
class Override:
    """What a user wants otherwise than the catalogue: None and empty leave it as it is.

    Attributes:
        low, high: ends of the range, as number or text (``"64MiB"``); special values outside of it are dropped.
        log: search on a logarithmic axis.
        step: distance between values, counted from `low`.
        choices: the values to try of a CHOICE.
        values: the values to try of any other option.
    """

    low: Value | None = None
    high: Value | None = None
    log: bool | None = None
    step: Value | None = None
    choices: Sequence[Value] = ()
    values: Sequence[Value] = ()


@dataclass(frozen=True)
class Dimension:
    """One axis of a search space.

    The unit interval holds first the special values, each with a share of 0.1 (0.3 together at most), then the choices
    in equal shares or the range from `low` to `high`.

    Attributes:
        name: name of the option.
        kind: type of its values.
        default: value at the starting point; it may lie outside of the range.
        unit: ``"B"``, ``"B/s"``, ``"files"``, ... or ``""``.
        low, high: ends of the range, both included; None where `choices` are given.
        log: the range is logarithmic.
        step: distance between values, counted from `low`; None: sizes have three significant bits
            (4, 5, 6, 7, 8, 10, 12 ... MiB), ints are whole, floats have three digits.
        choices: the values, in order, of a bool, a CHOICE, or an explicit list of numbers.
        specials: values with a meaning of their own, outside of the order of the range.

    Raises:
        OptionError: the range is empty or cannot be logarithmic, or there is nothing to choose.
    """

    name: str
    kind: Kind
    default: Value
    unit: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False
    step: float | None = None
    choices: tuple[Value, ...] = ()
    specials: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if self.choices:
            if self.low is not None or self.high is not None:
                raise OptionError(f'option "{self.name}" has a range and a list of values; give one of them')
            if len(set(self.choices)) < len(self.choices):
                raise OptionError(f'option "{self.name}" lists a value twice in {list(self.choices)}; list it once')
            return
        if self.kind in {Kind.BOOL, Kind.CHOICE}:
            raise OptionError(f'option "{self.name}" has no values to choose from; list at least one')
        if self.low is None or self.high is None:
            raise OptionError(f'option "{self.name}" has no range to search; give low and high, or a list of values')
        if not self.low < self.high:
            raise OptionError(
                f'option "{self.name}" has low {self.low} and high {self.high}; low has to be less than high'
            )
        if self.log and self.low <= 0:
            raise OptionError(
                f'option "{self.name}" has low {self.low} on a logarithmic axis; raise low above 0 or set log = false'
            )
        if self.step is not None and not 0 < self.step <= self.high - self.low:
            raise OptionError(
                f'option "{self.name}" has step {self.step} in [{self.low}, {self.high}]; '
                "the step has to be above 0 and fit into the range"
            )

    @classmethod
    def of(cls, option: Option, default: Value, override: Override | None = None) -> "Dimension":
        """Return the axis of an option: the catalogue's range, or what `override` says.

        Args:
            option: from the catalogue.
            default: its value at the starting point.
            override: the user's wishes.

        Raises:
            OptionError: the override does not fit the option, or see the class.
        """
        wish = override or Override()
        listed = _listed(option, wish)
        if listed:
            return cls(option.name, option.kind, default, option.unit, choices=listed)
        if option.kind is Kind.BOOL:
            return cls(option.name, option.kind, default, choices=(False, True))
        if option.kind is Kind.CHOICE:
            return cls(option.name, option.kind, default, choices=option.usual_choices)
        low = option.low if wish.low is None else _number(option, wish.low)
        high = option.high if wish.high is None else _number(option, wish.high)
        log = option.log if wish.log is None else wish.log
        step = None if wish.step is None else _number(option, wish.step)
        specials = tuple(option.special)
        if wish.low is not None or wish.high is not None:
            specials = tuple(value for value in specials if _inside(value, low, high))
        return cls(option.name, option.kind, default, option.unit, low, high, log, step, (), specials)

    def from_unit(self, place: float) -> Value:
        """Return the value at a place of the unit interval; places outside count as its ends.

        Raises:
            OptionError: the place is not a number.
        """
        if math.isnan(place):
            raise OptionError(f'option "{self.name}" got nan as a place on its axis; give a number from 0 to 1')
        place = min(max(float(place), 0.0), 1.0)
        share = self.special_share
        if place < share:
            return self.specials[_bin(place / share, len(self.specials))]
        rest = (place - share) / (1.0 - share)
        if self.choices:
            return self.choices[_bin(rest, len(self.choices))]
        low, high = self._ends
        return self._snap(math.exp(low + rest * (high - low)) if self.log else low + rest * (high - low))

    def to_unit(self, value: Value) -> float:
        """Return the place of a value; of a number outside of the range, the nearer end.

        `from_unit` gives the value back if it is one that `from_unit` can give.

        Raises:
            OptionError: the value is not one of the choices, or not a number.
        """
        share = self.special_share
        if value in self.specials:
            return share * (self.specials.index(value) + 0.5) / len(self.specials)
        if self.choices:
            return share + (1.0 - share) * (self._choice_index(value) + 0.5) / len(self.choices)
        if isinstance(value, str):
            raise OptionError(f'option "{self.name}" cannot be "{value}"; give a number')
        low, high = self._ends
        inside = min(max(float(value), self._low), self._high)
        rest = ((math.log(inside) if self.log else inside) - low) / (high - low)
        return share + (1.0 - share) * rest

    def holds(self, value: Value) -> bool:
        """Return whether the value has a place of its own: it is listed, special, or inside the range."""
        if value in self.specials or value in self.choices:
            return True
        return not self.choices and not isinstance(value, str) and self._low <= value <= self._high

    @property
    def extremes(self) -> tuple[Value, Value]:
        """The two values that stand for low and high in a screening: the ends of the range, or of the list."""
        if self.choices:
            return self.choices[0], self.choices[-1]
        return self._snap(self._low), self._snap(self._high)

    def is_ordered(self, value: Value) -> bool:
        """Return whether the value is a number on a range, so that values between it and another exist."""
        return not self.choices and value not in self.specials and not isinstance(value, str)

    def between(self, value: Value, target: Value, share: float) -> Value:
        """Return the value `share` of the way from `target` to `value` on the axis; both have to be ordered."""
        start, end = self.to_unit(target), self.to_unit(value)
        place = start + share * (end - start)
        return self.from_unit(max(place, self.special_share))

    def at_most(self, limit: float) -> Value:
        """Return the largest value of the range that is at most `limit`, or its low end."""
        return self._towards(limit, -1)

    def at_least(self, limit: float) -> Value:
        """Return the smallest value of the range that is at least `limit`, or its high end."""
        return self._towards(limit, +1)

    @property
    def _low(self) -> float:
        assert self.low is not None
        return self.low

    @property
    def _high(self) -> float:
        assert self.high is not None
        return self.high

    @property
    def special_share(self) -> float:
        """The part of the unit interval, from 0 on, that the special values have."""
        return min(_SPECIAL_SHARE * len(self.specials), _SPECIAL_SHARE_MAX)

    @property
    def _ends(self) -> tuple[float, float]:
        # Counts get half a unit more on both sides, so that the first and the last are as likely as the others.
        margin = 0.5 if self.kind is Kind.INT and not is_bytes(self.unit) and self.step is None else 0.0
        low, high = self._low - margin, self._high + margin
        return (math.log(low), math.log(high)) if self.log else (low, high)

    def _snap(self, number: float, direction: int = 0) -> Value:
        """Return the value of the grid next to a number: nearest (0), not above (-1) or not below it (+1)."""
        if self.step is not None:
            last = math.floor((self._high - self._low) / self.step + 1e-9)
            count = to_whole((number - self._low) / self.step - direction * 1e-9, direction)
            number = self._low + self.step * min(max(count, 0), last)
        elif self.kind is Kind.INT:
            number = round_size(number, direction) if is_bytes(self.unit) else to_whole(number, direction)
        else:
            number = _round_digits(number, direction)
        number = min(max(number, self._low), self._high)
        return round(number) if self.kind is Kind.INT else float(number)

    def _towards(self, limit: float, direction: int) -> Value:
        return self._snap(min(max(limit, self._low), self._high), direction)

    def _choice_index(self, value: Value) -> int:
        if value not in self.choices:
            raise OptionError(f'option "{self.name}" cannot be "{value}" here; its values are {list(self.choices)}')
        return self.choices.index(value)


def _bin(share: float, bins: int) -> int:
    return min(int(share * bins), bins - 1)


def _round_digits(number: float, direction: int) -> float:
    """Return a number with three significant digits."""
    if number == 0:
        return 0.0
    decimals = _FLOAT_DIGITS - 1 - math.floor(math.log10(abs(number)))
    rounded = round(number, decimals)
    if direction and (rounded - number) * direction < 0:
        rounded = round(rounded + direction * 10.0**-decimals, decimals)
    return rounded


def _inside(value: Value, low: float | None, high: float | None) -> bool:
    if isinstance(value, str):
        return False
    return (low is None or low <= value) and (high is None or value <= high)


def _number(option: Option, raw: Value) -> float:
    value = read_value(option, raw)
    if isinstance(value, str | bool):
        raise OptionError(f'option "{option.name}" is a {option.kind} and has no range; list its values instead')
    return value


def _listed(option: Option, wish: Override) -> tuple[Value, ...]:
    """Return the values that the user listed, read and in the user's order."""
    if option.kind is Kind.CHOICE and wish.values:
        raise OptionError(f'option "{option.name}" is a choice; list what to try under "choices"')
    if option.kind is not Kind.CHOICE and wish.choices:
        raise OptionError(f'option "{option.name}" is no choice; list what to try under "values"')
    listed = tuple(read_value(option, raw) for raw in (*wish.choices, *wish.values))
    ranged = {"low": wish.low, "high": wish.high, "log": wish.log, "step": wish.step}
    given = [key for key, value in ranged.items() if value is not None]
    if given and (listed or option.kind in {Kind.BOOL, Kind.CHOICE}):
        raise OptionError(f'option "{option.name}" takes a list of values, so "{given[0]}" has no meaning; remove it')
    return listed
