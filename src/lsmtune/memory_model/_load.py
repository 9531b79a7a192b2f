"""What the workload does to memory. No configuration says it, so each field is asked for or assumed."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp

from lsmtune.errors import UsageError
from lsmtune.model import Workload
from lsmtune.units import LARGEST


@dataclass(frozen=True)
class Load:
    """What is known of the workload of one store, and of the process that has it open.

    Attributes:
        data_bytes: user bytes (keys and values, not compressed) that the store holds, in B; None: not known.
        stored_bytes: size of its table files, in B; None: not known.
        key_bytes, value_bytes: sizes of a pair, in B.
        threads: client threads of the process.
        reads, writes: whether they do.
        iterators: iterators that are open at a time.
        read_operations: random reads over all of the data; None: enough of them to fill the cache.
        written_bytes: user bytes that one process writes, in B; None: enough to fill every memtable.
        flush_lag: memtables that are filled while one is flushed: 0 where writes are slow, 1 and more where flushes
            fall behind; None: not known, so that every memtable that the options allow may be full.
        malloc_arenas: upper limit of the arenas of malloc (MALLOC_ARENA_MAX); None: one for each client thread, as
            glibc does. 1 also stands for an allocator that keeps little back.
        process_bytes: what the process needs without a store, in B; None: what was measured of db_bench.

    Raises:
        UsageError: a number is negative, is none or is more than 63 bits hold, or a pair has no bytes.
    """

    data_bytes: int | None = None
    stored_bytes: int | None = None
    key_bytes: int = 16
    value_bytes: int = 100
    threads: int = 1
    reads: bool = True
    writes: bool = True
    iterators: int = 0
    read_operations: int | None = None
    written_bytes: int | None = None
    flush_lag: float | None = None
    malloc_arenas: int | None = None
    process_bytes: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not 0 <= value <= LARGEST:  # nor is nan
                raise UsageError(f"{name} is {value}; give a number that is not negative, and of 64 bits at most")
        for name in ("threads", "malloc_arenas", "pair_bytes"):
            if getattr(self, name) == 0:
                raise UsageError(f"{name} is 0; give at least 1")

    @classmethod
    def of(cls, workload: Workload, scale: Fraction, *, reads: bool, writes: bool) -> "Load":
        """Return what a workload says at a scale; whether its measured phases read and write, its tool knows."""
        return cls(
            data_bytes=round(workload.data_bytes * scale),
            key_bytes=workload.key_size_bytes,
            value_bytes=workload.value_size_bytes,
            threads=workload.threads,
            reads=reads,
            writes=writes,
        )

    @property
    def pair_bytes(self) -> int:
        """User bytes of one pair, in B."""
        return self.key_bytes + self.value_bytes

    @property
    def arenas(self) -> int:
        """Arenas that malloc serves the client threads from."""
        return self.threads if self.malloc_arenas is None else min(self.threads, self.malloc_arenas)

    def read_share(self, blocks: float) -> float:
        """Return the share of so many blocks that random reads have touched at least once.

        Reads that choose evenly leave a block untouched with the probability ``exp(-reads / blocks)``.
        """
        return 1.0 if self.read_operations is None or not blocks else 1 - exp(-self.read_operations / blocks)
