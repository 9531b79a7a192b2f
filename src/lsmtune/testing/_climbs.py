"""Tunings that climb on the fake engine, whose truth at each scale is known: what is claimed there by mistake."""

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from lsmtune.model import Configuration, Purpose
from lsmtune.result import Climbing
from lsmtune.stats import Decision
from lsmtune.study import Budget
from lsmtune.testing._builders import FakePlan, fake_rules, fake_study
from lsmtune.testing._fake_executor import Noise
from lsmtune.testing._surface import EachChange, fake_space

_START, _SCALES = Fraction(1, 64), (Fraction(1, 16), Fraction(1, 4))
_FIRST = ({"write_buffer_size": 256 << 20}, {"max_background_jobs": 8}, {"block_size": 16384})
_AT_START = (1.5, 1.4, 1.35)
_STEADY = Noise(rate=0.05, drift=0.02, outliers=0.01)
_BUDGET = Budget(None, 320)
_SHARE = 0.5
_LEAST = 1e-9  # of a true log gain: rounding

CLIMB_WORLDS: Mapping[str, tuple[tuple[float, float, float], ...]] = {
    "nothing holds": ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
    "the first loses, the others do not differ": ((0.8, 1.0, 1.0), (0.8, 1.0, 1.0)),
    "two lose, the last does not differ": ((0.8, 0.8, 1.0), (0.8, 0.8, 1.0)),
    "all hold once": ((1.3, 1.25, 1.2), (1.0, 1.0, 1.0)),
}
"""By name, what each of three options gains at each of two larger scales; alone, each makes a finalist at the first."""


@dataclass(frozen=True)
class Climbed:
    """What one study claimed.

    Attributes:
        false: an improvement was claimed at a larger scale where there is none.
        false_loss: a finalist was taken for worse at a larger scale where it is not.
        reached: comparisons that were made at larger scales.
    """

    false: bool
    false_loss: bool
    reached: int


def climb_once(world: str, seed: int) -> Climbed:
    """Tune in a world of `CLIMB_WORLDS`, and hold what is said of larger scales against the truth."""
    truths = dict(zip(_SCALES, CLIMB_WORLDS[world], strict=True))
    plan = FakePlan(
        _BUDGET,
        _surface(_AT_START),
        _STEADY,
        seed,
        rules=replace(fake_rules(), climbing=Climbing(_START, _SCALES, _SHARE)),
        first=_FIRST,
        larger={scale / _START: _surface(ratios) for scale, ratios in truths.items()},
    )
    with tempfile.TemporaryDirectory() as folder, fake_study(Path(folder) / "study", plan) as study:
        result = study.tune()
        climbed = {stored.run.arm: stored.run.configuration for stored in study.history.select((Purpose.CLIMB,))}
    false = false_loss = False
    seen = [] if result.climb is None else [each for each in result.climb.seen if each.comparison is not None]
    for each in seen:
        truth = _true_gain(_surface(truths[each.scale]), climbed[each.step.arm])
        decision = None if each.comparison is None else each.comparison.claim.decision
        false = false or (decision is Decision.IMPROVED and truth < _LEAST)
        false_loss = false_loss or (decision is Decision.WORSE and truth > -_LEAST)
    return Climbed(false, false_loss, len(seen))


def _true_gain(surface: EachChange, configuration: Configuration) -> float:
    """Return the natural log of the true ratio of a configuration's rate to the reference's."""
    here, there = (surface.indicators(values)["throughput_settled_ops_s"] for values in ({}, configuration.values))
    return math.log(there / here)


def _surface(ratios: tuple[float, float, float]) -> EachChange:
    """Three options have an effect of their own; each further one that a search changes halves the rate."""
    own = {name: ratio for values, ratio in zip(_FIRST, ratios, strict=True) for name in values}
    return EachChange(gains={**dict.fromkeys(fake_space().names, 0.5), **own})
