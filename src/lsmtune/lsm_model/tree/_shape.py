"""What a tree looks like to those who read it: its sorted runs, newest first."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model.tree._costs import PLAIN_ENTRY_BYTES
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIRST,
    HIGH,
    LEVEL,
    LEVELDB,
    LEVELED,
    LOW,
    MOST_LEVELS,
    UNIVERSAL,
    Tree,
)


@dataclass(frozen=True)
class SortedRun:
    """A file of level 0, a level below it, or a sorted run of universal compaction.

    Attributes:
        level: where it is.
        covers: share of the keys that lie between the first and the last key of one of its files.
        sets, deletes: entries of each class of the writes.
        stored_bytes: of its files.
        rewritten: B written into its level for each write of the last phase.
    """

    level: int
    covers: float
    sets: tuple[float, ...]
    deletes: tuple[float, ...]
    stored_bytes: float
    rewritten: float

    @property
    def entries(self) -> float:
        """Sets and deletions of all classes."""
        return sum(self.sets) + sum(self.deletes)


@dataclass(frozen=True)
class Shape:
    """A tree as those who read it find it.

    Attributes:
        runs: newest first.
        keys: of each class of the writes, those that are written most first.
        is_once: no key was written twice, so that each is in one run.
        entry_bytes: uncompressed B of an entry in a table, on average.
        key_bytes: of a key.
        blob_bytes: B of a value that lie in a blob file.
        flushed: distinct keys of each class in a full memtable.
        level_0: files of level 0 while the last phase wrote, on average; of universal compaction the runs.
        is_leveled: whether levels below level 0 are one run each.
        base_level: from which on files grow in size; 0: from level 0 on.
    """

    runs: tuple[SortedRun, ...]
    keys: tuple[float, ...]
    is_once: bool
    entry_bytes: float
    key_bytes: float
    blob_bytes: float
    flushed: tuple[float, ...]
    level_0: float
    is_leveled: bool
    base_level: int = 0


def shape_of(tree: Tree, key_bytes: float, operations: float, *, is_once: bool) -> Shape:
    """Return the shape of a tree after a phase.

    Args:
        tree: as it stands.
        key_bytes: of a key, in B.
        operations: writes of the phase.
        is_once: neither this phase nor one before it wrote a key twice.
    """
    plan, clock = tree.plan[0], tree.clock[0]
    is_leveled = bool(plan["style"] in (LEVELED, LEVELDB))
    written = np.array(clock["written"]) / max(operations, 1.0)
    written[0] += clock["flushed"] / max(operations, 1.0)
    memtable = plan["memtable"] * tree.weights
    flushed = memtable if is_once else -tree.keys * np.expm1(-memtable / tree.keys)
    runs = []
    for level in range(MOST_LEVELS):
        rows = tree.files[level, : tree.counts[level]]
        whole = float(rows[:, BYTES].sum())
        for part in (rows[place : place + 1] for place in range(len(rows))) if level == 0 else (rows[:],):
            if len(part):
                own = int(part[0, LEVEL]) if level == 0 and plan["style"] == UNIVERSAL else level
                share = float(part[:, BYTES].sum()) / max(whole, 1.0)
                runs.append(_run(tree, part, own, float(written[own]) * share))
    return Shape(
        runs=tuple(runs),
        keys=tuple(float(count) for count in tree.keys),
        is_once=is_once,
        entry_bytes=float(plan["pair"] - plan["blob"]) + PLAIN_ENTRY_BYTES,
        key_bytes=key_bytes,
        blob_bytes=float(plan["blob"]),
        flushed=tuple(float(count) for count in flushed),
        level_0=float(clock["run_time"]) / max(float(clock["load_end"]), 1e-12),
        is_leveled=is_leveled,
        base_level=int(clock["base_level"]) if plan["is_dynamic"] and plan["style"] == LEVELED else 0,
    )


def _run(tree: Tree, rows: npt.NDArray[np.float64], level: int, rewritten: float) -> SortedRun:
    classes = len(tree.keys)
    return SortedRun(
        level,
        _covers(tree, rows),
        tuple(rows[:, FIRST : FIRST + classes].sum(axis=0).tolist()),
        tuple(rows[:, FIRST + classes : FIRST + 2 * classes].sum(axis=0).tolist()),
        float(rows[:, BYTES].sum()),
        rewritten,
    )


def _covers(tree: Tree, rows: npt.NDArray[np.float64]) -> float:
    """Return which share of the keys lies between the first and the last key of a file.

    The sorted runs of universal compaction are taken to reach over all keys while it runs. Where these came in order,
    each has a range of its own.
    """
    plan = tree.plan[0]
    if plan["style"] == UNIVERSAL and plan["is_in_order"]:
        return float(rows[:, FIRST : FIRST + len(tree.keys)].sum() / plan["operations"])
    return min(float((rows[:, HIGH] - rows[:, LOW]).sum()), 1.0)
