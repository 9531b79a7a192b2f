"""An executor without an engine: in this process, at once, and the same for the same seeds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from lsmtune.executors import Executor, Limits, Progress, Watcher
from lsmtune.lint import hung_engine
from lsmtune.model import WHOLE, Measurement, Outcome, Run, Status
from lsmtune.testing._surface import Surface, fake_space
from lsmtune.testing._worlds import CALM, Fate, Fates, Trouble, World

_EPOCH_S = 1.7e9
_RESULTS_S = 0.3
_FAILED_S = 0.5
_TIMES = frozenset({"total_time_s", "load_time_s", "settle_time_s"})
_DISTURBED = 1.4  # factor on the time of a disturbed run
_HUNG_S = 12.0  # until a process that does nothing any more is ended


class Fault(StrEnum):
    """What happens to a run."""

    FAIL = "fail"
    CENSOR = "censor"
    DISTURB = "disturb"
    SPOIL = "spoil"
    """Others filled the disk."""
    INTERRUPT = "interrupt"
    """Ctrl-C: KeyboardInterrupt."""


Faults: TypeAlias = Callable[[Run], Fault | None]
"""Says what happens to a run; None: nothing."""


@dataclass(frozen=True)
class Noise:
    """How much runs of one configuration differ, as standard deviations of natural logs.

    The defaults are what was measured while lsmtune was planned, on a busy machine with two cores.

    Attributes:
        rate: of all times and rates, which move together.
        waf, space, memory, cpu: of these alone.
        latency: of the tail, on top of `rate`.
        drift: amplitude of each of two waves of 40 to 300 runs, which all times and rates follow.
        outliers: share of runs that are slowed down, by 1.5 on average.
    """

    rate: float = 0.10
    waf: float = 0.016
    space: float = 0.008
    memory: float = 0.01
    cpu: float = 0.15
    latency: float = 0.15
    drift: float = 0.0
    outliers: float = 0.0


QUIET = Noise(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""No noise at all."""
REALISTIC = Noise(drift=0.05, outliers=0.03)
"""Noise with slow drift and occasional outliers."""


_REASONS: Mapping[Trouble | None, str] = {
    Trouble.CRASH: "db_bench ended with signal 11 (SIGSEGV)",
    Trouble.HANG: "it hung: nothing happened for 12 s before its last result",
    Trouble.FILL_DISK: "the data grew to 60 GiB, beyond host.max_disk = 40 GiB",
    Trouble.DISK_OF_OTHERS: "1 GiB are left on the disk of /scratch, below host.min_free = 4 GiB",
}
"""Why a run failed, by its trouble."""


