"""What a result comes to at full size: sentences beside what was measured at the scale, and JSON values."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from lsmtune.report._values import label, listed, ratio_text
from lsmtune.result import Comparison, FullSizeSpace, TuneResult
from lsmtune.units import format_bytes, format_ratio


def full_size_sentences(result: TuneResult) -> Iterator[str]:
    """Yield memory and space of the configuration at full size beside what was measured at the scale."""
    if not result.changes:
        return
    memory, space = result.full_size, result.full_size_space
    best, scale = result.verdict, result.facts.scale
    if memory is not None:
        final, reference = format_bytes(memory.final_bytes), format_bytes(memory.reference_bytes)
        sentence = f"Memory at full size, computed: {final}, {format_ratio(memory.ratio)} the reference's {reference}"
        if memory.largest:
            sentence += f", most of it {listed(list(memory.largest))}"
        measured = None if best is None else best.indicators.get("memory_peak_bytes")
        if measured is not None and scale is not None and scale != 1:
            sentence += f"; {format_ratio(measured.ratio)} was measured at {scale}, where fixed parts hide the rest"
        yield f"{sentence}."
    if space is not None:
        yield _space_sentence(space, str(scale))


def _space_sentence(space: FullSizeSpace, scale: str) -> str:
    final, reference = format_bytes(space.final.value), format_bytes(space.reference.value)
    measured = "" if space.measured is None else f"; {format_ratio(space.measured)} was measured at {scale}"
    if space.untold:
        return (
            f"Space at full size, not computed but in proportion to {space.factor:g} times the data: {final}, "
            f"{format_ratio(space.ratio.value)} the reference's {reference}{measured} ({space.untold})."
        )
    ends = ratio_text(space.ratio.value, space.ratio.low, space.ratio.high)
    low, high = (ratio_text(end, space.ratio.low, space.ratio.high) for end in (space.ratio.low, space.ratio.high))
    between = f"[{format_bytes(space.final.low)}, {format_bytes(space.final.high)}]"
    return (
        f"Space at full size, extrapolated to {space.factor:g} times the data as a model of the tree grows: {final} "
        f"{between}, {ends} [{low}, {high} at 90 %] the reference's {reference}{measured}."
    )


def bound_label(comparison: Comparison, name: str) -> str:
    """Name an indicator with a bound, and that it is held at full size where it is."""
    return f"{label(name)} at full size" if name in comparison.scaled else label(name)


def full_size_json(result: TuneResult) -> dict[str, Any] | None:
    """Return memory and space at full size for machines; None where neither is told."""
    memory, space = result.full_size, result.full_size_space
    found: dict[str, Any] = {}
    if memory is not None:
        found["memory_bytes"] = {
            "reference": memory.reference_bytes,
            "final": memory.final_bytes,
            "ratio": memory.ratio,
            "largest": list(memory.largest),
        }
    if space is not None:
        found["space_bytes"] = asdict(space)
    return found or None
