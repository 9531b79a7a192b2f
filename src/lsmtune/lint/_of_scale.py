"""Rules about what a scale does to a run: what holds of the small tree and not of the one that is deployed.

Each function returns what its rule says of the given values, or None where they leave no doubt.
"""

from dataclasses import dataclass

from lsmtune.lint._rule import Finding, Rule
from lsmtune.units import format_bytes, plural

_SURELY = 2  # times the files that make level 0 compact: as many flushes come whatever switches a memtable early

MEMTABLE_IN_CACHE = Rule(
    code="memtable-in-cache",
    looks_at="write_buffer_size at the scale of the runs and at full size, against the last-level cache of the "
    "processor that the kernel shows, of runs that flush.",
    threshold="One memtable fits the cache at the scale and not at full size. It is the one that is written to that "
    "counts: those that wait for their flush are read once, in order. A cache that the hypervisor shows may be shared "
    "with others, so the rule is silent rather than wrong where the cache is small.",
    why="An insert into a sorted list follows pointers, and each costs more in memory than in a cache; lsmtune "
    "calibrate measures how much. Writes are cheaper in these runs than in production.",
    next="Take a scale whose memtables are larger than the cache, or claim write amplification and space, not rates.",
)


def memtable_in_cache(scaled_bytes: float, full_bytes: float, cache_bytes: int | None) -> Finding | None:
    """Judge whether a memtable is in the processor's cache at the scale alone; None where the cache is not known."""
    if cache_bytes is None or not scaled_bytes <= cache_bytes < full_bytes:
        return None
    return MEMTABLE_IN_CACHE.says(
        f"a memtable of {format_bytes(scaled_bytes)} fits the processor's cache of {format_bytes(cache_bytes)}, one of "
        f"{format_bytes(full_bytes)} at full size does not; writes are cheaper in these runs"
    )


CACHED_AT_SCALE = Rule(
    code="cached-at-scale",
    looks_at="Bytes of all keys and values of a run that reads through the page cache: at its scale against the memory "
    "that the run has for it (this machine's, or what its control group leaves beside the process), at full size "
    "against host.memory, or this machine's memory if the experiment does not give it.",
    threshold="They fit at the scale and not at full size. It is then reported in the place of cache-sized-data. "
    "Compression, and what else needs memory on the host of production, are not counted.",
    why="Reads come from memory here and from the disk where the result is deployed: options that avoid reads of the "
    "disk (filters, fewer levels, larger blocks) gain nothing here, and options that save processor time gain too "
    "much.",
    next='Say memory = "64GiB" under [host], so that a run has its share of the page cache; or page_cache = "direct" '
    "if lsmtune doctor says that memory cannot be limited.",
)


@dataclass(frozen=True)
class PageCache:
    """What of a run's data can be in the page cache, and what of production's.

    Attributes:
        data_bytes, full_data_bytes: of all keys and values, at the scale and at full size.
        room_bytes: of the page cache that the run has.
        memory_bytes: of the host of production.
        is_said: whether the experiment says that memory; otherwise it is this machine's.
    """

    data_bytes: float
    full_data_bytes: float
    room_bytes: float
    memory_bytes: float
    is_said: bool


def cached_at_scale(cache: PageCache) -> Finding | None:
    """Judge whether data fits the page cache at the scale alone."""
    if cache.data_bytes > cache.room_bytes or cache.full_data_bytes <= cache.memory_bytes:
        return None
    whose = "production's memory" if cache.is_said else "as much memory as this machine's"
    return CACHED_AT_SCALE.says(
        f"the data of a run ({format_bytes(cache.data_bytes)}) fits the page cache that it has "
        f"({format_bytes(cache.room_bytes)}); at full size ({format_bytes(cache.full_data_bytes)}) it does not fit "
        f"{whose} ({format_bytes(cache.memory_bytes)})"
    )


FEWER_LEVELS = Rule(
    code="fewer-levels",
    looks_at="Levels below level 0 that leveled compaction fills: with the data that a run left and its options as the "
    "engine had them, against all keys and the options as they are deployed. Both by the sizes of the levels: "
    "max_bytes_for_level_base, its multiplier, num_levels, dynamic level bytes.",
    threshold="One level less. The tree at full size is this one in proportion; or, where a run that makes its data "
    "itself ended before, six tenths of all keys (random draws leave a third of them out) with what one takes here.",
    why="Each level is one more rewrite of every byte and one more place to look into: write amplification, space and "
    "reads are those of a smaller tree. A scale keeps the number of levels unless a size meets its floor (64 KiB for a "
    "memtable), or a duration ends the run before all keys are written.",
    next="Take a larger scale, or operations in the place of duration, so that all keys are written.",
)


def fewer_levels(at_scale: int, full: int) -> Finding | None:
    """Judge the number of levels below level 0 at the scale and at full size."""
    if at_scale >= full:
        return None
    return FEWER_LEVELS.says(
        f"the tree of a run fills {plural(at_scale, 'level')} below level 0, at full size it fills {full}; "
        "amplifications are those of the smaller tree"
    )


NO_MERGES = Rule(
    code="no-merges",
    looks_at="Compactions that rewrote data, and levels that hold data, in runs that flush; against flushes and levels "
    "that all writes come to at full size.",
    threshold="No compaction although at full size there are at least "
    f"{_SURELY} times the flushes that make level 0 compact; or all data in level 0 and one level below it although at "
    "full size there are more. Keys in order are moved and not merged: silent where files were moved. For universal "
    "compaction only the first half applies, for FIFO neither.",
    why="What compactions cost, in rewritten bytes, in processor time and in stalls, is the price of most options, "
    "and these runs had none of it.",
    next='Take more operations or a larger scale, until compactions run; write settle = "wait" so that they count.',
)


@dataclass(frozen=True)
class Merges:
    """What a run merged, and what a tree at full size has to.

    Attributes:
        compactions: that rewrote data; None where it is not known.
        moved_files: that were moved to another level as they were; None where it is not known.
        levels_below: levels below level 0 that hold data at the end; None where it is not known.
        full_flushes: that all writes come to at full size.
        trigger: files of level 0 that make it compact.
        full_levels: levels below level 0 at full size; None where they are not judged.
    """

    compactions: float | None
    moved_files: float | None
    levels_below: int | None
    full_flushes: float
    trigger: float
    full_levels: int | None


def no_merges(merges: Merges) -> Finding | None:
    """Judge whether a run merged what a tree at full size has to."""
    if merges.compactions is None or merges.moved_files or merges.full_flushes < _SURELY * merges.trigger:
        return None
    if not merges.compactions:
        return NO_MERGES.says(
            f"no compaction rewrote data; at full size there are about {merges.full_flushes:,.0f} flushes, and "
            f"{merges.trigger:g} of them make level 0 compact"
        )
    full = merges.full_levels
    if merges.levels_below is None or full is None or merges.levels_below > 1 or full <= 1:
        return None
    return NO_MERGES.says(
        f"no data went below the first level under level 0, where at full size {full} levels are filled; merges "
        "between levels are not in the result"
    )
