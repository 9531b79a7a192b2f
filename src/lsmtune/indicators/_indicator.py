"""What an indicator is: a declared metric."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lsmtune.errors import UsageError

Better: TypeAlias = Literal["higher", "lower"]

_ENDINGS = {"ops/s": "_ops_s", "B/s": "_bytes_s", "B": "_bytes", "s": "_s"}
"""Ending of a name by unit, longer endings first; names of ratios and counts have none of them."""
_UNITS = (*_ENDINGS, "ratio", "count", "number")


@dataclass(frozen=True)
class Indicator:
    """A metric, declared once: values are floats in the base unit, or None where they could not be known.

    Attributes:
        name: ends in its base unit: ``throughput_ops_s``, ``latency_p99_s``, ``space_bytes``; ratios and counts
            have no ending.
        unit: ``"ops/s"``, ``"B/s"``, ``"s"``, ``"B"``, ``"ratio"``, ``"count"``, or ``"number"`` where only the user
            knows it.
        better: which way is better; None for facts that are shown but not judged.
        summary: what it says, in a sentence.
        formula: how it is computed.
        source: where the numbers are read.
        includes, leaves_out: what counts and what does not.
        steady: others who use the host cannot change it, as it follows from what was written and how, not from when;
            it is kept from runs that were disturbed.
        rounded_to: the tool tells it in steps of so much, in its unit; 0 where nothing is rounded, and of counts.

    Raises:
        UsageError: the unit is unknown, the name does not end in it, or a text is empty.
    """

    name: str
    unit: str
    better: Better | None
    summary: str
    formula: str
    source: str
    includes: str
    leaves_out: str
    steady: bool = False
    rounded_to: float = 0.0

    @property
    def step(self) -> float:
        """The step in which it is told, in its unit: 1 of a count; 0 where values are as fine as floats."""
        return self.rounded_to or float(self.unit == "count")

    def __post_init__(self) -> None:
        if self.unit not in _UNITS:
            raise UsageError(f'indicator "{self.name}" has the unit "{self.unit}"; use one of {", ".join(_UNITS)}')
        ending = next((unit for unit, text in _ENDINGS.items() if self.name.endswith(text)), None)
        if ending != (self.unit if self.unit in _ENDINGS else None):
            expected = _ENDINGS.get(self.unit, "no unit")
            raise UsageError(f'the name of indicator "{self.name}" must end in {expected}, its unit is {self.unit}')
        for field in ("summary", "formula", "source", "includes", "leaves_out"):
            if not getattr(self, field).strip():
                raise UsageError(f'indicator "{self.name}" has no {field}; write a sentence')
