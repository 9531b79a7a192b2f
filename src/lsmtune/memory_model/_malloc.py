"""What the allocator keeps beyond what is in use."""

from math import log2

from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import MemoryPart
from lsmtune.units import format_bytes

_SHARE = 0.2
"""Of what is allocated and freed all the time, for each doubling of the arenas. Measured with readrandom at caches of
33 and 67 MB: 0 with 1 thread, 0.10 to 0.21 with 2, 0.27 to 0.54 with 4, 0.65 to 0.80 with 8. With MALLOC_ARENA_MAX=1
four threads had none of it, so it is what arenas hold for each other's blocks."""


def malloc_part(churn_bytes: int, load: Load) -> MemoryPart:
    """Return what the arenas of malloc hold back.

    Args:
        churn_bytes: what is allocated by one thread and freed by another all the time, in B.
        load: of the store.
    """
    share = _SHARE * log2(load.arenas)
    turned = f"{format_bytes(churn_bytes)} that is freed and allocated all the time"
    formula = f"{_SHARE:g} x log2({load.arenas} arenas) x {turned}"
    source = "measured (docs/memory.md); facebook/rocksdb issue 5222 has a larger case"
    return MemoryPart("held back by malloc", round(share * churn_bytes), formula, source)
