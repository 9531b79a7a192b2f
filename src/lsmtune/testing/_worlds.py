"""What befalls runs beside the noise of `Noise`: a host that changes, trees that differ, candidates that go wrong.

All of it follows from the study's seed and the run: what depends on the order of runs from the run's id, the tree from
the seed of its load, all else from the run's own seed.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from lsmtune.model import Measurement, Run, Value

_COURSE, _LUCK = 101, 102  # keep the draws of a world apart from those of the noise
_WITHOUT_FILES = frozenset({"max_background_jobs", "bytes_per_sync", "subcompactions", "compaction_readahead_size"})
"""Options of the fake engine that leave the files of a tree as they are."""


class Trouble(StrEnum):
    """What ends a run of a candidate."""

    CRASH = "crash"
    HANG = "hang"
    """Nothing happens any more before the last result."""
    HANG_AFTER = "hang after the result"
    """What was measured is there; the process is ended."""
    FILL_DISK = "fill the disk"
    DISK_OF_OTHERS = "a disk that others filled"
    """Not the candidate's doing."""


@dataclass(frozen=True)
class Host:
    """A machine that changes over the order of the runs, whatever they run.

    Attributes:
        drift: factor by which runs get slower over `drift_runs` runs, and faster again over as many.
        drift_runs: half the period of the drift.
        wander: standard deviation of natural logs of a stationary AR(1) series of all times and rates.
        memory: its correlation from run to run.
        jump: standard deviation of the levels between which the machine changes at once.
        jump_runs: mean number of runs from one such change to the next.
        outliers: share of runs that take `outlier` times as long.
        outlier: factor on the time of an outlier.
        busy: share of runs during which others use the host; these count as disturbed.
        taken: mean of the natural log by which such a run is slower; exponentially distributed.
    """

    drift: float = 1.0
    drift_runs: int = 80
    wander: float = 0.0
    memory: float = 0.8
    jump: float = 0.0
    jump_runs: float = 15.0
    outliers: float = 0.0
    outlier: float = 3.5
    busy: float = 0.0
    taken: float = 0.3


@dataclass(frozen=True)
class Candidates:
    """What every configuration other than the reference's does, beside what its values do.

    Attributes:
        gain: its rates over those of the reference, - 1, while nothing stalls.
        worse: factor by indicator, on top of what the gain does to it.
        stalls: share of runs that stall.
        stall: factor on the time of a run that stalls.
        trouble: what ends some of its runs; None for nothing.
        troubled: share of such runs.
    """

    gain: float = 0.0
    worse: Mapping[str, float] = field(default_factory=dict)
    stalls: float = 0.0
    stall: float = 1.0
    trouble: Trouble | None = None
    troubled: float = 0.0

    @property
    def slowness(self) -> float:
        """Natural log of the time of a run over the reference's, as a mean over runs that end."""
        return self.stalls * math.log(self.stall) - math.log1p(self.gain)


@dataclass(frozen=True)
class World:
    """All that befalls the runs of a study.

    Attributes:
        host: what the machine does to all runs.
        candidates: what all configurations but the reference's do.
        trees: standard deviation of the natural log of a factor on times and rates, which is the same for all runs on
            one tree: those with the same load and the same values of the options that shape files.
        asides: says what a run is measured with beside the surface: warnings, and indicators as they are, without
            noise; None for nothing.
    """

    host: Host = field(default_factory=Host)
    candidates: Candidates = field(default_factory=Candidates)
    trees: float = 0.0
    asides: Callable[[Run], Measurement] | None = None


CALM = World()
"""Nothing happens."""


@dataclass(frozen=True)
class Fate:
    """What befalls one run.

    Attributes:
        slowness: natural log of the factor on its times.
        factors: on single indicators.
        busy: others used the host.
        stalled: the candidate stalled.
        trouble: what ends it; None where it ends well.
    """

    slowness: float
    factors: Mapping[str, float]
    busy: bool
    stalled: bool
    trouble: Trouble | None


class Fates:
    """Says what befalls each run of one study.

    Args:
        world: what can happen.
        seed: of the study.
        reference: values of all options at the reference.
    """

    def __init__(self, world: World, seed: int, reference: Mapping[str, Value]) -> None:
        self._world = world
        self._seed = seed
        self._reference = dict(reference)
        self._course = _Course(world.host, seed)

    def of(self, run: Run) -> Fate:
        """Return what befalls a run; the same in every call."""
        host, candidates = self._world.host, self._world.candidates
        values = {**self._reference, **run.configuration.values}
        rng = np.random.default_rng([self._seed, run.seed, _LUCK])
        outlier, busy, stall, trouble = rng.random(4).tolist()
        taken = float(rng.exponential(host.taken))
        is_candidate = values != self._reference
        is_busy, stalled = busy < host.busy, is_candidate and stall < candidates.stalls
        slowness = self._course.at(run.id) + self._tree(run.load_seed, values)
        slowness += math.log(host.outlier) if outlier < host.outliers else 0.0
        slowness += taken if is_busy else 0.0
        slowness += math.log(candidates.stall) if stalled else 0.0
        slowness -= math.log1p(candidates.gain) if is_candidate else 0.0
        return Fate(
            slowness,
            candidates.worse if is_candidate else {},
            is_busy,
            stalled,
            candidates.trouble if is_candidate and trouble < candidates.troubled else None,
        )

    def _tree(self, load_seed: int, values: Mapping[str, Value]) -> float:
        if not self._world.trees:
            return 0.0
        shape = sorted((name, value) for name, value in values.items() if name not in _WITHOUT_FILES)
        digest = hashlib.sha256(f"{self._seed}/{load_seed}/{shape}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
        return self._world.trees * float(rng.standard_normal())


class _Course:
    """How slow a host is, run by run, as natural logs."""

    def __init__(self, host: Host, seed: int) -> None:
        self._host = host
        self._rng = np.random.default_rng([seed, _COURSE])
        self._start = float(self._rng.uniform(0, 2 * host.drift_runs))
        self._wandered = host.wander * float(self._rng.standard_normal())
        self._level = host.jump * float(self._rng.standard_normal())
        self._logs: list[float] = []

    def at(self, order: int) -> float:
        """Return the slowness at a place in the order of runs."""
        while len(self._logs) <= order:
            self._logs.append(self._next())
        return self._logs[order]

    def _next(self) -> float:
        host = self._host
        shock, level = self._rng.standard_normal(2).tolist()
        if self._rng.random() * host.jump_runs < 1:
            self._level = host.jump * level
        self._wandered = host.memory * self._wandered + math.sqrt(1 - host.memory**2) * host.wander * shock
        place = (len(self._logs) + self._start) % (2 * host.drift_runs) / host.drift_runs
        return math.log(host.drift) * min(place, 2 - place) + self._wandered + self._level
