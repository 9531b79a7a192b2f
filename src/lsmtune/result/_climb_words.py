"""Up to which scale an improvement holds, in words that cards, pages and exported texts share."""

from collections.abc import Callable, Iterator

from lsmtune.result._climb import AtScale, Climb, ClimbOutcome
from lsmtune.result._verification import Comparison, Standing
from lsmtune.stats import Decision, GuardVerdict
from lsmtune.units import format_percent, format_ratio, format_seconds


def climb_words(climb: Climb, arm: str, named: Callable[[str], str] = str) -> str:
    """Say up to where a finalist holds: ``improved at 1/64 and 1/16; at 1/4 no difference larger than 8.0 %``.

    Args:
        climb: what was verified at larger scales.
        arm: the finalist, which was shown to be better at the study's own scale.
        named: names an indicator.
    """
    seen = climb.of(arm)
    held = [str(climb.climbing.start), *(str(each.scale) for each in seen if each.outcome is ClimbOutcome.HOLDS)]
    parts = [f"improved at {_listed(held)}"]
    parts += [
        f"at {each.scale} {at_scale_words(each, named)}" for each in seen if each.outcome is not ClimbOutcome.HOLDS
    ]
    reached = {each.scale for each in seen}
    untried = [str(scale) for scale in climb.climbing.scales if scale not in reached]
    if untried:
        parts.append(f"not tried at {_listed(untried)}")
    return "; ".join(parts)


def lost_words(climb: Climb, named: Callable[[str], str] = str) -> Iterator[str]:
    """Yield a sentence for each finalist that lost, without its full stop."""
    for each in climb.lost:
        won = [str(climb.climbing.start), *(str(at.scale) for at in climb.of(each.step.arm) if at is not each)]
        yield (
            f"{each.step.arm} improved at {_listed(won)} and lost at {each.scale}, so it is no winner: "
            f"{at_scale_words(each, named)}"
        )


def at_scale_words(each: AtScale, named: Callable[[str], str] = str) -> str:
    """Say what was seen of a finalist at a scale in a few words."""
    seen = each.comparison
    if seen is None:
        return (
            f"not verified: a first look takes {each.step.needed} runs of about {format_seconds(each.step.run_s)}, and "
            f"what [verify] share leaves holds {max(0, int(each.step.held))}"
        )
    if seen.troubles.bars:
        return f"runs failed: {(*seen.troubles.failures, 'they were censored')[0]}"
    claim = seen.claim
    if claim.decision is Decision.NO_DIFFERENCE and GuardVerdict.BROKEN not in seen.bounds:
        return f"no difference larger than {format_percent(claim.equivalence or 0.0)}"
    but = _but(seen, named)
    if claim.decision is Decision.INCONCLUSIVE and not claim.settled:
        but += "; what [verify] share leaves holds no further look"
    word = "open" if claim.decision is Decision.INCONCLUSIVE else str(claim.decision)
    return f"{word}, {_gain_words(seen)}{but}"


def _gain_words(seen: Comparison) -> str:
    claim = seen.claim
    ends = ", ".join(format_ratio(end) for end in (claim.low, claim.high))
    return f"{format_ratio(claim.gain)} [{ends} at 95 %, adjusted, n = {claim.n} pairs]"


def _but(seen: Comparison, named: Callable[[str], str]) -> str:
    """Say what stands in the way beside the objective; empty where nothing does."""
    if GuardVerdict.BROKEN in seen.bounds:
        return f", but {_bounds(seen, GuardVerdict.BROKEN, named)} does not hold"
    if seen.hosts is not None and seen.hosts.opposite:
        return f", but its sign differs on {_listed(list(seen.hosts.opposite))}"
    if seen.standing is Standing.UNDECIDED:
        return f", but whether {_bounds(seen, GuardVerdict.INCONCLUSIVE, named)} holds is open"
    return ", but less steady than the reference" if seen.standing is Standing.UNSTABLE else ""


def _bounds(seen: Comparison, verdict: GuardVerdict, named: Callable[[str], str]) -> str:
    names = [f"the guard on {named(name)}" for name, guard in seen.guards.items() if guard.verdict is verdict]
    names += [f"the limit on {named(each.limit.indicator)}" for each in seen.limits if each.seen.verdict is verdict]
    return _listed(names)


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if names[1:] else names[0]
