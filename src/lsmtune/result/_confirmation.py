"""The winner in runs that did not choose it, and what is left of it when changes were reverted."""

import math
from dataclasses import dataclass, replace

from lsmtune.model import Purpose
from lsmtune.result._history import History
from lsmtune.result._pairs import Contest, pair_gains
from lsmtune.result._rules import Rules
from lsmtune.result._verification import Comparison, Standing, compare, until
from lsmtune.stats import LOOKS, Claim, ClaimResult, Decision, GuardVerdict, decide

WINNER = "winner"
"""Arm of the verified winner in its confirmation."""

SMALLER = "pruned"
"""Arm of the winner without the changes that were reverted."""

_SHARE = 0.25  # of the winner's log gain that a smaller configuration may lose


@dataclass(frozen=True)
class Repetition:
    """A winner, and what is left of it, in fresh runs after it was chosen.

    Attributes:
        winner: the winner against the reference; None in studies that were made before winners were run again.
        smaller: the smaller configuration against the reference; None where nothing was reverted.
        retained: the claim that the smaller one loses less than `margin` against the winner, with its gain over the
            winner and that gain's interval; None as above.
        margin: factor that it may lose: the larger of the minimum effect and a quarter of the winner's verified log
            gain, so that an elimination that costs nothing can be shown at the noise of real machines.
    """

    winner: Comparison | None
    smaller: Comparison | None
    retained: ClaimResult | None
    margin: float

    @property
    def takes_smaller(self) -> bool:
        """Whether the smaller configuration is exported: it is accepted, and shown to be not inferior.

        Where these runs contradict the winner nothing is: the reference stays.
        """
        if self.smaller is None or not self.smaller.accepted or self.contradicts:
            return False
        if self.retained is None:  # before the winner was run again, there was nothing to compare it with
            return self.winner is None
        return self.retained.decision is Decision.IMPROVED

    @property
    def contradicts(self) -> bool:
        """Whether these runs show that the winner is worse than the reference, or breaks a guard or limit."""
        if self.winner is None:
            return False
        shown = self.winner.claim.decision is Decision.WORSE or GuardVerdict.BROKEN in self.winner.bounds
        return shown or self.winner.troubles.bars

    @property
    def speaks(self) -> bool:
        """Whether these runs say how much the winner gains."""
        return self.winner is not None and self.winner.claim.gain is not None

    @property
    def is_open(self) -> bool:
        """Whether more runs may still decide."""
        if self.contradicts:
            return False
        if self.smaller is not None and self.retained is not None:
            hopeless = self.retained.settled and self.retained.decision is not Decision.IMPROVED
            open_for_ever = self.smaller.standing is Standing.UNDECIDED and not self.smaller.awaits_runs
            barred = open_for_ever or self.smaller.troubles.bars or GuardVerdict.BROKEN in self.smaller.bounds
            if not hopeless and not barred and not self.takes_smaller:
                return True
        return self.winner is not None and self.winner.awaits_runs


def repeat(history: History, rules: Rules, chosen: Comparison | None, looks: int) -> Repetition | None:
    """Return what the confirmation has shown after so many looks; None where there was none.

    `chosen` is the winner in the runs that chose it.
    """
    if not looks:
        return None
    arms = {arm for block in history.attempts(Purpose.CONFIRM).values() for arm in block}
    contest = Contest(Purpose.CONFIRM, rules.reference, tuple(arm for arm in (WINNER, SMALLER) if arm in arms))
    compared = {each.arm: each for each in compare(history, rules, contest, looks)}
    margin = retained_margin(rules, chosen)
    retained = _retained(history, rules, looks, margin) if len(compared) == 2 else None
    return Repetition(compared.get(WINNER), compared.get(SMALLER), retained, margin)


def retained_margin(rules: Rules, chosen: Comparison | None) -> float:
    """Return the factor by which a smaller configuration may be worse than the verified winner `chosen`."""
    gain = None if chosen is None else chosen.claim.gain
    return math.exp(max(math.log1p(rules.minimum_effect), _SHARE * math.log(gain) if gain else 0.0))


def _retained(history: History, rules: Rules, looks: int, margin: float) -> ClaimResult:
    """Test look by look that the smaller configuration is less than `margin` worse than the winner.

    That is the claim that its gain over the winner, times the margin, is above 1 (Schuirmann 1987), tested as all
    claims are.
    """
    results: tuple[ClaimResult, ...] = ()
    for look in range(looks):
        gains = pair_gains(until(history, Purpose.CONFIRM, LOOKS[look]), rules, Purpose.CONFIRM, SMALLER, WINNER)
        shifted = tuple(gain + math.log(margin) for gain in gains)
        results = decide([Claim(SMALLER, shifted)], look, rules.minimum_effect, results)
    (found,) = results
    gain, low, high = (None if each is None else each / margin for each in (found.gain, found.low, found.high))
    return replace(found, gain=gain, low=low, high=high)
