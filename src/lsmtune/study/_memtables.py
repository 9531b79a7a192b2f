"""Keeps a search from memtables that the data cannot fill: what such trials gain says nothing of the tree."""

from collections.abc import Collection
from dataclasses import replace

from lsmtune.model import Value, Workload
from lsmtune.space import Constraint, Dimension, Space
from lsmtune.units import format_bytes

_SIZE, _NUMBER, _TOTAL = "write_buffer_size", "max_write_buffer_number", "db_write_buffer_size"
_LEVELDB_MEMTABLES = 2  # one is flushed while the next fills


def written_bytes(workload: Workload) -> int | None:
    """Return what a phase of a workload writes at most, at full size; None where only its time bounds it."""
    if not workload.load:
        return workload.data_bytes
    if workload.duration_s is not None or workload.max_rate is not None:
        return None
    return max(workload.num, workload.operations or 0) * workload.pair_bytes


def fit_memtables(
    space: Space, data_bytes: int, own: Collection[str], families: int = 1
) -> tuple[Space, tuple[str, ...]]:
    """Return a space whose memtables, all together, are smaller than the data; and what was changed, in sentences.

    A space whose reference already has memtables for all of the data stays as it is, as there is nothing else to
    compare with.

    Args:
        space: what is to be searched.
        data_bytes: that the workload writes, at full size.
        own: options whose ranges are the user's own; these stay, and only the memtables together are bounded.
        families: column families that have memtables each, and the data in equal parts.
    """
    sizes, numbers = _ends(space, _SIZE), _ends(space, _NUMBER)
    if sizes is None or not {_SIZE, _NUMBER, _TOTAL}.intersection(space.names):
        return space, ()
    least_size, most_size, reference = sizes
    least, most, own_number = numbers or (_LEVELDB_MEMTABLES,) * 3
    part_bytes = -(-data_bytes // families)
    if reference * own_number >= part_bytes:
        return space, ()
    below = part_bytes - 1
    limits = {_SIZE: below // least, _NUMBER: below // least_size, _TOTAL: data_bytes - 1}
    axes = tuple(axis if axis.name in own else _cut(axis, limits.get(axis.name)) for axis in space.dimensions)
    data = f"the data ({format_bytes(data_bytes)}{f' in {families} column families' if families > 1 else ''})"
    notes = [
        f"{axis.name} is searched up to {_shown(axis)} instead of {_shown(before)}, as {data} does not fill more"
        for axis, before in zip(axes, space.dimensions, strict=True)
        if axis != before
    ]
    fitted = replace(space, dimensions=axes)
    _, most_size, _ = _ends(fitted, _SIZE) or sizes
    _, most, _ = _ends(fitted, _NUMBER) or (least, most, own_number)
    if least_size * least < part_bytes <= most_size * most:
        fitted = replace(fitted, constraints=(*fitted.constraints, _bound(part_bytes, counted=numbers is not None)))
        notes.append(f"all memtables of a trial together stay below {data}")
    return fitted, tuple(notes)


def _ends(space: Space, name: str) -> tuple[int, int, int] | None:
    """Return the least and the most that an option may be, and its reference; None where the engine has none."""
    value = space.reference.get(name)
    if not isinstance(value, int):
        return None
    axis = space.by_name.get(name)
    if axis is None:
        return value, value, value
    listed = [choice for choice in (*axis.choices, axis.low, axis.high) if isinstance(choice, int | float)]
    return int(min(listed)), int(max(listed)), value


def _cut(axis: Dimension, limit: int | None) -> Dimension:
    """Return an axis up to a limit; as it is where it ends before, or begins only beyond."""
    if limit is None or axis.low is None or axis.high is None or axis.high <= limit:
        return axis
    high: Value = axis.at_most(limit)
    return replace(axis, high=high) if isinstance(high, int) and high > axis.low else axis


def _bound(part_bytes: int, *, counted: bool) -> Constraint:
    number = _NUMBER if counted else str(_LEVELDB_MEMTABLES)
    return Constraint.parse(
        f"{_SIZE} * {number} < {part_bytes}", "else the memtables hold all of the data", units={_SIZE: "B"}
    )


def _shown(axis: Dimension) -> str:
    return format_bytes(axis.high or 0) if axis.unit == "B" else f"{axis.high:g}"
