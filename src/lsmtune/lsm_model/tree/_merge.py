"""Merging files that are known by their ranges and counts alone, and where the result is cut into files.

Within a range that no file of the inputs begins or ends in, keys are spread evenly, so that of n keys of a class, u of
them in the newer and l in the older input, u + l - u l / n are in the result.
"""

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIRST,
    HIGH,
    JOB,
    LEVEL,
    LEVELDB,
    LOW,
    MOST_FILES,
    NEWEST,
    OLDEST,
    Tree,
)

Floats = npt.NDArray[np.float64]

SAME_EDGE = 1e-13
"""Edges that are not further apart are one."""


@compiled
def collect(tree: Tree, level: int, job: int, room: Floats) -> int:
    """Copy the files of a level that a job holds; return how many."""
    count = 0
    for place in range(tree.counts[level]):
        if tree.files[level, place, JOB] == job:
            room[count] = tree.files[level, place]
            count += 1
    return count


@compiled
def lay_over(tree: Tree, newer: Floats, older: Floats, into: Floats, is_unique: bool) -> None:
    """Put the keys of one row over those of another, both of the same range."""
    classes = len(tree.keys)
    width = newer[HIGH] - newer[LOW]
    into[OLDEST] = min(newer[OLDEST], older[OLDEST])
    into[NEWEST] = max(newer[NEWEST], older[NEWEST])
    all_older, kept = 0.0, 0.0
    for c in range(classes):
        sets, deletes = newer[FIRST + c], newer[FIRST + classes + c]
        hidden = 0.0
        if not is_unique:
            hidden = min(1.0, (sets + deletes) / max(tree.keys[c] * width, 1e-300))
        all_older += older[FIRST + c]
        kept += older[FIRST + c] * (1 - hidden)
        into[FIRST + c] = sets + older[FIRST + c] * (1 - hidden)
        into[FIRST + classes + c] = deletes + older[FIRST + classes + c] * (1 - hidden)
    for column in range(FIRST + 2 * classes, len(into)):
        into[column] = newer[column] + older[column] * kept / max(all_older, 1e-300)


@compiled
def stored(tree: Tree, row: Floats, level: int) -> float:
    """Return the stored bytes of a row in a level."""
    plan = tree.plan[0]
    classes = len(tree.keys)
    sets, deletes = 0.0, 0.0
    for c in range(classes):
        sets += row[FIRST + c]
        deletes += row[FIRST + classes + c]
    return float(sets * plan.entry[level] + deletes * plan.tombstone[level])


@compiled
def union_of_level_0(tree: Tree, count: int) -> int:
    """Merge the first rows of `upper`, newest first and each of all keys, into its first; return how many remain."""
    plan = tree.plan[0]
    if count == 0:
        return 0
    into = tree.upper[0]
    for place in range(1, count):
        lay_over(tree, into, tree.upper[place], into, plan.is_unique == 1)
    into[LOW], into[HIGH] = 0.0, 1.0
    return 1


@compiled
def _edges(tree: Tree, upper: int, lower: int, below: int) -> int:
    """Gather where files of the inputs, and those two levels down, begin and end; return how many, sorted."""
    low, high = 2.0, -1.0
    count = 0
    for place in range(upper):
        tree.edges[count], tree.edges[count + 1] = tree.upper[place, LOW], tree.upper[place, HIGH]
        low, high = min(low, tree.upper[place, LOW]), max(high, tree.upper[place, HIGH])
        count += 2
    for place in range(lower):
        tree.edges[count], tree.edges[count + 1] = tree.lower[place, LOW], tree.lower[place, HIGH]
        low, high = min(low, tree.lower[place, LOW]), max(high, tree.lower[place, HIGH])
        count += 2
    if below >= 0:
        for place in range(tree.counts[below]):
            edge = tree.files[below, place, LOW]
            if low < edge < high:
                tree.edges[count] = edge
                count += 1
    tree.edges[:count] = np.sort(tree.edges[:count])
    kept = 0
    for place in range(count):
        if kept == 0 or tree.edges[place] > tree.edges[kept - 1] + SAME_EDGE:
            tree.edges[kept] = tree.edges[place]
            kept += 1
    return kept


@compiled
def _part(rows: Floats, count: int, at: int, low: float, high: float, into: Floats) -> int:
    """Set `into` to what the files of an input hold in a range within one of them; return which file comes next."""
    while at < count and rows[at, HIGH] <= low + SAME_EDGE:
        at += 1
    into[FIRST:] = 0.0
    into[LOW], into[HIGH], into[OLDEST], into[NEWEST] = low, high, np.inf, -1.0
    if at < count and rows[at, LOW] <= low + SAME_EDGE:
        row = rows[at]
        into[FIRST:] = row[FIRST:] * ((high - low) / max(row[HIGH] - row[LOW], 1e-300))
        into[OLDEST], into[NEWEST] = row[OLDEST], row[NEWEST]
    return at


