"""What a configuration needs in any case: a bound from below that a limit on memory can be held against before a run.

Only what surely becomes resident is counted, each part by itself and with room for error, so that a fault of the model
never hides a configuration that fits. What is left may still need more than the limit: a run shows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

_LEAST_FILLED = 0.75
"""Of write_buffer_size when a memtable is closed: its last arena block may have room."""
_LEAST_CACHED = 0.9
"""Of the capacity of a full block cache: one of its shards may have room."""
_LEAST_PROCESS = 0.25
"""Of the measured fixed part of a process: another build may need less."""
_MEMTABLE, _MERGED, _NUMBER = "write_buffer_size", "min_write_buffer_number_to_merge", "max_write_buffer_number"
_FLUSHED_BEFORE = ("db_write_buffer_size", "max_total_wal_size")
"""Options that have memtables flushed before they are full."""
_CACHE = "cache_size"
_BLOBS = "enable_blob_files"  # values in blob files never enter the block cache


@dataclass(frozen=True)
class MemoryBound:
    """A relation that holds for every configuration that may fit.

    Attributes:
        relation: over options at full size, in the language of constraints.
        part: what passes the limit by itself where it does not hold, for example ``"one full memtable"``.
    """

    relation: str
    part: str


def memory_bound(
    limit_bytes: float,
    process_bytes: int,
    scale: Fraction,
    options: frozenset[str],
    *,
    written_bytes: int = 0,
    read_bytes: int = 0,
) -> Iterator[MemoryBound]:
    """Yield the relations without which a run surely needs more memory than a limit.

    Args:
        limit_bytes: that a process of the run may have resident, in B, at the scale of the run.
        process_bytes: its measured fixed part, in B, which does not shrink with the scale.
        scale: the factor that sizes are multiplied with in the run.
        options: names of the options that have a value.
        written_bytes: user bytes that one process writes at least, in B, at full size; 0: not known.
        read_bytes: user bytes of different blocks that one process reads at least, in B, at full size; 0: not known.
    """
    room = max(0.0, limit_bytes - _LEAST_PROCESS * process_bytes) / float(scale)
    if written_bytes > room and _MEMTABLE in options:
        size = round(room / _LEAST_FILLED)
        early = "".join(f" or ({name} > 0 and {name} <= {2 * size})" for name in _FLUSHED_BEFORE if name in options)
        yield MemoryBound(f"{_MEMTABLE} <= {size}{early}", "one full memtable")
        if {_MERGED, _NUMBER} <= options:
            held = f"{_MEMTABLE} * {_MERGED} <= {size} or {_MERGED} >= {_NUMBER}"
            yield MemoryBound(f"{held}{early}", "the memtables of one flush")
    if read_bytes > room and _CACHE in options:
        apart = f" or {_BLOBS}" if _BLOBS in options else ""
        relation = f"{_CACHE} <= {round(room / _LEAST_CACHED)}{apart}"
        yield MemoryBound(relation, "the full block cache")
