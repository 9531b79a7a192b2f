"""Rules about single runs. A bench asks those that need to know its tool; `lsmtune.result` asks the others.

Each function returns what its rule says of the given values, or None where they leave no doubt.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.lint._of_caches import CacheBlocks
from lsmtune.lint._rule import Finding, Rule
from lsmtune.model import Overridden
from lsmtune.units import format_bytes, format_percent, plural

_LEAST_FLUSHES = 50
_LEAST_LEVELS = 3
_LEAST_FOUND = 0.5

DEBT_LEFT = Rule(
    code="debt-left",
    looks_at="Whether a run that writes waits until no compaction is due before its results are read, and before it "
    "reads.",
    threshold='Any run that writes with settle = "none", that reads what it has just written, or whose settling ended '
    "early: only a part of what was left can be seen, so no amount counts as harmless.",
    why="A configuration that only delays compactions looks fast, small and light on writes; they come after the run. "
    "A search that may raise the triggers of level 0 finds such configurations. Reads of an unsettled tree are "
    "slowed by the writes before them, by a different amount for each configuration.",
    next='Use settle = "wait", and tune for throughput_settled_ops_s; where the tool cannot wait, as LevelDB\'s '
    "db_bench, give guards to pending_bytes and l0_files_load_end. Measure reads on loaded data, which is settled "
    'first: load = "fillrandom" and benchmarks = "readrandom".',
    before=r"debt is left: ",
)


def debt_left(reads: str, level0_files: float | None, pending_bytes: float | None = None) -> Finding:
    """Say of a run that did not settle what is read too early, and what was seen of the debt.

    Args:
        reads: what is read too early.
        level0_files: files in level 0 where the writing ended; None where that is not known.
        pending_bytes: bytes that waited for a compaction then; None where that is not known.
    """
    seen = "" if level0_files is None else f", {level0_files:.0f} files were left in level 0"
    due = "" if not pending_bytes else f", {format_bytes(pending_bytes)} waited for a compaction"
    return DEBT_LEFT.says(f'settle = "none" reads {reads} before compactions are done{seen}{due}')


def reads_in_debt(reads: str, wrote: str) -> Finding:
    """Say of a process that a phase of it reads what the phase `wrote` has just written, before that is settled."""
    return DEBT_LEFT.says(
        f"{reads} follows {wrote} in one process, so it runs while compactions of these writes may still be due; what "
        "they cost then counts against the reads, and not as settling"
    )


def settling_ended_early(endings: tuple[str, ...]) -> Finding | None:
    """Judge the phases of settling that ended before all compactions did, by the names of how they ended."""
    return DEBT_LEFT.says(f"settling ended early ({', '.join(endings)})") if endings else None


NOT_ONLY_READS = Rule(
    code="not-only-reads",
    looks_at="Compactions in a process that only reads.",
    threshold="One compaction: each takes processor time and bandwidth from the reads, at a moment that differs from "
    "run to run.",
    why="The reads pay for what the load left to be done, so the result mixes both.",
    next='End workload.load with "compact".',
    before=r"not only reads: ",
)


def not_only_reads(compactions: int, written_bytes: float) -> Finding | None:
    """Judge the compactions of a process that only reads, by their number and the bytes that they wrote."""
    if not compactions:
        return None
    return NOT_ONLY_READS.says(
        f"{plural(compactions, 'compaction')} wrote {format_bytes(written_bytes)} while keys were read, "
        "which the load had left or the reads caused"
    )


SMALL_TREE = Rule(
    code="small-tree",
    looks_at="Flushes and populated levels of a run that makes its data itself.",
    threshold=f"Fewer than {_LEAST_FLUSHES} flushes or {_LEAST_LEVELS} levels. Level 0 takes several flushes before it "
    "is compacted, so fewer make only a handful of compactions; amplification grows with each level, and two levels "
    "have one transition. A rule of thumb, not a measured limit.",
    why="Options of compaction hardly act on such a tree, and what they do there does not hold for a grown one.",
    next="Take more keys, or a larger scale.",
    before=r"small tree: ",
)


def small_tree(flushes: float | None, levels: float | None) -> Finding | None:
    """Judge whether a fill made a tree large enough for compaction to matter; None where a number is not known."""
    if flushes is None or levels is None or (flushes >= _LEAST_FLUSHES and levels >= _LEAST_LEVELS):
        return None
    return SMALL_TREE.says(
        f"{flushes:.0f} flushes and {levels:.0f} populated levels; below {_LEAST_FLUSHES} and {_LEAST_LEVELS} little "
        "is compacted"
    )


CACHE_SIZED_DATA = Rule(
    code="cache-sized-data",
    looks_at="Bytes of all keys and values of a run that reads, at its scale, against the block cache of the run, and "
    "against the memory of the machine (or of the control group), where files are read through the page cache.",
    threshold="Data no larger than one of them: after its first touch every key is then served from memory. With "
    "use_direct_reads only the block cache counts. Compression, and what else needs memory, are not counted.",
    why="Reads that never reach the disk cost about the same whatever the tree, its filters and its levels look like; "
    "and which of two runs finds the page cache warm is chance.",
    next="Take more keys or a larger scale, set use_direct_reads under [space.fixed], or claim the result for data in "
    "memory only.",
    before=r"(?=the data \(.* fits the block cache )",
)


@dataclass(frozen=True)
class DataRead:
    """What the reads of a run can find in memory, at its scale.

    Attributes:
        data_bytes: of all keys and values.
        cache_bytes: of the block cache; 0 or less where there is none or its size is not known.
        direct: the engine reads past the page cache.
        blocks: the block cache in blocks; None where the size of a block is not known.
    """

    data_bytes: int
    cache_bytes: int
    direct: bool
    blocks: CacheBlocks | None = None

    def facts(self) -> dict[str, str]:
        """Return it as facts of a measurement."""
        return {
            **({} if self.blocks is None else self.blocks.facts()),
            "read_data_bytes": str(self.data_bytes),
            "read_cache_bytes": str(self.cache_bytes),
            "direct_reads": "yes" if self.direct else "no",
        }

    @classmethod
    def of(cls, facts: Mapping[str, str]) -> "DataRead | None":
        """Return what `facts` wrote; None for a run that read nothing, or was made before they were kept."""
        if "read_data_bytes" not in facts:
            return None
        data, cache = int(facts["read_data_bytes"]), int(facts["read_cache_bytes"])
        return cls(data, cache, facts["direct_reads"] == "yes", CacheBlocks.of(facts, cache))


def cache_sized_data(read: DataRead, memory_bytes: int, whose: str = "the machine's memory") -> Finding | None:
    """Judge whether reads are served from memory.

    Args:
        read: what was read.
        memory_bytes: memory of the machine, or what a control group leaves for the page cache.
        whose: what that is, in words.
    """
    data, cache = (
        f"the data of a run ({format_bytes(read.data_bytes)})",
        f"block cache ({format_bytes(read.cache_bytes)})",
    )
    memory = f"{whose} ({format_bytes(memory_bytes)})"
    if read.cache_bytes >= read.data_bytes:
        return CACHE_SIZED_DATA.says(f"{data} fits the {cache}, in {memory}; reads of files are not tested")
    if read.direct or read.data_bytes > memory_bytes:
        return None
    beyond = f", not the {cache}" if read.cache_bytes > 0 else ""
    return CACHE_SIZED_DATA.says(f"{data} fits {memory}{beyond}; reads of the disk are not tested")


LOW_FOUND_RATE = Rule(
    code="low-found-rate",
    looks_at="Reads that found their key, over all reads of the measured phase; readmissing is left out.",
    threshold=f"Below {format_percent(_LEAST_FOUND)}. As many random draws as there are keys, with replacement, leave "
    "out 1/e of the keys, so 63 % is what fillrandom gives and no fault; with less than half the load does not match "
    "the reads.",
    why="Reads of keys that do not exist end in a filter and never in a block: another workload than the one meant.",
    next="Load with fillseq, with the same keys and sizes that the reads have.",
    before=r"(?=only \S+ % of the reads found their key)",
)


def low_found_rate(ratio: float | None) -> Finding | None:
    """Judge the share of reads that found their key; None where it is not known."""
    if ratio is None or ratio >= _LEAST_FOUND:
        return None
    return LOW_FOUND_RATE.says(
        f"only {format_percent(ratio)} of the reads found their key; the load does not match the reads"
    )


WAL_OFF = Rule(
    code="wal-off",
    looks_at="disable_wal of the workload of a run that writes, as an axis of a sample or a sweep has it.",
    threshold="Whenever it is on: a fact about durability, whatever the result.",
    why="A write without the log is lost in a crash until its memtable is flushed. It saves one write of every byte "
    "and the waits for the log, so neither rates nor configurations carry over to a store that keeps its log.",
    next="Leave it if the product runs without the log too; otherwise set disable_wal = false.",
)


def wal_off(*, disabled: bool, writes: bool) -> Finding | None:
    """Judge whether writes skip the write-ahead log."""
    if not (disabled and writes):
        return None
    return WAL_OFF.says(
        "writes skip the write-ahead log, so a crash loses what was not flushed; the result says nothing about "
        "durable writes"
    )


HUNG_ENGINE = Rule(
    code="hung-engine",
    looks_at="Processes that lsmtune ended after all their results were printed, because nothing happened any more.",
    threshold="One process.",
    why="The results count, but what is printed at the exit is missing, such as the engine's counters of db_bench.",
    next='Fix compaction_style = "level", or use a newer RocksDB: waitforcompaction of 7.8.3 can hang with universal '
    "compaction.",
    before=r"(?=(load|settle|measure): it hung)",
)


def hung_engine(process: str, reason: str, consequence: str) -> Finding:
    """Say of a process that was ended because it hung what follows from that."""
    return HUNG_ENGINE.says(f"{process}: {reason}; {consequence}")


IGNORED_PROPERTY = Rule(
    code="ignored-property",
    looks_at="Properties of YCSB that lsmtune's driver reports as unused.",
    threshold="One property.",
    why="The property had no effect.",
    next="Take it out, or write the property that the driver knows.",
    before=r"(?=properties without meaning here: )",
)


def ignored_properties(names: tuple[str, ...]) -> Finding | None:
    """Judge the properties that the driver ignored."""
    return IGNORED_PROPERTY.says(f"properties without meaning here: {', '.join(names)}") if names else None


OVERRIDDEN_VALUE = Rule(
    code="overridden-value",
    looks_at="Values that were asked for against those read back from the engine after it had opened.",
    threshold="Any difference at full size.",
    why="Another value was measured than the one that was asked for, and over part of its range the option does "
    "nothing.",
    next="Narrow the range under [space.ranges] to what the engine keeps.",
    before=r"(?=\S+ was asked to be )",
)


def overridden_value(change: Overridden) -> Finding:
    """Say what the engine made of a value."""
    reason = f" ({change.reason})" if change.reason else ""
    return OVERRIDDEN_VALUE.says(f"{change.option} was asked to be {change.asked} and was {change.effective}{reason}")


TOOL_SAID = Rule(
    code="tool-said",
    looks_at="Findings of the tool itself, passed on as they are; and older sentences that no rule knows.",
    threshold="Anything.",
    why="The tool saw something in what it was asked that lsmtune has no rule for.",
    next="Read the sentence; the output of the run is in its artefacts.",
)


def tool_said(sentence: str) -> Finding:
    """Pass on a sentence of the tool."""
    return TOOL_SAID.says(sentence)
