"""The smallest gain in the objective that pairs can show, from what scatters as they do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsmtune.model import Purpose
from lsmtune.result._history import History
from lsmtune.result._pairs import pair_gains
from lsmtune.result._ranking import reference_gains, reference_spread
from lsmtune.result._rules import Rules
from lsmtune.result._verification import Comparison
from lsmtune.stats import LOOKS, POCOCK_ALPHA, Detectable, Spread, pooled_spread, spread_of_pairs


@dataclass(frozen=True)
class DetectableGains:
    """What numbers of pairs can show, and what that is estimated from.

    Attributes:
        gains: by number of pairs.
        spread: of pairs in the objective's log gain.
        looks: looks of the verification whose pairs it is estimated from; 0 while the reference's own runs say it.
        runs: number of the reference's own runs; 0 where only pairs say it.
        pairs: number of pairs: of the candidates, or of other starting points and the reference.
        claims: number of claims that share the level, each of which these gains are for; 1 before the first look, as it
            is not known then how many there will be.
    """

    gains: Mapping[int, Detectable]
    spread: Spread
    looks: int
    runs: int
    pairs: int
    claims: int = 1


def detectable_gains(
    history: History, rules: Rules, verified: Sequence[Comparison], looks: int
) -> DetectableGains | None:
    """Return what numbers of pairs can show; None while nothing says how much they scatter.

    Once a look was made, its pairs say it. Before, the reference's own runs do, and the pairs of other starting points,
    as two configurations scatter more than one. They are pooled by their degrees of freedom: the larger of the two
    would often be the larger by luck, as two pairs have one degree of freedom.

    Args:
        history: of a study.
        rules: of the same study.
        verified: its candidates against the reference.
        looks: number of looks that were made at them.
    """
    spread = spread_of_pairs([each.gains for each in verified]) if looks else None
    if spread is not None:
        claims = max(each.claim.family for each in verified)
        gains = {number: Detectable.of(spread, number, POCOCK_ALPHA / claims) for number in LOOKS}
        return DetectableGains(gains, spread, looks, 0, sum(len(each.gains) for each in verified), claims)
    own = reference_spread(history, rules)
    if own is None:
        return None
    others = [name for name in rules.baselines if name != rules.reference]
    others_gains = [pair_gains(history, rules, Purpose.BASELINE, name, rules.reference) for name in others]
    paired = spread_of_pairs(others_gains)
    spread = own if paired is None else pooled_spread([own, paired])
    pairs = sum(len(each) for each in others_gains if len(each) > 1)
    gains = {number: Detectable.of(spread, number) for number in LOOKS}
    return DetectableGains(gains, spread, 0, len(reference_gains(history, rules)), pairs)
