"""What a configuration needs at full size, computed: a ratio that was measured at a scale does not carry."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from lsmtune.errors import UsageError
from lsmtune.experiment import recorded_experiment
from lsmtune.full_size import FullSize
from lsmtune.indicators import AT_FULL_SIZE
from lsmtune.model import Configuration, EngineBuild, Value
from lsmtune.result._facts import StudyFacts
from lsmtune.result._rules import Rules
from lsmtune.result._verification import Comparison
from lsmtune.store import StudyDescription


@dataclass(frozen=True)
class FullSizeMemory:
    """Memory at its peak of the reference and of the configuration that is handed over, at full size, computed.

    Attributes:
        reference_bytes, final_bytes: of each, in B, as `lsmtune memory` has it.
        largest: names of the parts that take most of the final one, at most two, the largest first.
    """

    reference_bytes: float
    final_bytes: float
    largest: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """Final over reference."""
        return self.final_bytes / self.reference_bytes


def full_size_memory(
    facts: StudyFacts, description: StudyDescription, build: EngineBuild, final: Mapping[str, Value]
) -> FullSizeMemory | None:
    """Return the memory of reference and final configuration at full size; None where nothing computes it.

    Args:
        facts: of the study.
        description: of the study.
        build: the engine of the final configuration.
        final: the value of every option in it, at full size.
    """
    if facts.reference_values is None:
        return None
    try:
        workload = recorded_experiment(description.experiment).workload()
        file = facts.rules.start.options_file
        computes = FullSize(description.build, workload, Fraction(1), facts.reference_values, options_file=file)
        reference, changed = computes.memory({}), replace(computes, build=build).memory(final)
    except (UsageError, ValueError):  # the study has no workload
        return None
    if reference is None or changed is None or not (reference.total_bytes and changed.total_bytes):
        return None
    parts = sorted(changed.parts, key=lambda part: -(part.total_bytes or 0))
    return FullSizeMemory(reference.total_bytes, changed.total_bytes, tuple(part.name for part in parts[:2]))


@dataclass(frozen=True)
class Span:
    """A figure with a 90 % interval, as far as an extrapolation is known to be off.

    Attributes:
        value: the most likely.
        low, high: ends of the interval; both the value where nothing tells how far it is off.
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, log_half_width: float) -> "Span":
        """Return a figure with an interval of so much in logarithms to both sides."""
        return cls(value, value * math.exp(-log_half_width), value * math.exp(log_half_width))


@dataclass(frozen=True)
class FullSizeSpace:
    """Space of the reference and of the configuration that is handed over, at full size.

    Attributes:
        reference, final: of each, in B: means over the runs that speak for the result, extrapolated.
        ratio: final over reference.
        measured: the ratio at the scale of the runs; None where it is not known.
        factor: how many times larger the data is than that of the runs.
        untold: why space is carried over in proportion, as the end of a sentence; empty where a model tells it.
    """

    reference: Span
    final: Span
    ratio: Span
    measured: float | None
    factor: float
    untold: str


def full_size_space(rules: Rules, comparison: Comparison | None, final: Configuration) -> FullSizeSpace | None:
    """Return space of reference and final configuration at full size; None where runs do not tell it.

    Args:
        rules: of the study.
        comparison: that speaks for the final configuration.
        final: that configuration.
    """
    name, held = AT_FULL_SIZE["space_bytes"], rules.full_size
    if comparison is None or held is None or name not in comparison.levels:
        return None
    reference, value = comparison.levels[name]
    measured = comparison.indicators.get("space_bytes")
    return FullSizeSpace(
        reference=Span.of(reference, held.log_half_width(name, rules.start)),
        final=Span.of(value, held.log_half_width(name, final)),
        ratio=Span.of(value / reference, held.log_half_width(name, final, rules.start)),
        measured=None if measured is None else measured.ratio,
        factor=held.factor,
        untold=held.untold_of(final) or held.untold_of(rules.start),
    )
