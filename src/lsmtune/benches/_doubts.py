"""What makes a single measurement doubtful, whatever the tool: each is a sentence, empty where there is no doubt.

A tool's own ``_lint`` says when to ask, with what it knows; the limits and the words are here.
"""

from collections.abc import Mapping

from lsmtune.model import Configuration, Value
from lsmtune.units import format_bytes, format_percent, format_seconds

_LEAST_MEASURED_S = 3.0
_LEAST_FLUSHES = 50
_LEAST_LEVELS = 3
_LEAST_FOUND = 0.5


def number_of(
    name: str, effective: Mapping[str, Value], configuration: Configuration, defaults: Mapping[str, Value]
) -> float:
    """Return the numeric value of an option: effective, else as asked, else the default; 0 if there is none."""
    value = effective.get(name, configuration.values.get(name, defaults.get(name)))
    return float(value) if isinstance(value, int | float) else 0.0


def too_short(step: str, seconds: float | None) -> str:
    """Return a sentence where the measured step ran too short a time; None for one whose time is not known."""
    if seconds is None or seconds >= _LEAST_MEASURED_S:
        return ""
    return f"too short: {step} ran {format_seconds(seconds)}, less than {_LEAST_MEASURED_S:g} s"


def debt_left(reads: str, level0_files: float | None) -> str:
    """Return the sentence for a run that did not settle; `reads` is what is read too early."""
    seen = "" if level0_files is None else f", {level0_files:.0f} files were left in level 0"
    return f'debt is left: settle = "none" reads {reads} before compactions are done{seen}'


def small_tree(flushes: float | None, levels: float | None) -> str:
    """Return a sentence where a fill made too small a tree for compaction to matter."""
    if flushes is None or levels is None or (flushes >= _LEAST_FLUSHES and levels >= _LEAST_LEVELS):
        return ""
    return (
        f"small tree: {flushes:.0f} flushes and {levels:.0f} populated levels; "
        f"below {_LEAST_FLUSHES} and {_LEAST_LEVELS} little is compacted"
    )


def in_memtables(data_bytes: float, memory_bytes: float) -> str:
    """Return a sentence where the data never needs to leave the memtables."""
    if memory_bytes < data_bytes:
        return ""
    return (
        f"the data ({format_bytes(data_bytes)}) fits the memtables ({format_bytes(memory_bytes)}); more keys are needed"
    )


def in_cache(data_bytes: float, cache_bytes: float) -> str:
    """Return a sentence where the data fits the block cache."""
    if cache_bytes < data_bytes:
        return ""
    sizes = format_bytes(data_bytes), format_bytes(cache_bytes)
    return f"the data ({sizes[0]}) fits the block cache ({sizes[1]}); reads are not tested"


def few_found(ratio: float | None) -> str:
    """Return a sentence where most reads missed their key."""
    if ratio is None or ratio >= _LEAST_FOUND:
        return ""
    return f"only {format_percent(ratio)} of the reads found their key; the load does not fit the reads"
