"""The part of a process that no option of the engine moves. It was measured, not derived."""

from dataclasses import dataclass

from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import MemoryPart
from lsmtune.units import format_bytes

_MIB = 1 << 20


@dataclass(frozen=True)
class ProcessMemory:
    """What a process needs before it has a cache or a memtable.

    Attributes:
        bytes: code, libraries and what starts with the engine, in B.
        thread_bytes: for each client thread: stack, buffers, its part of malloc, in B.
        source: where the numbers are from.
    """

    bytes: int
    thread_bytes: int
    source: str


DB_BENCH = ProcessMemory(
    bytes=14 * _MIB,
    thread_bytes=1 * _MIB,
    source="measured with db_bench 7.8.3 and a cache of 1 MB, at 1 and at 4 threads (docs/explanation/memory.md)",
)
"""db_bench as Debian builds it; 12.8 MiB of it are pages of the program and its libraries."""


def process_part(load: Load, process: ProcessMemory = DB_BENCH) -> MemoryPart:
    """Return the part of the process itself, as it was given or as it was measured."""
    if load.process_bytes is not None:
        return MemoryPart("process", load.process_bytes, "as given", "the user")
    formula = f"{format_bytes(process.bytes)} + {load.threads} (client threads) x {format_bytes(process.thread_bytes)}"
    return MemoryPart("process", process.bytes + load.threads * process.thread_bytes, formula, process.source)
