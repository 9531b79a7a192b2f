"""The hostile worlds: what each is like, and what is asked of the studies in it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from lsmtune.indicators import Guard, Objective
from lsmtune.model import Configuration, Value
from lsmtune.result import Rules
from lsmtune.space import Space
from lsmtune.testing._fake_executor import Noise
from lsmtune.testing._small_effects import SmallEffects, small_effects_space
from lsmtune.testing._surface import Surface, fake_space
from lsmtune.testing._worlds import Candidates, Host, Trouble, World
from lsmtune.testing.hostile._questions import Question

RATE = "throughput_settled_ops_s"
MARGIN = 1.10
"""What the guard of each world allows."""
_ELIMINATION_RUNS = 100
"""Budget from which on changes are reverted alone."""
_SPACE, _TAIL = "space_bytes", "latency_p99_s"
_SLOWED = ("throughput_ops_s", RATE)


@dataclass(frozen=True)
class HostileWorld:
    """A world in which studies are run, whose truth is known.

    Attributes:
        name: unique; a command of `tools/hostile_worlds.py` names it.
        about: what is hostile in it, in a few words.
        asks: what the studies in it are held against.
        world: what befalls runs.
        surface: what the values of options do.
        noise: how much runs differ.
        guarded: indicator that must not get worse by more than `MARGIN`.
        struck_only: an improvement is false where a fresh run of what is called better stalled or was in trouble, and
            only studies with such a run count; else where it is truly no better.
        space: what is searched.
        runs: budget of a tuning.
    """

    name: str
    about: str
    asks: frozenset[Question]
    world: World = field(default_factory=World)
    surface: Surface = field(default_factory=Surface)
    noise: Noise = field(default_factory=lambda: Noise(rate=0.06))
    guarded: str = _SPACE
    struck_only: bool = False
    space: Space = field(default_factory=fake_space)
    runs: int = 90

    def rules(self, finalists: int) -> Rules:
        """Return by what studies are judged: settled throughput counts, one indicator is guarded."""
        return Rules(
            objective=Objective({RATE: 1.0}),
            guards=(Guard(self.guarded, MARGIN),),
            limits=(),
            reference="stock",
            baselines={"stock": Configuration()},
            minimum_effect=0.03,
            timed=True,
            finalists=finalists,
        )

    def log_ratio(self, name: str, after: Mapping[str, Value], before: Mapping[str, Value]) -> float:
        """Return the true natural log of an indicator's ratio, as a mean of logs over runs that end."""
        return self._log(name, after) - self._log(name, before)

    def log_gain(self, after: Mapping[str, Value], before: Mapping[str, Value]) -> float:
        """Return the true log gain in the objective."""
        return self.log_ratio(RATE, after, before)

    def _log(self, name: str, values: Mapping[str, Value]) -> float:
        log = math.log(self.surface.indicators(values)[name])
        reference = self.space.reference
        if {**reference, **values} == reference:
            return log
        candidates = self.world.candidates
        if name in _SLOWED:
            log -= candidates.slowness
        elif name.endswith("_time_s") or name == _TAIL:
            log += candidates.slowness
        return log + math.log(candidates.worse.get(name, 1.0))


def _null(name: str, about: str, host: Host | None = None, trees: float = 0.0, rate: float = 0.06) -> HostileWorld:
    """Return a world without anything to gain."""
    asks = frozenset({Question.FALSE, Question.STEP, Question.ENDED})
    return HostileWorld(name, about, asks, World(host or Host(), trees=trees), noise=Noise(rate=rate))


def _faulty(name: str, about: str, candidates: Candidates) -> HostileWorld:
    asks = frozenset({Question.FALSE, Question.STEP, Question.ENDED})
    return HostileWorld(name, about, asks, World(candidates=candidates), struck_only=True)


def _blameless(name: str, about: str, trouble: Trouble) -> HostileWorld:
    """Return a world in which what happens to candidates must not count against them."""
    candidates = Candidates(gain=0.15, trouble=trouble, troubled=0.15)
    return HostileWorld(name, about, frozenset({Question.SHOWN, Question.ENDED}), World(candidates=candidates))


