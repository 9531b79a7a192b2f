"""What the allocator keeps beyond what is in use."""

from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import MemoryPart
from lsmtune.units import format_bytes

_ARENA_BYTES = 13 << 19
"""6.5 MiB that each further arena of glibc keeps: what its thread allocated while it had a core for itself, and others
free block by block. Measured with readrandom at caches of 33 to 110 MB: in the middle 6.9 MiB with 2 threads, 22 with 4
and 41 with 8, whatever the cache. It is chance: single runs lay between 1 and 25 MiB with 2, between 4 and 56 with 4.
With MALLOC_ARENA_MAX=1 there was none."""


def malloc_part(churn_bytes: int, load: Load) -> MemoryPart:
    """Return what the arenas of malloc hold back.

    Args:
        churn_bytes: what is allocated by one thread and freed by another all the time, in B; no more is held back.
        load: has the threads of the process.
    """
    further = load.arenas - 1
    formula = f"{further} arenas beside the first x {format_bytes(_ARENA_BYTES)}"
    source = "measured (docs/explanation/memory.md); facebook/rocksdb issue 5222 has a larger case"
    return MemoryPart("held back by malloc", min(further * _ARENA_BYTES, churn_bytes), formula, source)
