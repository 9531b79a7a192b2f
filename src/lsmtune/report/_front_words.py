"""A front in words: what is on it, what was chosen, and what the choice gives up."""

from collections.abc import Iterator

from lsmtune.indicators import indicator
from lsmtune.report._meaning_words import qualified
from lsmtune.report._states import State, stage_of, state_of
from lsmtune.report._values import ADJUSTED, label, listed, with_interval
from lsmtune.result import Comparison, Front, Pairing, Standing, TuneResult, reference_words
from lsmtune.stats import Decision, PairedComparison
from lsmtune.units import plural

_OPEN = {Standing.UNDECIDED: "a guard or limit is open", Standing.UNSTABLE: "unstable"}
"""Why a finalist that is shown to be better is no member yet."""


def front_sentence(result: TuneResult, front: Front) -> str:
    """Say which finalists are on a front and what was chosen, with intervals and n; without a full stop."""
    if state_of(result) is not State.RUNNING:
        return _found(result, front)
    stage = f"Still going on, in the stage {stage_of(result)}"
    return f"{stage}; so far: {_found(result, front)}" if result.improved else f"{stage}: nothing is claimed yet"


def choice_sentences(front: Front) -> Iterator[str]:
    """Yield what the chosen member has and gives up against each other member."""
    for pairing in front.choice():
        parts = [
            f"{with_interval(pairs.ratio, pairs.low, pairs.high)} {'its ' if place else 'the '}{label(name)}"
            f"{'' if place else f' of {pairing.against}'} ({difference(name, pairs)})"
            for place, (name, pairs) in enumerate(pairing.indicators.items())
        ]
        yield f"{pairing.arm} has {listed(parts)}; {_pairs_of(pairing)}." if parts else _not_comparable(pairing)


def standing(front: Front, comparison: Comparison) -> str:
    """Say what a verified finalist is to a front: chosen, a member, or why it is none."""
    if comparison.arm in front.members:
        return "on the front, chosen" if comparison.arm == front.chosen else "on the front"
    if comparison.arm in front.dominated:
        return f"dominated by {front.dominated[comparison.arm]}"
    if comparison.troubles.bars:
        return "runs failed"
    if comparison.standing in _OPEN:
        return _OPEN[comparison.standing]
    if comparison.claim.decision is Decision.IMPROVED:
        return "a guard or limit does not hold"
    return "not shown better in any"


def difference(name: str, pairs: PairedComparison) -> str:
    """Say whether the first of two is shown to be better in an indicator."""
    if pairs.low <= 1 <= pairs.high:
        return "not told apart"
    return "better" if (pairs.low > 1) == (indicator(name).better == "higher") else "worse"


def _found(result: TuneResult, front: Front) -> str:
    reference, names = reference_words(result.rules.reference), [label(name) for name in result.rules.objective.weights]
    of, any_of = plural(len(result.verified), "finalist"), f"{', '.join(names[:-1])} or {names[-1]}"
    best = _named(result, front.chosen or result.decisions.winner or "") or result.verdict
    levels = "" if best is None else f"{_ratios(best)} of {reference} [{ADJUSTED}, n = {plural(best.claim.n, 'pair')}]"
    if not front.members and result.improved and best is not None:
        return (
            f"No front: none of {of} was accepted in the verification; {best.arm} is shown better{qualified(result)} "
            f"than {reference} in {any_of}, with {levels}"
        )
    if not front.members:
        nearest = f"; the largest weighted gain has {levels}" if levels else ""
        return (
            f"No front: none of {of} is shown better than {reference} in {any_of} with guards and limits held{nearest}"
        )
    several = len(front.members) > 1
    shown = f"{listed(list(front.members))} of {of} {'are each' if several else 'is'} shown better than {reference}"
    return f"A front{qualified(result)}: {shown} in {any_of}; the weights choose {front.chosen}, with {levels}"


def _named(result: TuneResult, arm: str) -> Comparison | None:
    return next((each for each in result.verified if each.arm == arm), None)


def _ratios(comparison: Comparison) -> str:
    found = [
        f"{with_interval(pairs.ratio, pairs.low, pairs.high)} the {label(name)}"
        for name in comparison.parts
        if (pairs := comparison.indicators.get(name)) is not None
    ]
    return listed(found) or "no known ratio to any indicator"


def _pairs_of(pairing: Pairing) -> str:
    counts = sorted({pairs.n for pairs in pairing.indicators.values()})
    return f"n = {' and '.join(map(str, counts))} pairs"


def _not_comparable(pairing: Pairing) -> str:
    return f"{pairing.arm} and {pairing.against} have too few blocks in common to be compared."
