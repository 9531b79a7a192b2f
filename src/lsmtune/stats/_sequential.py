"""The sequential test of verification: at most three looks, corrected for looking and for many claims.

At each look every claim is tested by a paired t test on log ratios at Pocock's constant level (Pocock 1977,
Biometrika 64), so that three looks together err in about 5 % of cases. The claims of one look share that level in
equal parts (Bonferroni), and so do their intervals: all of them together hold at all looks in about 95 % of cases, also
that of the claim with the largest gain, and a claim is shown exactly where its interval leaves out 1. Holm's step-down
rule was used before and given up: it shows a little more with several claims, but has no intervals that say the same.
A claim once shown stays shown. One that is hopeless takes no more runs; that can only lower the number of false claims.
"No difference larger than X" is the equivalence of Schuirmann (1987, J. Pharmacokinet. Biopharm. 15): the interval
lies inside the band. Because the interval is adjusted for the looks, that holds at whichever look it happens.
Looking after every pair at 5 % was rejected: it errs in 21 % of cases.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import finite
from lsmtune.stats._noise import POCOCK_ALPHA, smallest_detectable_gain
from lsmtune.stats._pairs import PairedComparison, compare_log_ratios

LOOKS = (6, 12, 20)
"""Pairs of runs at each look."""

FAMILY_LEVEL = 0.95
"""Confidence that all intervals of a verification hold together, at all of its looks."""

FUTILE_POWER = 0.10
"""Below this chance of ever showing a gain, a claim takes no more runs."""

_LEAST_PAIRS = 3


class Decision(StrEnum):
    """What can be said about a claim."""

    IMPROVED = "improved"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"
    """No difference larger than `ClaimResult.equivalence`, which is below the minimum effect of interest; a difference
    that is shown is improved or worse, however small."""
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Claim:
    """One statement to be tested: "the candidate is better than the reference in this indicator".

    Attributes:
        name: unique within a verification, such as "finalist-1/waf".
        log_gains: natural log of the gain of each complete pair, above 0 where the candidate is better.
    """

    name: str
    log_gains: tuple[float, ...]

    def __post_init__(self) -> None:
        finite(self.log_gains, f'claim "{self.name}"')


@dataclass(frozen=True)
class ClaimResult:
    """What is known about a claim at a look. Estimates are None below 3 pairs.

    Attributes:
        name: name of the claim.
        decision: the verdict so far.
        gain: geometric mean ratio; above 1 is better than the reference.
        low: lower end of its interval, adjusted for the looks and for the number of claims.
        high: upper end.
        p: two-sided p value of this look alone.
        p_adjusted: p times the number of claims, at most 1; a claim is shown when it is at most `POCOCK_ALPHA`.
        wilcoxon_p: p of the signed-rank test, as a check; None also when every pair is equal.
        n: number of complete pairs.
        smallest_detectable: gain (ratio - 1) that n pairs with this spread show with power 0.8 at one look.
        equivalence: X of "no difference larger than X": the largest difference (ratio - 1, either way) that the
            interval leaves open.
        settled: no more runs are needed for this claim.
        looks: number of the look at which it was judged, from 1; a claim that was settled before stays as it was.
        family: number of claims that share the level of a look, this one among them.
    """

    name: str
    decision: Decision
    gain: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    wilcoxon_p: float | None
    n: int
    smallest_detectable: float | None
    equivalence: float | None
    settled: bool
    looks: int
    family: int


def decide(
    claims: Sequence[Claim],
    look: int,
    minimum_effect: float = 0.03,
    earlier: Sequence[ClaimResult] = (),
    family: int = 0,
) -> tuple[ClaimResult, ...]:
    """Judge all claims of a verification at a look.

    A claim is settled early when it is shown, when the upper end of its interval is below ``1 + minimum_effect``, or
    when at the present estimate its chance to show a gain at the last look is below `FUTILE_POWER`. At the last
    look all claims are settled.

    Args:
        claims: every claim of the verification, at every look, with all pairs so far. Fewer pairs than
            planned (failed runs) are used as they are.
        look: index into `LOOKS`, from 0.
        minimum_effect: minimum effect of interest as ratio - 1.
        earlier: results of the previous look. Settled ones are carried over unchanged; without them a claim
            that was stopped could be judged twice.
        family: number of claims that share the level where others are tested elsewhere; that of `claims` at least.

    Returns:
        One result per claim, in their order.

    Raises:
        StatisticsError: names repeat or do not fit `earlier`, or `look` or `minimum_effect` is out of its range.
    """
    _check(claims, look, minimum_effect, earlier)
    carried = {result.name: result for result in earlier if result.settled}
    results = []
    for claim in claims:
        if claim.name in carried:
            results.append(carried[claim.name])
        elif len(claim.log_gains) >= _LEAST_PAIRS:
            results.append(_judge(claim, max(len(claims), family), look, minimum_effect))
        else:
            results.append(_unknown(claim, max(len(claims), family), look))
    return tuple(results)


def _check(claims: Sequence[Claim], look: int, minimum_effect: float, earlier: Sequence[ClaimResult]) -> None:
    names = [claim.name for claim in claims]
    if len(set(names)) < len(names):
        raise StatisticsError(f"two claims have the same name among {', '.join(names)}; name each one once")
    strangers = {result.name for result in earlier} - set(names)
    if strangers:
        raise StatisticsError(
            f'the earlier look judged "{min(strangers)}", which is not among the claims; '
            "give every claim at every look, or the correction for their number is wrong"
        )
    if not 0 <= look < len(LOOKS):
        raise StatisticsError(f"look {look} does not exist; give 0 to {len(LOOKS) - 1}")
    if not (minimum_effect > 0 and math.isfinite(minimum_effect)):
        raise StatisticsError(
            f"the minimum effect of interest is {minimum_effect:g}; give a ratio - 1 above 0, such as 0.03"
        )


def _judge(claim: Claim, family: int, look: int, minimum_effect: float) -> ClaimResult:
    level = POCOCK_ALPHA / family
    test = compare_log_ratios(claim.log_gains, level)
    shown = test.p <= level
    inside = 1 / (1 + minimum_effect) < test.low and test.high < 1 + minimum_effect
    if shown:
        decision = Decision.IMPROVED if test.ratio > 1 else Decision.WORSE
    elif inside:
        decision = Decision.NO_DIFFERENCE
    else:
        decision = Decision.INCONCLUSIVE
    last = look == len(LOOKS) - 1
    return ClaimResult(
        name=claim.name,
        decision=decision,
        gain=test.ratio,
        low=test.low,
        high=test.high,
        p=test.p,
        p_adjusted=min(1.0, family * test.p),
        wilcoxon_p=test.wilcoxon_p,
        n=test.n,
        smallest_detectable=smallest_detectable_gain(test.sd_log, test.n, level),
        equivalence=max(test.high, 1 / test.low if test.low > 0 else math.inf) - 1,
        settled=shown or last or test.high < 1 + minimum_effect or _chance(test, look, level) < FUTILE_POWER,
        looks=look + 1,
        family=family,
    )


def _chance(test: PairedComparison, look: int, level: float) -> float:
    """Chance that the claim shows a gain at the last look, if its estimates so far are the truth.

    The sum of future log ratios is taken as normal with the present mean and spread (Lan and Wittes 1988,
    Biometrics 44, "current trend").
    """
    if test.sd_log == 0:
        return 1.0 if test.ratio > 1 else 0.0
    more = LOOKS[-1] - LOOKS[look]
    final = test.n + more
    critical = float(-scipy.special.stdtrit(final - 1, level / 2))
    expected = math.log(test.ratio) / test.sd_log * math.sqrt(final)
    return float(scipy.special.ndtr((expected - critical) / math.sqrt(more / final)))


def _unknown(claim: Claim, family: int, look: int) -> ClaimResult:
    return ClaimResult(
        name=claim.name,
        decision=Decision.INCONCLUSIVE,
        gain=None,
        low=None,
        high=None,
        p=None,
        p_adjusted=None,
        wilcoxon_p=None,
        n=len(claim.log_gains),
        smallest_detectable=None,
        equivalence=None,
        settled=look == len(LOOKS) - 1,
        looks=look + 1,
        family=family,
    )
