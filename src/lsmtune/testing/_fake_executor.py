"""An executor without an engine: in this process, at once, and the same for the same seeds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from lsmtune.executors import Executor, Limits, Progress, Watcher
from lsmtune.model import WHOLE, Measurement, Outcome, Run, Status
from lsmtune.testing._surface import Surface, fake_space

_EPOCH_S = 1.7e9
_HARVEST_S = 0.3
_FAILED_S = 0.5
_TIMES = frozenset({"total_time_s", "load_time_s", "settle_time_s"})
_DISTURBED = 1.4  # factor on the time of a contaminated run


class Fault(StrEnum):
    """What happens to a run."""

    FAIL = "fail"
    CENSOR = "censor"
    CONTAMINATE = "contaminate"
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


class FakeExecutor(Executor):
    """Gives each run the indicators of a surface, with noise that follows from the run's seed.

    Time is simulated: a run takes what the surface says and is censored at its cap. The same run (configuration, seed
    and, where there is drift, id) gives the same outcome in every executor with the same seed.

    Attributes:
        surface: the truth.
        small: the truth of runs with less data, whose times shrink with it.
        made: number of runs asked for, those that were interrupted included.
        clock_s: simulated time since the executor was made.
    """

    def __init__(
        self,
        surface: Surface,
        noise: Noise = REALISTIC,
        seed: int = 1,
        faults: Faults = lambda _: None,
        small: Surface | None = None,
    ) -> None:
        self.surface = surface
        self.small = small or surface
        self.made = 0
        self.clock_s = 0.0
        self._noise = noise
        self._seed = seed
        self._faults = faults
        rng = np.random.default_rng(seed)
        self._waves = [(rng.uniform(40, 100), rng.uniform(0, 1)), (rng.uniform(100, 300), rng.uniform(0, 1))]
        self._reference = fake_space().reference

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
        slower = _DISTURBED if fault is Fault.CONTAMINATE else 1.0
        surface = self.surface if run.rung == WHOLE else self.small
        indicators = self._noisy(run, surface.indicators(run.configuration.values), slower)
        for name in _TIMES.intersection(indicators):
            indicators[name] *= float(run.rung)
        elapsed_s = indicators["total_time_s"] + _HARVEST_S
        cap_s = elapsed_s if fault is Fault.CENSOR else limits.wall_s
        if cap_s is not None and (fault is Fault.CENSOR or elapsed_s > cap_s):
            return Outcome(Status.CENSORED, now_s, cap_s, f"it ran {cap_s:.1f} s, its cap", None, cap_s)
        measurement = Measurement(indicators, {**self._reference, **run.configuration.values})
        if fault is Fault.CONTAMINATE:
            reason = "others used 29 % of the cores that the run may use"
            return Outcome(Status.CONTAMINATED, now_s, elapsed_s, reason, measurement)
        return Outcome(Status.OK, now_s, elapsed_s, "", measurement)

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


def at_runs(faults: Mapping[int, Fault]) -> Faults:
    """Return faults that happen to the runs with these ids."""
    return lambda run: faults.get(run.id)