class FakeExecutor(Executor):
    """Gives each run the indicators of a surface, with noise that follows from the run's seed.

    Time is simulated: a run takes what the surface says and is censored at its cap. The same run (configuration, seed
    and, where there is drift, id) gives the same outcome in every executor with the same seed.

    Attributes:
        surface: the truth.
        at: the truth of runs with less or more data by their rung, whose times follow it; the surface itself unless
            given.
        made: number of runs asked for, those that were interrupted included.
        struck: ids of the runs of candidates that stalled or were in trouble.
        clock_s: simulated time since the executor was made.
    """

    def __init__(
        self,
        surface: Surface,
        noise: Noise = REALISTIC,
        seed: int = 1,
        faults: Faults = lambda _: None,
        at: Callable[[Fraction], Surface] | None = None,
        world: World = CALM,
    ) -> None:
        self.surface = surface
        self.at = at or (lambda _: surface)
        self.made = 0
        self.struck: set[int] = set()
        self.clock_s = 0.0
        self._noise = noise
        self._seed = seed
        self._faults = faults
        self._asides = world.asides
        rng = np.random.default_rng(seed)
        self._waves = [(rng.uniform(40, 100), rng.uniform(0, 1)), (rng.uniform(100, 300), rng.uniform(0, 1))]
        self._reference = fake_space().reference
        self._fates = Fates(world, seed, self._reference)

    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        """Return the outcome of a run; see `lsmtune.executors.Executor`."""
        self.made += 1
        fault = self._faults(run)
        watch(Progress("measure", 0.0, 0.0))
        if fault is Fault.INTERRUPT:
            raise KeyboardInterrupt
        outcome = self._outcome(run, limits, fault)
        self.clock_s += outcome.elapsed_s
        return outcome

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    def _outcome(self, run: Run, limits: Limits, fault: Fault | None) -> Outcome:
        now_s = _EPOCH_S + self.clock_s
        if fault is Fault.FAIL:
            return Outcome(Status.FAILED, now_s, _FAILED_S, "db_bench was told to fail")
        if fault is Fault.SPOIL:
            return Outcome(Status.SPOILED, now_s, _FAILED_S, _REASONS[Trouble.DISK_OF_OTHERS])
        fate = self._fates.of(run)
        if fate.stalled or fate.trouble is not None:
            self.struck.add(run.id)
        indicators = self._indicators(run, fate, _DISTURBED if fault is Fault.DISTURB else 1.0)
        elapsed_s = indicators["total_time_s"] + _RESULTS_S + (_HUNG_S if fate.trouble is Trouble.HANG_AFTER else 0.0)
        if fate.trouble in _REASONS:
            status = Status.SPOILED if fate.trouble is Trouble.DISK_OF_OTHERS else Status.FAILED
            return Outcome(status, now_s, elapsed_s / 2, _REASONS[fate.trouble])
        hopeless = fault is Fault.CENSOR
        cap_s = limits.wall_s if limits.wall_s is not None and fault is not Fault.CENSOR else elapsed_s
        if hopeless or elapsed_s > cap_s:
            return Outcome(Status.CENSORED, now_s, cap_s, f"it ran {cap_s:.1f} s, its cap", None, cap_s)
        aside = Measurement({}) if self._asides is None else self._asides(run)
        effective = {**self._reference, **run.configuration.values}
        warnings = (*_warned(fate), *aside.warnings)
        measurement = Measurement({**indicators, **aside.indicators}, effective, warnings=warnings)
        if fault is Fault.DISTURB or fate.busy:
            reason = "others used 29 % of the cores that the run may use"
            return Outcome(Status.DISTURBED, now_s, elapsed_s, reason, measurement)
        return Outcome(Status.OK, now_s, elapsed_s, "", measurement)

    def _indicators(self, run: Run, fate: Fate, slower: float) -> dict[str, float]:
        surface = self.surface if run.rung == WHOLE else self.at(run.rung)
        truth = surface.indicators(run.configuration.values)
        indicators = self._noisy(run, truth, slower * math.exp(fate.slowness))
        for name in _TIMES.intersection(indicators):
            indicators[name] *= float(run.rung)
        return {name: value * fate.factors.get(name, 1.0) for name, value in indicators.items()}

    def _noisy(self, run: Run, truth: Mapping[str, float], slower: float) -> dict[str, float]:
        noise = self._noise
        rng = np.random.default_rng([self._seed, run.seed])
        rate, waf, space, memory, cpu, latency = rng.standard_normal(6).tolist()
        chance, extent = rng.random(), rng.exponential(0.4)
        slow = noise.rate * rate + self._drift(run.id) + (extent if chance < noise.outliers else 0.0) + math.log(slower)
        logs = {
            "waf": noise.waf * waf,
            "space_bytes": noise.space * space,
            "memory_peak_bytes": noise.memory * memory,
            "cpu_s": noise.cpu * cpu,
            "latency_p99_s": slow + noise.latency * latency,
        }
        for name in truth:
            if name.endswith("_ops_s"):
                logs[name] = -slow
            elif name.endswith("_time_s"):
                logs[name] = slow
        return {name: value * math.exp(logs[name]) for name, value in truth.items()}

    def _drift(self, order: int) -> float:
        waves = (math.sin(2 * math.pi * (order / period + phase)) for period, phase in self._waves)
        return self._noise.drift * sum(waves)


def _warned(fate: Fate) -> tuple[str, ...]:
    if fate.trouble is not Trouble.HANG_AFTER:
        return ()
    reason = f"it hung: nothing happened for {_HUNG_S:g} s after its last result"
    return (str(hung_engine("measure", reason, "it was ended")),)


def at_runs(faults: Mapping[int, Fault]) -> Faults:
    """Return faults that happen to the runs with these ids."""
    return lambda run: faults.get(run.id)
