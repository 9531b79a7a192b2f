"""What is written to a tree: how many keys, in which order, and how unevenly."""

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

_CLASSES = 16
"""Of keys, where some are written more often than others."""
_EXACT = 10_000
"""Terms of a sum over ranks that are added one by one; the rest is an integral."""


class Order(StrEnum):
    """How the keys of writes follow one another."""

    SEQUENTIAL = "sequential"
    """Each once, in the order of keys."""
    UNIQUE = "unique"
    """Each once, in random order."""
    UNIFORM = "uniform"
    """Drawn at random, all alike."""
    ZIPFIAN = "zipfian"
    """Drawn by rank: the r-th most frequent in proportion to r ** -theta, wherever it lies among the keys."""


class Rules(StrEnum):
    """Whose rules a tree follows."""

    ROCKSDB = "rocksdb"
    LEVELDB = "leveldb"


@dataclass(frozen=True)
class Fifo:
    """What FIFO compaction keeps; the defaults are those of RocksDB as a library.

    Attributes:
        most_bytes: of table files, in B; the oldest beyond that are deleted.
        ttl_s: age at which a file is deleted; 0: at none. 30 days are what db/column_family.cc, SanitizeOptions, makes
            of the default.
        merges: the newest files are merged where that is cheap (`allow_compaction`).
    """

    most_bytes: float = 1 << 30
    ttl_s: float = 30 * 86400.0
    merges: bool = False

    def at_scale(self, scale: Fraction) -> "Fifo":
        """Return what is kept where sizes of the tree shrink by `scale`; ages stay, as rates do."""
        return replace(self, most_bytes=self.most_bytes * float(scale))


@dataclass(frozen=True)
class Writes:
    """One phase of writes.

    Attributes:
        keys: that writes are drawn from.
        operations: writes of all threads together.
        key_bytes, value_bytes: sizes of a pair, in B.
        order: see `Order`.
        theta: exponent of a zipfian order, from 0, which is uniform, to below 1.
        ranks: that a zipfian order has, where they are more than keys and hashed onto them; None: as many as keys.
        deletes: share of the writes that delete.
        threads: that write.
        compression_ratio: share of a value that remains when it is compressed.
        has_log: writes go into the write-ahead log.
        is_synced: each waits until the log is on the device; those of several threads wait together.
        rate: writes/s that are offered by all of them; None: as fast as it goes.
        rules: of the engine that takes them, which say what its options are called, too.
        fifo: what is kept where compaction is FIFO's.
        is_measured: False: it builds the data that measured phases find.
        said: what is taken for granted of this phase, in sentences.
    """

    keys: int
    operations: int
    key_bytes: int
    value_bytes: int
    order: Order = Order.UNIFORM
    theta: float = 0.99
    ranks: int | None = None
    deletes: float = 0.0
    threads: int = 1
    rate: float | None = None
    compression_ratio: float = 0.5
    has_log: bool = True
    is_synced: bool = False
    rules: Rules = Rules.ROCKSDB
    fifo: Fifo = Fifo()
    is_measured: bool = True
    said: tuple[str, ...] = ()

    @property
    def pair_bytes(self) -> int:
        """Bytes of a key and its value."""
        return self.key_bytes + self.value_bytes

    @property
    def user_bytes(self) -> float:
        """Bytes of all keys and values that are set, and of the keys that are deleted."""
        return self.operations * (self.pair_bytes - self.deletes * self.value_bytes)

    @property
    def is_unique(self) -> bool:
        """Whether no key is written twice."""
        return self.order in (Order.SEQUENTIAL, Order.UNIQUE)

    def classes(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return keys of each class and the share of the writes that it takes, shape (classes,) each.

        Ranks are cut where they grow by the same factor, and within a class all keys count alike.
        """
        if self.order is not Order.ZIPFIAN or self.theta <= 0 or self.keys < 2 * _CLASSES:
            return np.array([float(self.keys)]), np.array([1.0])
        edges = np.unique(np.round(np.geomspace(1, self.keys + 1, _CLASSES + 1)))
        weights = rank_masses(edges, self.theta, self.ranks)
        return np.diff(edges), weights / weights.sum()


def rank_masses(edges: npt.NDArray[np.float64], theta: float, ranks: int | None) -> npt.NDArray[np.float64]:
    """Return how often keys are drawn whose ranks lie between neighbouring edges, in proportion to r ** -theta.

    Args:
        edges: ascending, from 1 to one past the last key, shape (classes + 1,).
        theta: the exponent.
        ranks: where they are more than keys, those beyond fall on all keys alike; None: as many as keys.

    Returns:
        Shape (classes,), of no particular sum.
    """
    mass = np.array([_rank_mass(low, high, theta) for low, high in pairwise(edges)])
    if ranks is not None and ranks + 1 > edges[-1]:
        mass += _rank_mass(edges[-1], ranks + 1.0, theta) * np.diff(edges) / (edges[-1] - edges[0])
    return mass


def _rank_mass(low: float, high: float, theta: float) -> float:
    """Return the sum of r ** -theta over low <= r < high: Euler and Maclaurin's formula where it has many terms."""
    if high - low <= _EXACT:
        return float((np.arange(low, high) ** -theta).sum())
    power = 1 - theta
    whole = np.log(high / low) if power == 0 else (high**power - low**power) / power
    return float(whole + (low**-theta - high**-theta) / 2)
