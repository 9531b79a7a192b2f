"""A load in the order of keys, which needs no events: each file goes down by relinking, and nothing is merged."""

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model.tree._blobs import fill_slots_in_order
from lsmtune.lsm_model.tree._merge import stored
from lsmtune.lsm_model.tree._rules import weigh
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIRST,
    HIGH,
    LEVEL,
    LEVELDB,
    LOW,
    MOST_FILES,
    MOST_LEVELS,
    NEWEST,
    OLDEST,
    UNIVERSAL,
    Tree,
)

_LEAST_OF_MEMTABLES = 2
"""The level that LevelDB puts memtables into which meet no other file."""


def fill_sequentially(tree: Tree, counts: npt.NDArray[np.float64]) -> None:
    """Put all keys in place as a load in the order of keys leaves them: relinked from level to level, nothing merged.

    Args:
        tree: an empty one.
        counts: keys of each class, shape (classes,).
    """
    plan, clock = tree.plan[0], tree.clock[0]
    weigh(tree)
    total = float(counts.sum())
    last = int(plan["levels"]) - 1
    room, upper = np.zeros(MOST_LEVELS), _LEAST_OF_MEMTABLES if plan["style"] == LEVELDB else 1
    if plan["style"] == UNIVERSAL or plan["is_dynamic"]:
        room[0 if plan["style"] == UNIVERSAL else last] = total
    else:
        left = total
        for level in range(upper, last + 1):
            fits = clock["target"][level] / plan["entry"][level]
            room[level] = left if level == last else min(left, fits)
            left -= room[level]
    high, least = 1.0, total * plan["entry"][last] / (MOST_FILES // 2)
    for level in range(last + 1):
        if room[level] <= 0:
            continue
        low = high - room[level] / total
        size = max(plan["memtable"] * plan["entry"][level], least) if plan["style"] == LEVELDB else plan["file"][level]
        files = 1 if level == 0 else int(np.ceil(room[level] * plan["entry"][level] / size))
        for place in range(files):
            row = tree.files[level, place]
            row[LOW], row[HIGH] = low + (high - low) * place / files, low + (high - low) * (place + 1) / files
            row[OLDEST], row[NEWEST], row[LEVEL] = 0.0, 0.0, last
            row[FIRST : FIRST + len(counts)] = counts * (row[HIGH] - row[LOW])
            row[BYTES] = stored(tree, row, last if level == 0 else level)
        tree.counts[level] = files
        high = low
    fill_slots_in_order(tree, total)
