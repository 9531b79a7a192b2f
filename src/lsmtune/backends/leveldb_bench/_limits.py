"""What LevelDB's db_bench cannot do: its numbers are 32-bit, its keys have one size, it always writes its log."""

from lsmtune.backends.leveldb_bench._benchmarks import LEVELDB_BENCHMARKS
from lsmtune.model import Settle, Value, Workload
from lsmtune.space import Option
from lsmtune.units import format_count

KEY_BYTES = 16
_MOST = 2**31 - 1  # flags are read with sscanf("%d")
_LEAST_TOO_LARGE_VALUE_BYTES = 1 << 20  # values are cut out of a text of 1 MiB


def wrong_in(workload: Workload) -> dict[str, str]:
    """Return what of a workload cannot be done, as the rest of a sentence by the name of the field."""
    wrong = {}
    if workload.key_size_bytes != KEY_BYTES:
        wrong["key_size_bytes"] = (
            f"is {workload.key_size_bytes}, and the keys of LevelDB's db_bench have {KEY_BYTES} bytes; take it out"
        )
    if workload.value_size_bytes >= _LEAST_TOO_LARGE_VALUE_BYTES:
        wrong["value_size_bytes"] = "is beyond what LevelDB's db_bench can make; write less than 1MiB"
    for field, count in (("num", workload.num), ("operations", workload.operations or 0)):
        if count > _MOST:
            wrong[field] = f"is more than a flag of LevelDB's db_bench holds; write at most {format_count(_MOST)}"
    if workload.operations is not None and all(_only_writes(phase) for phase in workload.benchmarks):
        wrong["operations"] = "is for phases that read: phases that write do num operations; take it out"
    if workload.disable_wal:
        wrong["disable_wal"] = "is not possible with LevelDB, which always writes its log; take it out"
    if workload.duration_s is not None:
        wrong["duration_s"] = "is not possible: LevelDB's db_bench counts operations; write operations, or take it out"
    if workload.settle is Settle.WAIT:
        wrong["settle"] = (
            'cannot be "wait": LevelDB\'s db_bench ends without waiting for compactions; write "none", or let the tool '
            "ycsb settle"
        )
    return wrong


def beyond_flags(option: Option, value: Value) -> str:
    """Return what is wrong with a value that a flag cannot carry, as the rest of a sentence, or nothing."""
    if isinstance(value, bool | str) or abs(value) <= _MOST:
        return ""
    unit = " B" if option.unit == "B" else ""
    return f"is {value}, and the flag --{option.flag} of LevelDB's db_bench holds 32 bits; write at most {_MOST}{unit}"


def _only_writes(phase: str) -> bool:
    benchmark = LEVELDB_BENCHMARKS.get(phase)
    return benchmark is None or benchmark.only_writes or not benchmark.measures
