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
    INTO,
    JOB,
    LEVEL,
    LEVELDB,
    LEVELED,
    LOW,
    LOWER,
    MERGED,
    MOST_FILES,
    NEWER,
    NEWEST,
    OLDER,
    OLDEST,
    ROOM,
    TIME,
    UPPER,
    WHOLE,
    Record,
)

Floats = npt.NDArray[np.float64]

SAME_EDGE = 1e-13
"""Edges that are not further apart are one."""


@compiled
def copy_row(tree: Record, row: Floats, into: Floats) -> None:
    """Copy a row."""
    for column in range(tree.width):
        into[column] = row[column]


@compiled
def empty_row(tree: Record, row: Floats) -> None:
    """Take the keys out of a row."""
    for column in range(FIRST, tree.width):
        row[column] = 0.0


@compiled
def add_keys(tree: Record, row: Floats, into: Floats, factor: float) -> None:
    """Add a multiple of the keys of a row to those of another."""
    for column in range(FIRST, tree.width):
        into[column] += row[column] * factor


@compiled
def collect(tree: Record, level: int, job: int, room: int) -> int:
    """Copy the files of a level that a job holds into a level of the room; return how many."""
    count = 0
    for place in range(tree.counts[level]):
        if tree.files[level, place, JOB] == job:
            copy_row(tree, tree.files[level, place], tree.files[room, count])
            count += 1
    return count


@compiled
def lay_over(tree: Record, newer: Floats, older: Floats, into: Floats) -> None:
    """Put the keys of one row over those of another, both of the same range."""
    classes, is_unique = tree.classes, tree.plan[0].is_unique == 1
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
    for column in range(FIRST + 2 * classes, tree.width):
        into[column] = newer[column] + older[column] * kept / max(all_older, 1e-300)


@compiled
def codec_level(tree: Record, level: int) -> int:
    """Return the level whose codec a level has: where they are dynamic, the base level counts as the first below 0.

    db/compaction/compaction_picker.cc, `GetCompressionType`.
    """
    plan = tree.plan[0]
    if level == 0 or plan.style != LEVELED or plan.is_dynamic == 0:
        return level
    return int(max(level - tree.clock[0].base_level + 1, 1))


@compiled
def size_level(tree: Record, level: int) -> int:
    """Return the level whose size of files a level has; where they are dynamic, the base level counts as level 0.

    options/cf_options.cc, `MaxFileSizeForLevel`.
    """
    plan = tree.plan[0]
    if plan.style != LEVELED or plan.is_dynamic == 0:
        return level
    return int(max(level - tree.clock[0].base_level, 0))


@compiled
def stored(tree: Record, row: Floats, level: int) -> float:
    """Return the stored bytes of a row in a level."""
    plan, classes = tree.plan[0], tree.classes
    sets, deletes = 0.0, 0.0
    for c in range(classes):
        sets += row[FIRST + c]
        deletes += row[FIRST + classes + c]
    return float(sets * plan.entry[codec_level(tree, level)] + deletes * plan.tombstone[level])


@compiled
def union_of_level_0(tree: Record, count: int) -> int:
    """Merge the first rows of `UPPER`, newest first and each of all keys, into its first; return how many remain."""
    if count == 0:
        return 0
    into = tree.files[UPPER, 0]
    for place in range(1, count):
        lay_over(tree, into, tree.files[UPPER, place], into)
    into[LOW], into[HIGH] = 0.0, 1.0
    return 1


@compiled
def _edge(tree: Record, room: int, number: int) -> float:
    """Return where a row of the room begins, for an even number, or ends."""
    return float(tree.files[room, number >> 1, LOW + (number & 1)])


@compiled
def _edges(tree: Record, upper: int, lower: int, below: int) -> int:
    """Gather where files of the inputs, and those two levels down, begin and end; return how many, sorted."""
    files, edges = tree.files, tree.edges
    low, high = 2.0, -1.0
    if upper > 0:
        low, high = files[UPPER, 0, LOW], files[UPPER, upper - 1, HIGH]
    if lower > 0:
        low, high = min(low, files[LOWER, 0, LOW]), max(high, files[LOWER, lower - 1, HIGH])
    at_upper, at_lower, at_below, kept = 0, 0, 0, 0
    further = tree.counts[below] if below >= 0 else 0
    while at_below < further and files[below, at_below, LOW] <= low:
        at_below += 1
    while at_upper < 2 * upper or at_lower < 2 * lower:
        edge = np.inf
        if at_upper < 2 * upper:
            edge = _edge(tree, UPPER, at_upper)
        if at_lower < 2 * lower:
            edge = min(edge, _edge(tree, LOWER, at_lower))
        if at_below < further and files[below, at_below, LOW] < min(edge, high):
            edge = files[below, at_below, LOW]
            at_below += 1
        elif at_upper < 2 * upper and _edge(tree, UPPER, at_upper) == edge:
            at_upper += 1
        else:
            at_lower += 1
        if kept == 0 or edge > edges[kept - 1] + SAME_EDGE:
            edges[kept] = edge
            kept += 1
    return kept


@compiled
def _part(tree: Record, room: int, count: int, at: int, low: float, high: float) -> int:
    """Set the row of an input to what it holds in a range within one of its files; return which file comes next."""
    files, into = tree.files, tree.files[ROOM, NEWER if room == UPPER else OLDER]
    while at < count and files[room, at, HIGH] <= low + SAME_EDGE:
        at += 1
    empty_row(tree, into)
    into[LOW], into[HIGH], into[OLDEST], into[NEWEST] = low, high, np.inf, -1.0
    if at < count and files[room, at, LOW] <= low + SAME_EDGE:
        row = files[room, at]
        add_keys(tree, row, into, (high - low) / max(row[HIGH] - row[LOW], 1e-300))
        into[OLDEST], into[NEWEST] = row[OLDEST], row[NEWEST]
    return at


