"""Keeps a search from configurations that surely pass a limit on memory: what a run of them would show is known."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from lsmtune.errors import UsageError
from lsmtune.indicators import Limit
from lsmtune.memory_model import DB_BENCH, MemoryBound, memory_bound
from lsmtune.model import Value, Workload
from lsmtune.space import Constraint, Space
from lsmtune.units import format_bytes, format_percent

_INDICATOR = "memory_peak_bytes"
_DRAWS = 2000
_FILLS = frozenset({"fillseq", "fillrandom", "filluniquerandom", "load"})
"""Phases that write every key, or as many operations, in one process; fillsync and fill100K write fewer."""
_UNIFORM_READ = "readrandom"
_LEAST_FOUND = 0.39
"""Of the data is in blocks that as many evenly random reads as there are keys come to: a random fill leaves 0.63 of the
keys, and the reads come to 0.63 of these."""


def fit_memory(
    space: Space, limits: tuple[Limit, ...], workload: Workload, scale: Fraction, host_bytes: int | None = None
) -> tuple[Space, tuple[str, ...]]:
    """Return a space without configurations that cannot keep a limit on their memory, and a sentence on it.

    A configuration is left out where a bound from below is above the limit already. What is not left out may still
    pass the limit: that is for a run to show.

    Args:
        space: what is to be searched.
        limits: of the study; those on other indicators are passed over.
        workload: what runs, at full size.
        scale: the factor that sizes and data are multiplied with in the runs.
        host_bytes: memory that a run has of its host at the scale; None where that is not limited.
    """
    own = [each.value for each in limits if each.indicator == _INDICATOR and each.relation == "<="]
    limit = min((*own, *(() if host_bytes is None else (host_bytes,))), default=None)
    if limit is None:
        return space, ()
    what = f"of {format_bytes(limit)} on {_INDICATOR}" if limit in own else _of_host(limit)
    units = {axis.name: axis.unit for axis in space.dimensions}
    parsed = _constraints(limit, workload, scale, frozenset(space.reference), units)
    parts = [bound.part for bound, constraint in parsed if constraint.names.intersection(space.names)]
    moved = tuple(constraint for _, constraint in parsed if constraint.names.intersection(space.names))
    if not moved:
        return space, ()
    share = _share_left_out(space, moved)
    if share == 0:
        return space, ()
    too_much = " or ".join(parts)
    notes = [(f"{format_percent(share)} of the space is left out, where {too_much} alone would pass the limit {what}")]
    fitted = replace(space, constraints=(*space.constraints, *moved))
    if any(constraint.violation(space.reference) for constraint in moved):
        notes.append(f"the reference itself surely needs more than {format_bytes(limit)}")
    return fitted, tuple(notes)


def check_memory(reference: Mapping[str, Value], workload: Workload, scale: Fraction, host_bytes: int | None) -> None:
    """Check that the reference may fit the memory that a run has of its host; without it nothing can be compared.

    Args:
        reference: the value of every option, at full size.
        workload: what runs, at full size.
        scale: the factor that sizes and data are multiplied with in the runs.
        host_bytes: memory that a run has of its host at the scale; None where that is not limited.

    Raises:
        UsageError: it surely does not.
    """
    if host_bytes is None:
        return
    for bound, constraint in _constraints(host_bytes, workload, scale, frozenset(reference), {}):
        if constraint.violation(reference):
            raise UsageError(
                f"[host] memory: the reference does not fit, as {bound.part} alone passes the limit "
                f"{_of_host(host_bytes)}; write the memory of the host of production, or another reference"
            )


def _of_host(host_bytes: float) -> str:
    return f"of host.memory, {format_bytes(host_bytes)} at this scale"


def _constraints(
    limit: float, workload: Workload, scale: Fraction, options: frozenset[str], units: Mapping[str, str]
) -> list[tuple[MemoryBound, Constraint]]:
    """Return what a configuration has to keep in order to fit a limit, in both forms."""
    bounds = memory_bound(
        limit,
        DB_BENCH.bytes,
        scale,
        options,
        written_bytes=_written_bytes(workload),
        read_bytes=_read_bytes(workload),
    )
    why = "else {} alone takes more memory than allowed"
    return [(bound, Constraint.parse(bound.relation, why.format(bound.part), units=units)) for bound in bounds]


def _written_bytes(workload: Workload) -> int:
    """Return what one process writes at least, at full size; 0 where it is not known, or nothing is filled."""
    if _FILLS.isdisjoint(workload.benchmarks) or not _is_plain(workload):
        return 0
    return min(workload.num, workload.operations or workload.num) * workload.pair_bytes


def _read_bytes(workload: Workload) -> int:
    """Return how much data evenly random reads of one process come to at least, at full size; 0 where not known."""
    reads = workload.num if workload.operations is None else workload.operations
    if _UNIFORM_READ not in workload.benchmarks or not _is_plain(workload) or reads < workload.num:
        return 0
    return round(workload.data_bytes * _LEAST_FOUND)


def _is_plain(workload: Workload) -> bool:
    """Return whether operations end a run, and nothing else says what sizes values have or which keys are read."""
    return workload.duration_s is None and workload.max_rate is None and not workload.flags and not workload.phases


def _share_left_out(space: Space, constraints: tuple[Constraint, ...]) -> float:
    """Return the share of the configurations that are feasible otherwise and break one of the constraints."""
    rng = np.random.default_rng(0)
    drawn = (space.from_unit(rng.random(len(space))) for _ in range(_DRAWS))
    feasible = [values for values in drawn if not space.violations(values)]
    if not feasible:
        return 0.0
    bounded = replace(space, constraints=constraints)
    return sum(bool(bounded.violations(values)) for values in feasible) / len(feasible)
