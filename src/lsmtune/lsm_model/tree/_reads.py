"""What is read from a tree: which keys, how unevenly, and what is written meanwhile."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model.tree._writes import rank_masses

_CLASSES = 48
"""Of keys, where some are asked for more often than others: three for each class of writes."""


class Popularity(StrEnum):
    """How often keys are asked for."""

    UNIFORM = "uniform"
    """All alike."""
    ZIPFIAN = "zipfian"
    """The r-th most frequent in proportion to r ** -theta, wherever it lies among the keys."""
    LATEST = "latest"
    """The same by age: the key that was inserted last is the most frequent."""
    RECIPROCAL = "reciprocal"
    """In proportion to 1 / r, for r from `keys` x exp(-`reach`) on: ``read_random_exp_range`` of db_bench."""


@dataclass(frozen=True)
class Reads:
    """One phase of reads.

    Attributes:
        keys: that reads are drawn from.
        popularity: see `Popularity`.
        theta: exponent of a zipfian or latest order.
        ranks: that a zipfian order has, where they are more than keys and hashed onto them; None: as many as keys.
        reach: logarithm of the most frequent rank's distance from the last one, of a reciprocal order.
        absent: share of the lookups whose keys were never written, beside those of `keys` that happen to be missing.
        scans: share of the reads that seek a key and go on from it.
        scan_length: pairs that a scan goes through, on average.
        writes: for each read, by all threads; 0 where nothing is written meanwhile.
        said: what is taken for granted of this phase, in sentences.
    """

    keys: int
    popularity: Popularity = Popularity.UNIFORM
    theta: float = 0.99
    ranks: int | None = None
    reach: float = 0.0
    absent: float = 0.0
    scans: float = 0.0
    scan_length: float = 0.0
    writes: float = 0.0
    said: tuple[str, ...] = ()

    def edges(self) -> npt.NDArray[np.float64]:
        """Return the ranks at which classes begin, and the end: ranks from 1, those of a class count alike."""
        if self.popularity is Popularity.UNIFORM or self.keys < 2 * _CLASSES:
            return np.array([1.0, self.keys + 1.0])
        first = self.keys * np.exp(-self.reach) if self.popularity is Popularity.RECIPROCAL else 1.0
        edges = np.geomspace(max(first, 1.0), self.keys + 1, _CLASSES + 1)
        return np.unique(np.concatenate([[1.0], np.round(edges)]))

    def weights(self, edges: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the share of the reads that each class takes, shape (classes,), absent keys left out."""
        if self.popularity is Popularity.UNIFORM or self.keys < 2 * _CLASSES:
            mass = np.diff(edges)
        elif self.popularity is Popularity.RECIPROCAL:
            # db_bench draws x = keys * exp(-u) and takes the whole part, so that all below 2 is the first rank.
            low = max(self.keys * np.exp(-self.reach), 1e-300)
            logs = np.log(np.clip(np.where(edges == edges[0], low, edges), low, self.keys))
            mass = np.diff(logs)
        else:
            mass = rank_masses(edges, self.theta, self.ranks)
        return np.asarray(mass / mass.sum(), dtype=np.float64)
