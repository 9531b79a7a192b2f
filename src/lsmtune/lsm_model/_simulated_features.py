"""What a simulation of a load says about a configuration before it is run."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from lsmtune.extras import need
from lsmtune.lsm_model._simulation_tree import MOST_LEVELS, PLAN
from lsmtune.lsm_model._tree_known import CODEC_NS, Floats, Known, stored_shares

_LEAST_BUFFER = 65_536
"""RocksDB makes smaller memtables as large as this, in B."""
_PER_ENTRY = 40
"""B of a memtable for an entry beside its key and value."""
_CHUNK = 256
"""Rows that a thread takes at a time."""


@dataclass(frozen=True)
class Speeds:
    """What work costs on a processor like that of the runs to which these were fitted.

    Attributes:
        write_us: of a write by a single writer.
        merge_ns: of a byte that a compaction reads.
        flush_ns, flush_us: of a byte of a flush, and of a flush.
        job_us, file_us: of a compaction, and of each file that it writes.
        overlap: bytes of the next level that a file meets, against an average file of its level; below 1, as RocksDB
            prefers files that meet little.
        delay: rate at which delayed writes really go, against `delayed_write_rate`.
        effort: by which power the time to compress grows with the share of a value that remains.
        codec_ns: to compress a byte of db_bench's data of which half remains.
    """

    write_us: float = 3.8
    merge_ns: float = 0.68
    flush_ns: float = 1.4
    flush_us: float = 480.0
    job_us: float = 350.0
    file_us: float = 39.0
    overlap: float = 0.35
    delay: float = 1.9
    effort: float = 0.58
    codec_ns: Mapping[str, float] = field(default_factory=lambda: CODEC_NS)


class Simulated:
    """Outcomes of simulated loads; each distinct plan is simulated once, as analyses ask for the same ones often."""

    def __init__(self, cores: int, scale: float, speeds: Speeds = Speeds()) -> None:
        """`scale` is what sizes are multiplied with in the runs."""
        self._cores, self._scale, self._speeds = cores, scale, speeds
        self._known: dict[bytes, Floats] = {}

    def features(self, known: Known) -> dict[str, Floats]:
        """Return features by name, shape (n,) each: natural logarithms of amplifications, times and counts."""
        waf, load, total, stored, runs, stalled = self.outcomes(known).T
        return {
            "simulated writes": np.log(waf),
            "simulated load time": np.log(load),
            "simulated total time": np.log(total),
            "simulated settling": np.log(total - load + 10_000.0),
            "simulated size": np.log(stored),
            "simulated runs": np.log1p(runs),
            "simulated stalls": stalled,
        }

    def outcomes(self, known: Known) -> Floats:
        """Return what `simulate` says, shape (n, 6)."""
        plans = self._plans(known)
        keys = [blake2b(plan.tobytes(), digest_size=16).digest() for plan in plans]
        missing = {key: row for row, key in enumerate(keys) if key not in self._known}
        for key, outcome in zip(missing, self._simulate(plans[list(missing.values())]), strict=True):
            self._known[key] = outcome
        return np.array([self._known[key] for key in keys])

    def _simulate(self, plans: npt.NDArray[np.void]) -> Floats:
        need("a simulation of the tree", "numba")
        from lsmtune.lsm_model._simulation import OUTCOMES, simulate

        chunks = [plans[start : start + _CHUNK] for start in range(0, len(plans), _CHUNK)]
        with ThreadPoolExecutor(max(1, self._cores)) as pool:
            return np.concatenate([np.empty((0, len(OUTCOMES))), *pool.map(simulate, chunks)])

    def _plans(self, known: Known) -> npt.NDArray[np.void]:
        pair = known.asked("key_size_bytes") + known.asked("value_size_bytes")
        plans = np.zeros(len(pair), PLAN)
        keys, speeds = known.keys * self._scale, self._speeds
        memtables = known.number("max_write_buffer_number", 2.0)
        trigger = known.number("level0_file_num_compaction_trigger")
        slowdown = np.maximum(known.number("level0_slowdown_writes_trigger"), trigger)
        buffer = np.maximum(known.number("write_buffer_size") * self._scale, _LEAST_BUFFER)
        flushes, compactions = known.background_jobs()
        for name, value in {
            "keys": keys,
            "operations": keys * known.asked("threads"),
            "pair": pair,
            "writers": known.asked("threads"),
            "write_us": speeds.write_us,
            "memtable": np.maximum(buffer / (pair + _PER_ENTRY), 1.0),
            "memtables": memtables,
            "merged": np.minimum(known.number("min_write_buffer_number_to_merge"), memtables - 1),
            "trigger": trigger,
            "slowdown": slowdown,
            "stop": np.maximum(known.number("level0_stop_writes_trigger"), slowdown),
            "flushes": flushes,
            "compactions": compactions,
            "cores": self._cores,
            "delayed_rate": known.number("delayed_write_rate") * speeds.delay / pair * 1e-6,
            "is_tiered": known.word("compaction_style") == "universal",
            "levels": np.clip(known.number("num_levels"), 2, MOST_LEVELS - 1),
            "flush_ns": speeds.flush_ns,
            "flush_us": speeds.flush_us,
            "merge_ns": speeds.merge_ns,
            "job_us": speeds.job_us,
            "file_us": speeds.file_us,
            "overlap": speeds.overlap,
        }.items():
            plans[name] = value
        self._fill_levels(plans, known, pair)
        return plans

    def _fill_levels(self, plans: npt.NDArray[np.void], known: Known, pair: Floats) -> None:
        depth = np.maximum(np.arange(MOST_LEVELS) - 1, 0)
        growth = known.number("target_file_size_multiplier")[:, None] ** depth
        plans["file"] = np.maximum(known.number("target_file_size_base")[:, None] * self._scale * growth, 1.0)
        growth = known.number("max_bytes_for_level_multiplier", 1.0)[:, None] ** depth
        plans["target"] = np.maximum(known.number("max_bytes_for_level_base")[:, None] * self._scale * growth, 1.0)
        plans["share"] = stored_shares(known, pair, MOST_LEVELS)
        is_compressed = np.arange(MOST_LEVELS) >= known.number("min_level_to_compress", -1.0)[:, None]
        effort = (known.asked("compression_ratio") / 0.5) ** self._speeds.effort
        cost = known.codec_ns(self._speeds.codec_ns) * effort
        plans["cost"] = np.where(is_compressed, cost[:, None], 0.0)