@compiled
def merge(tree: Tree, upper: int, lower: int, target: int, below: int, is_bottom: bool) -> int:
    """Merge the first rows of `upper`, sorted by key, over those of `lower` into rows of `merged`; return how many.

    Args:
        tree: with its inputs in `upper` and `lower`.
        upper: rows of the newer input.
        lower: rows of the older input.
        target: the level that the result is for.
        below: the level below it whose files say where the result is cut, or -1.
        is_bottom: nothing older lies below, so that deletions go.
    """
    plan = tree.plan[0]
    classes = len(tree.keys)
    edges = _edges(tree, upper, lower, below)
    width = len(tree.lost)
    newer, older, into, whole = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    at_upper, at_lower, at_below, count, crossed = 0, 0, 0, 0, 0.0
    limit = plan.file[target] * (2.0 if below >= 0 and plan.style != LEVELDB else 1.0)
    whole[LOW], whole[OLDEST], whole[NEWEST] = tree.edges[0], np.inf, -1.0
    for place in range(edges - 1):
        low, high = tree.edges[place], tree.edges[place + 1]
        at_upper = _part(tree.upper, upper, at_upper, low, high, newer)
        at_lower = _part(tree.lower, lower, at_lower, low, high, older)
        into[LOW], into[HIGH] = low, high
        lay_over(tree, newer, older, into, plan.is_unique == 1)
        if is_bottom:
            into[FIRST + classes : FIRST + 2 * classes] = 0.0
        if below >= 0:
            while at_below < tree.counts[below] and tree.files[below, at_below, LOW] < low - SAME_EDGE:
                at_below += 1
            if at_below < tree.counts[below] and tree.files[below, at_below, LOW] <= low + SAME_EDGE:
                closed = count
                crossed, is_cut = _at_edge(tree, stored(tree, whole, target), target, below, at_below, crossed)
                if is_cut:
                    count = _close(tree, whole, low, target, count)
                if count > closed:
                    crossed = 0.0
        count = _fill(tree, whole, into, target, limit, count)
    return _close(tree, whole, tree.edges[edges - 1], target, count)


@compiled
def _at_edge(tree: Tree, size: float, target: int, below: int, at: int, crossed: float) -> tuple[float, bool]:
    """Return what was crossed where file `at` two levels down begins, and whether the result is cut there."""
    plan = tree.plan[0]
    if plan.style == LEVELDB:
        # db/version_set.cc, Compaction::ShouldStopBefore: bytes of files that were passed; a full file does not end it.
        if at > 0:
            crossed += tree.files[below, at - 1, BYTES]
        return crossed, crossed > plan.grandparents
    # CompactionOutputs::ShouldStopBefore: from half a file on.
    return crossed + 1, size >= plan.file[target] * (0.5 + min(crossed * 0.05, 0.4))


@compiled
def _fill(tree: Tree, whole: Floats, into: Floats, target: int, limit: float, count: int) -> int:
    """Add a range to the file that is being written, and close files that are full; return how many are closed."""
    bytes_left = stored(tree, into, target)
    low, high = into[LOW], into[HIGH]
    while bytes_left > 0:
        whole[OLDEST], whole[NEWEST] = min(whole[OLDEST], into[OLDEST]), max(whole[NEWEST], into[NEWEST])
        room = limit - stored(tree, whole, target)
        if bytes_left <= room:
            whole[FIRST:] += into[FIRST:]
            return count
        part = max(room, 0.0) / bytes_left
        cut = low + (high - low) * part
        whole[FIRST:] += into[FIRST:] * part
        count = _close(tree, whole, cut, target, count)
        into[FIRST:] *= 1 - part
        low = cut
        bytes_left = stored(tree, into, target)
        if bytes_left < 1e-6 * limit:
            return count
    return count


@compiled
def _close(tree: Tree, whole: Floats, high: float, target: int, count: int) -> int:
    """End the file that is being written; return how many there are."""
    size = stored(tree, whole, target)
    if size > 0 and count < MOST_FILES:
        whole[HIGH], whole[JOB], whole[BYTES], whole[LEVEL] = high, 0.0, size, target
        tree.merged[count] = whole
        count += 1
    whole[FIRST:] = 0.0
    whole[LOW], whole[OLDEST], whole[NEWEST] = high, np.inf, -1.0
    return count


@compiled
def replace_files(tree: Tree, level: int, job: int, count: int) -> None:
    """Take the files of a job out of a level below level 0 and put `count` merged ones in, in the order of keys."""
    files, kept = tree.files[level], 0
    for place in range(tree.counts[level]):
        if files[place, JOB] != job:
            if kept != place:
                files[kept] = files[place]
            kept += 1
    count = min(count, MOST_FILES - kept)
    if count > 0:
        at = kept
        while at > 0 and files[at - 1, LOW] >= tree.merged[0, LOW]:
            at -= 1
        for place in range(kept - 1, at - 1, -1):
            files[place + count] = files[place]
        for place in range(count):
            files[at + place] = tree.merged[place]
    tree.counts[level] = kept + count


@compiled
def drop_files(tree: Tree, level: int, job: int) -> None:
    """Take the files of a job out of a level."""
    replace_files(tree, level, job, 0)