def _guarded(name: str, about: str, worsening: float) -> HostileWorld:
    """Return a world where every candidate is 1.20x as fast and worsens the tail by a factor."""
    gain = 0.20
    candidates = Candidates(gain=gain, worse={_TAIL: worsening * (1 + gain)})
    judged = {Question.BROKEN, Question.STEP} if worsening > MARGIN else {Question.PASSED}
    asks = frozenset({*judged, Question.GUARD})
    return HostileWorld(name, about, asks, World(candidates=candidates), guarded=_TAIL)


def _intervals(rate: float) -> HostileWorld:
    asks = frozenset(
        {
            Question.CLAIM,
            Question.GAIN,
            Question.GUARD,
            Question.INDICATOR,
            Question.STAYS,
            Question.TESTED,
            Question.FLOOR,
        }
    )
    about = f"options that together gain 25 %, {100 * rate:.0f} % noise"
    name, noise = f"intervals-{100 * rate:.0f}", Noise(rate=rate)
    return HostileWorld(name, about, asks, surface=Surface(0.25), noise=noise, runs=_ELIMINATION_RUNS)


def _small_effects(rate: float) -> HostileWorld:
    return HostileWorld(
        f"small-effects-{100 * rate:.0f}",
        f"12 options of 1 to 3 % each, {100 * rate:.0f} % noise",
        frozenset({Question.KEPT, Question.LOST, Question.STAYS, Question.TESTED}),
        surface=SmallEffects(),
        noise=Noise(rate=rate),
        space=small_effects_space(),
        runs=220,
    )


WORLDS: Mapping[str, HostileWorld] = {
    each.name: each
    for each in (
        _null("calm", "identical arms"),
        _null("drift", "identical arms, a host that drifts by 2x", Host(drift=2.0)),
        _null("ar1", "identical arms, AR(1) noise of 8 %", Host(wander=0.08), rate=0.03),
        _null("jumps", "identical arms, a host that jumps by 20 %", Host(jump=0.20)),
        _null("outliers-5", "identical arms, 3.5x in 5 % of the runs", Host(outliers=0.05)),
        _null("outliers-20", "identical arms, 3.5x in 20 % of the runs", Host(outliers=0.20)),
        _null("trees-5", "identical arms, trees that differ by 5 %", trees=0.05),
        _null("trees-15", "identical arms, trees that differ by 15 %", trees=0.15),
        _null("trees-23", "identical arms, trees that differ by 23 %", trees=0.23),
        _null("busy-30", "identical arms, others busy in 30 % of the runs", Host(busy=0.3)),
        _null("busy-100", "identical arms, others always busy", Host(busy=1.0)),
        _faulty("stalls-20", "1.10x, but 5x as long in 20 % of the runs", Candidates(0.10, stalls=0.20, stall=5.0)),
        _faulty(
            "stalls-10", "truly 1x: 3x as long in 10 % of the runs", Candidates(3**0.1 - 1, stalls=0.10, stall=3.0)
        ),
        _faulty("crash", "1.10x, a third of the runs crashes", Candidates(0.10, trouble=Trouble.CRASH, troubled=1 / 3)),
        _faulty(
            "hang", "1.10x, a third hangs before the result", Candidates(0.10, trouble=Trouble.HANG, troubled=1 / 3)
        ),
        _faulty(
            "fills-disk",
            "1.10x, a third fills the disk",
            Candidates(0.10, trouble=Trouble.FILL_DISK, troubled=1 / 3),
        ),
        _blameless("hang-after", "1.15x, 15 % hang after the result", Trouble.HANG_AFTER),
        _blameless("disk-of-others", "1.15x, others fill the disk in 15 % of the runs", Trouble.DISK_OF_OTHERS),
        _guarded("guard-held", "a guard of 1.10x, truly 1.05x", 1.05),
        _guarded("guard-5", "a guard of 1.10x, truly 1.155x", MARGIN * 1.05),
        _guarded("guard-15", "a guard of 1.10x, truly 1.265x", MARGIN * 1.15),
        HostileWorld("power", "1.10x, 6 % noise", frozenset({Question.SHOWN}), World(candidates=Candidates(gain=0.10))),
        _intervals(0.03),
        _intervals(0.06),
        _intervals(0.12),
        _small_effects(0.03),
        _small_effects(0.06),
    )
}
"""All hostile worlds by name."""
