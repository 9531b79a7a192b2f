"""The tree of LevelDB, whose limits are compiled in.

Source: ``db/dbformat.h`` (kL0_CompactionTrigger) and ``MaxBytesForLevel`` in ``db/version_set.cc`` of 1.22 and 1.23.
"""

from collections.abc import Sequence
from dataclasses import dataclass

_LEVEL0_FILES = 4
_LEVEL1_BYTES = 10 << 20
_GROWTH = 10


@dataclass(frozen=True)
class Level:
    """The files of a level, and their bytes together."""

    files: int
    size_bytes: int


def pending_bytes(levels: Sequence[Level]) -> int:
    """Return the bytes that wait for a compaction: all of a level 0 with 4 files or more, and what other levels hold
    above their limit, which is 10 MiB for level 1 and grows tenfold. The last level has none.

    Args:
        levels: all seven, from level 0.
    """
    pending, limit = 0, _LEVEL1_BYTES
    if levels and levels[0].files >= _LEVEL0_FILES:
        pending += levels[0].size_bytes
    for level in levels[1:-1]:
        pending += max(0, level.size_bytes - limit)
        limit *= _GROWTH
    return pending