@compiled
def merge(tree: Record, upper: int, lower: int, target: int, below: int, is_bottom: bool) -> int:
    """Merge the first rows of `UPPER`, sorted by key, over those of `LOWER` into rows of `MERGED`; return how many.

    Args:
        tree: with its inputs in `UPPER` and `LOWER`.
        upper: rows of the newer input.
        lower: rows of the older input.
        target: the level that the result is for.
        below: the level below it whose files say where the result is cut, or -1.
        is_bottom: nothing older lies below, so that deletions go.
    """
    plan, classes, files = tree.plan[0], tree.classes, tree.files
    edges, edge = _edges(tree, upper, lower, below), tree.edges
    newer, older, into, whole = files[ROOM, NEWER], files[ROOM, OLDER], files[ROOM, INTO], files[ROOM, WHOLE]
    at_upper, at_lower, at_below, count, crossed = 0, 0, 0, 0, 0.0
    limit = plan.file[size_level(tree, target)] * (2.0 if below >= 0 and plan.style != LEVELDB else 1.0)
    _begin_file(tree, whole, edge[0])
    further = tree.counts[below] if below >= 0 else 0
    for place in range(edges - 1):
        low, high = edge[place], edge[place + 1]
        at_upper = _part(tree, UPPER, upper, at_upper, low, high)
        at_lower = _part(tree, LOWER, lower, at_lower, low, high)
        into[LOW], into[HIGH] = low, high
        lay_over(tree, newer, older, into)
        if is_bottom:
            for column in range(FIRST + classes, FIRST + 2 * classes):
                into[column] = 0.0
        while at_below < further and files[below, at_below, LOW] < low - SAME_EDGE:
            at_below += 1
        if at_below < further and files[below, at_below, LOW] <= low + SAME_EDGE:
            closed = count
            crossed, is_cut = _at_edge(tree, stored(tree, whole, target), target, below, at_below, crossed)
            if is_cut:
                count = _close(tree, whole, low, target, count)
            if count > closed:
                crossed = 0.0
        count = _fill(tree, whole, into, target, limit, count)
    return _close(tree, whole, edge[edges - 1], target, count)


@compiled
def _at_edge(tree: Record, size: float, target: int, below: int, at: int, crossed: float) -> tuple[float, bool]:
    """Return what was crossed where file `at` two levels down begins, and whether the result is cut there."""
    plan = tree.plan[0]
    if plan.style == LEVELDB:
        # db/version_set.cc, Compaction::ShouldStopBefore: bytes of files that were passed; a full file does not end it.
        if at > 0:
            crossed += tree.files[below, at - 1, BYTES]
        return crossed, crossed > plan.grandparents
    # CompactionOutputs::ShouldStopBefore: from half a file on.
    return crossed + 1, size >= plan.file[size_level(tree, target)] * (0.5 + min(crossed * 0.05, 0.4))


@compiled
def _fill(tree: Record, whole: Floats, into: Floats, target: int, limit: float, count: int) -> int:
    """Add a range to the file that is being written, and close files that are full; return how many are closed."""
    bytes_left = stored(tree, into, target)
    low, high = into[LOW], into[HIGH]
    while bytes_left > 0:
        whole[OLDEST], whole[NEWEST] = min(whole[OLDEST], into[OLDEST]), max(whole[NEWEST], into[NEWEST])
        room = limit - stored(tree, whole, target)
        if bytes_left <= room:
            add_keys(tree, into, whole, 1.0)
            return count
        part = max(room, 0.0) / bytes_left
        cut = low + (high - low) * part
        add_keys(tree, into, whole, part)
        count = _close(tree, whole, cut, target, count)
        for column in range(FIRST, tree.width):
            into[column] *= 1 - part
        low = cut
        bytes_left = stored(tree, into, target)
        if bytes_left < 1e-6 * limit:
            return count
    return count


@compiled
def _begin_file(tree: Record, whole: Floats, low: float) -> None:
    empty_row(tree, whole)
    whole[LOW], whole[OLDEST], whole[NEWEST], whole[TIME] = low, np.inf, -1.0, 0.0


@compiled
def _close(tree: Record, whole: Floats, high: float, target: int, count: int) -> int:
    """End the file that is being written; return how many there are."""
    size = stored(tree, whole, target)
    if size > 0 and count < MOST_FILES:
        whole[HIGH], whole[JOB], whole[BYTES], whole[LEVEL] = high, 0.0, size, target
        copy_row(tree, whole, tree.files[MERGED, count])
        count += 1
    _begin_file(tree, whole, high)
    return count


@compiled
def replace_files(tree: Record, level: int, job: int, count: int) -> None:
    """Take the files of a job out of a level below level 0 and put `count` merged ones in, in the order of keys."""
    files, counts, kept = tree.files, tree.counts, 0
    for place in range(counts[level]):
        if files[level, place, JOB] != job:
            if kept != place:
                copy_row(tree, files[level, place], files[level, kept])
            kept += 1
    count = min(count, MOST_FILES - kept)
    if count > 0:
        at = kept
        while at > 0 and files[level, at - 1, LOW] >= files[MERGED, 0, LOW]:
            at -= 1
        for place in range(kept - 1, at - 1, -1):
            copy_row(tree, files[level, place], files[level, place + count])
        for place in range(count):
            copy_row(tree, files[MERGED, place], files[level, at + place])
    counts[level] = kept + count


@compiled
def drop_files(tree: Record, level: int, job: int) -> None:
    """Take the files of a job out of a level."""
    replace_files(tree, level, job, 0)
