"""Keeps a search from configurations that pass a bound on memory: what a run of them would show is known.

At a scale memory is computed for the full size, and what passes a bound there can win nothing. At full size it is
measured, and only what surely passes a limit is left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from lsmtune.errors import UsageError
from lsmtune.full_size import FullSize
from lsmtune.indicators import Guard, Limit
from lsmtune.memory_model import DB_BENCH, MemoryBound, memory_bound
from lsmtune.model import Value, Workload
from lsmtune.space import ComputedLimit, Constraint, Dimension, Space
from lsmtune.units import format_bytes, format_percent, format_ratio

_INDICATOR = "memory_peak_bytes"
_DRAWS = 2000
_FILLS = frozenset({"fillseq", "fillrandom", "filluniquerandom", "load"})
"""Phases that write every key, or as many operations, in one process; fillsync and fill100K write fewer."""
_UNIFORM_READ = "readrandom"
_MOST_OFF = 1.25
"""What a process may need over what is computed of it: predictions are off by up to a fifth (decision 0043)."""
_LEAST_FOUND = 0.39
"""Of the data is in blocks that as many evenly random reads as there are keys come to: a random fill leaves 0.63 of the
keys, and the reads come to 0.63 of these."""


def fit_memory(
    space: Space, bounds: Iterable[Guard | Limit], full_size: FullSize, host_bytes: int | None = None
) -> tuple[Space, tuple[str, ...]]:
    """Return a space without configurations that cannot keep a bound on `memory_peak_bytes`, and sentences on it.

    At a scale the bound is one on computed memory, and what is left in the space keeps it. At full size a
    configuration is left out where a bound from below is above the limit already, or above what a guard allows of all
    that the reference may need; what is not left out may still pass it, which is for a run to show.

    Args:
        space: what is to be searched.
        bounds: guards and limits of the study; those on other indicators are passed over.
        full_size: computes memory, for the workload and the scale of the study.
        host_bytes: memory that a run has of its host at the scale; None where that is not limited.
    """
    own = [each for each in bounds if each.indicator == _INDICATOR]
    if full_size.scale != 1 and full_size.memory(space.reference) is not None:
        space, notes = fit_computed_memory(space, own, full_size)
        most: list[tuple[float, str]] = []
    else:
        notes, most = (), list(_most_measured(own, full_size, space.reference))
    if host_bytes is not None:
        most.append((host_bytes, _of_host(host_bytes)))
    space, further = _fit_measured(space, min(most), full_size) if most else (space, ())
    return space, (*notes, *further)


def _most_measured(
    bounds: Iterable[Guard | Limit], full_size: FullSize, reference: Mapping[str, Value]
) -> Iterator[tuple[float, str]]:
    """Yield what memory a run at full size may have at most to keep each bound, in B, and in words."""
    for bound in bounds:
        if isinstance(bound, Limit):
            if bound.relation == "<=":
                yield bound.value, f"of {format_bytes(bound.value)} on {_INDICATOR}"
            continue
        needs = _memory_bytes(full_size, reference)
        if needs:
            most = bound.at_most_worse * needs * _MOST_OFF
            yield most, f"of {format_bytes(most)}, the most that the guard on {_INDICATOR} can come to"


def fit_computed_memory(
    space: Space, bounds: Iterable[Guard | Limit], full_size: FullSize
) -> tuple[Space, tuple[str, ...]]:
    """Return a space without configurations whose memory at full size, as computed, passes a bound, and sentences.

    Args:
        space: what is to be searched.
        bounds: guards and limits on `memory_peak_bytes`.
        full_size: computes memory.
    """
    amount = partial(_memory_bytes, full_size)
    needs = amount(space.reference)
    known = [bound for bound in (_upper_bound(each, needs) for each in bounds) if bound is not None]
    movers = [axis for axis in space.dimensions if len({amount(values) for values in _at_ends(axis, space)}) > 1]
    if not known or not movers:
        return space, ()
    most, why = min(known)
    largest = {axis.name: max(_at_ends(axis, space), key=amount)[axis.name] for axis in movers}
    if amount({**space.reference, **largest}) <= most:
        return space, ()
    units = {axis.name: axis.unit for axis in space.dimensions}
    names = frozenset(axis.name for axis in movers)
    limit = ComputedLimit("memory at full size", most, "B", amount, names, why, units=units)
    drawn, out = _left_out(space, (limit,))
    share = format_percent(out / drawn) if out else "less than 0.1 %"
    notes = [
        (
            f"{share} of the space is left out ({out:,} of {drawn:,} configurations drawn), where memory at full size, "
            f"as computed, would be above {format_bytes(most)}: {why}"
        )
    ]
    if needs > most:
        notes.append(f"the reference itself needs {format_bytes(needs)} at full size")
    return replace(space, constraints=(*space.constraints, limit)), tuple(notes)


def _memory_bytes(full_size: FullSize, values: Mapping[str, Value]) -> float:
    memory = full_size.memory(values)
    return 0.0 if memory is None else float(memory.total_bytes)


def _upper_bound(bound: Guard | Limit, reference_bytes: float) -> tuple[float, str] | None:
    """Return the most memory that a bound allows, in B, and the bound in words; None where it allows any."""
    if isinstance(bound, Guard):
        allowed = f"the guard on {_INDICATOR} allows {format_ratio(bound.at_most_worse)} the reference's"
        return bound.at_most_worse * reference_bytes, f"{allowed} {format_bytes(reference_bytes)}"
    if bound.relation != "<=":
        return None
    return bound.value, f"the limit on {_INDICATOR} is {format_bytes(bound.value)}"


def _at_ends(axis: Dimension, space: Space) -> list[dict[str, Value]]:
    """Return the reference with each choice of an axis, or with its ends and special values."""
    values = (*axis.choices, *axis.specials, *(end for end in (axis.low, axis.high) if end is not None))
    return [{**space.reference, axis.name: value} for value in values or (space.reference[axis.name],)]


def _fit_measured(space: Space, most: tuple[float, str], full_size: FullSize) -> tuple[Space, tuple[str, ...]]:
    limit, what = most
    units = {axis.name: axis.unit for axis in space.dimensions}
    parsed = _constraints(limit, full_size.workload, full_size.scale, frozenset(space.reference), units)
    parts = [bound.part for bound, constraint in parsed if constraint.names.intersection(space.names)]
    moved = tuple(constraint for _, constraint in parsed if constraint.names.intersection(space.names))
    if not moved:
        return space, ()
    drawn, out = _left_out(space, moved)
    if not out:
        return space, ()
    too_much = " or ".join(parts)
    notes = [
        f"{format_percent(out / drawn)} of the space is left out, where {too_much} alone would pass the limit {what}"
    ]
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


def _left_out(space: Space, constraints: tuple[Constraint | ComputedLimit, ...]) -> tuple[int, int]:
    """Return how many configurations drawn are feasible otherwise, and how many of these break a constraint."""
    rng = np.random.default_rng(0)
    drawn = (space.from_unit(rng.random(len(space))) for _ in range(_DRAWS))
    feasible = [values for values in drawn if not space.violations(values)]
    bounded = replace(space, constraints=constraints)
    return max(len(feasible), 1), sum(bool(bounded.violations(values)) for values in feasible)
