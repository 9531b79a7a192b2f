"""What the workload does to memory. No configuration says it, so each field is asked for or assumed."""

from dataclasses import dataclass
from math import exp

from lsmtune.errors import UsageError


@dataclass(frozen=True)
class Load:
    """What is known of the workload of one store.

    Attributes:
        data_bytes: user bytes (keys and values, not compressed) that the store holds, in B; None: not known.
        stored_bytes: size of its table files, in B; None: not known.
        key_bytes, value_bytes: sizes of a pair, in B.
        readers, writers: client threads that read and that write; both 0 is a store that is only open.
        iterators: iterators that are open at a time.
        reads: random reads over all of the data; None: enough of them to fill the cache.
        written_bytes: user bytes that one process writes, in B; None: enough to fill every memtable.
        flush_lag: memtables that are filled while one is flushed: 0 where writes are slow, 1 and more where flushes
            fall behind; None: not known, so that every memtable that the options allow may be full.
        malloc_arenas: upper limit of the arenas of malloc (MALLOC_ARENA_MAX); None: one for each client thread, as
            glibc does. 1 also stands for an allocator that wastes little, such as jemalloc.

    Raises:
        UsageError: a number is negative, or a pair has no bytes.
    """

    data_bytes: int | None = None
    stored_bytes: int | None = None
    key_bytes: int = 16
    value_bytes: int = 100
    readers: int = 1
    writers: int = 1
    iterators: int = 0
    reads: int | None = None
    written_bytes: int | None = None
    flush_lag: float | None = None
    malloc_arenas: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value < 0:
                raise UsageError(f"{name} is {value}; give a number that is not negative")
        if self.pair_bytes == 0:
            raise UsageError("keys and values have no bytes; give key_bytes or value_bytes")
        if self.malloc_arenas == 0:
            raise UsageError("malloc_arenas is 0; give at least 1")

    @property
    def pair_bytes(self) -> int:
        """User bytes of one pair, in B."""
        return self.key_bytes + self.value_bytes

    @property
    def threads(self) -> int:
        """Client threads, at least 1."""
        return max(1, self.readers + self.writers)

    @property
    def arenas(self) -> int:
        """Arenas that malloc serves the client threads from."""
        return self.threads if self.malloc_arenas is None else min(self.threads, self.malloc_arenas)

    def read_share(self, blocks: float) -> float:
        """Return the share of so many blocks that random reads have touched at least once.

        Reads that choose evenly leave a block untouched with the probability ``exp(-reads / blocks)``.
        """
        return 1.0 if self.reads is None or not blocks else 1 - exp(-self.reads / blocks)
