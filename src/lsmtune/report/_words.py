"""Verdicts in words, each number with its interval and n."""

from collections.abc import Callable, Mapping

from lsmtune.errors import StatisticsError
from lsmtune.indicators import Limit, indicator
from lsmtune.model import Purpose
from lsmtune.report._front_words import front_sentence
from lsmtune.report._meaning_words import apart_from, but_worse, qualified
from lsmtune.report._names import best_words, quoted_name
from lsmtune.report._states import State, guards_with, stage_of, state_of
from lsmtune.report._values import (
    format_indicator,
    label,
    listed,
    percent,
    plural,
    ratio_text,
    reference_words,
)
from lsmtune.result import Comparison, Plan, TuneResult
from lsmtune.stats import LOOKS, POCOCK_ALPHA, GuardVerdict, compare_log_ratios, pairs_needed

LEVEL = 1 - POCOCK_ALPHA
"""Confidence level of every interval of a verification."""

_ACCEPTABLE = (
    "Keep the starting point; if the worsening is acceptable, loosen the bound or weigh that indicator in [objective], "
    "and tune again."
)
_NEXT_STEPS: Mapping[State, str] = {
    State.RUNNING: "Run the same command again: it goes on where it stopped.",
    State.IMPROVED: "Take the configuration home with `lsmtune export STUDY`.",
    State.GUARD_BROKEN: _ACCEPTABLE,
    State.LIMIT_PASSED: _ACCEPTABLE,
    State.UNKNOWN: "See why runs failed with `lsmtune show STUDY --runs`.",
}
_UNDECIDED = (State.FUTILE, State.BUDGET_ENDED, State.INCONCLUSIVE)
_NOISY = 0.10  # spread of a log gain above which the noise is what stands in the way


def verdict_sentence(result: TuneResult) -> str:
    """Say what a study has shown, with every number's interval and n."""
    state, best = state_of(result), result.verdict
    if result.front is not None:
        return f"{front_sentence(result, result.front)}{_smaller(result)}."
    if state is State.RUNNING:
        return _running(result)
    if state is State.NO_FINALISTS:
        return _no_finalists(result)
    if best is None or state is State.UNKNOWN:
        pairs = plural(best.claim.n if best else 0, "complete pair")
        return f"Inconclusive: the verification has {pairs} of runs, too few for an estimate; nothing is claimed."
    return f"{_SENTENCES[state](result, best)}."


def next_step(result: TuneResult) -> str:
    """Say what to do now, in one sentence."""
    state, best = state_of(result), result.verdict
    if state is State.IMPROVED and result.front is not None and len(result.front.members) > 1:
        return (
            "Take what was chosen home with `lsmtune export STUDY`, or another member of the front with `--finalist N`."
        )
    if state in _NEXT_STEPS:
        return _NEXT_STEPS[state]
    if best is not None and state in _UNDECIDED:
        spread = _spread(best)
        if spread is not None and spread > _NOISY:
            return _lower_noise(spread)
        if state is not State.FUTILE:
            return _more_pairs(result, best)
    return (
        f"Keep {reference_words(result.rules.reference)}; to look further, raise the budget, search other options, or "
        "change the workload."
    )


def search_end_sentence(result: TuneResult) -> str:
    """Say after how many trials the search ended, and why; empty where there is none or it still goes on."""
    decisions = result.decisions
    if decisions.plan is not Plan.TUNE or decisions.trials is None:
        return ""
    after = f"ended after {plural(decisions.trials, 'trial')}"
    if decisions.stopped is None:
        return f"{after}, with its share of the budget"
    more, chance = plural(decisions.stopped.further, "more trial"), percent(decisions.stopped.chance)
    return (
        f"{after}, early: {more} had a chance of {chance} to find something more than {percent(result.rules.interest)} "
        "better, as far as the trials tell"
    )


def gain_phrase(result: TuneResult, comparison: Comparison) -> str:
    """Say the gain of a comparison: ``1.24x the settled throughput of db_bench's default [...]``."""
    claim = comparison.claim
    gain = ratio_text(claim.gain, claim.low, claim.high)
    ends = ", ".join(ratio_text(end, claim.low, claim.high) for end in (claim.low, claim.high))
    return f"{_compared(result, gain)} [{ends} at {percent(LEVEL)}, n = {plural(claim.n, 'pair')}]"


def passed_limits(result: TuneResult, comparison: Comparison) -> Mapping[Limit, float]:
    """Return the limits that the candidate of a comparison passes, with its mean."""
    measured = [limit for limit in result.rules.limits if limit.indicator in comparison.levels]
    means = {limit: comparison.levels[limit.indicator][1] for limit in measured}
    return {limit: mean for limit, mean in means.items() if limit.excess({limit.indicator: mean})}


def _smaller(result: TuneResult) -> str:
    """Say that a configuration with fewer changes than the chosen member of a front was confirmed, where it was."""
    if result.confirmed is None or not result.confirmed.accepted:
        return ""
    changed = plural(len(result.changes), "option")
    return f"; with only {changed} changed it is confirmed to have {gain_phrase(result, result.confirmed)}"


def _compared(result: TuneResult, gain: str) -> str:
    reference, weights = reference_words(result.rules.reference), result.rules.objective.weights
    if result.builds:
        reference += f" on {result.description.build.version}"
    if len(weights) > 1:
        names = listed([label(name) for name in weights])
        return f"a gain of {gain} over {reference} in the weighted mean of {names}"
    (name,) = weights
    if indicator(name).better == "higher":
        return f"{gain} the {label(name)} of {reference}"
    return f"a gain of {gain} in {label(name)} over {reference}"


def _running(result: TuneResult) -> str:
    stage, best = stage_of(result), result.verdict
    if best is None or best.claim.gain is None:
        return f"Still going on, in the stage {stage}: nothing is claimed yet."
    if result.improved:
        return f"Still going on, in the stage {stage}; so far {gain_phrase(result, best)} is shown{_by(result, best)}."
    who = best_words(result, best, so_far=" so far")
    return f"Still going on, in the stage {stage}; {who} has {gain_phrase(result, best)}, no claim."


def _no_finalists(result: TuneResult) -> str:
    trials, reference = result.summary.count(purpose=Purpose.TRIAL), reference_words(result.rules.reference)
    sentence = (
        f"Nothing better found: none of {plural(trials, 'trial')} looked better than {reference} with guards and "
        f"limits held{apart_from(result)}, so nothing was verified"
    )
    if result.decisions.plan is Plan.STEPS:
        tried = plural(len(result.steps), "step")
        sentence = f"Nothing better found: none of {tried} was shown to be better with guards and limits held"
    if result.detectable:
        pairs, gain = min(result.detectable.items())
        sentence += f"; {pairs} pairs could have shown gains from {percent(gain)}"
    return f"{sentence}."


def _improved(result: TuneResult, best: Comparison) -> str:
    by = _by(result, best)
    changed = (
        f"{plural(len(result.changes), 'option')} changed" if result.changes or not by else "the same values are set"
    )
    sentence = f"Improved{by}{qualified(result)}: {gain_phrase(result, best)}{but_worse(result, best)}; {changed}"
    interest = result.rules.interest
    if best.claim.gain is not None and best.claim.gain < 1 + interest:
        sentence += f"; that is less than the gain of interest, {percent(interest)}"
    unsure = guards_with(best, GuardVerdict.INCONCLUSIVE)
    if unsure:
        sentence += f"; the runs cannot tell whether the guard on {listed([label(name) for name in unsure])} holds"
    return sentence


def _guard_broken(result: TuneResult, best: Comparison) -> str:
    broken = [
        f"the guard on {label(name)} is broken: {ratio_text(guard.worsening)} worse [at least "
        f"{ratio_text(guard.low)} at 95.0 %, n = {plural(guard.n, 'pair')}], {ratio_text(guard.margin)} allowed"
        for name, guard in best.guards.items()
        if guard.verdict is GuardVerdict.BROKEN
    ]
    if best.broken_limits:
        broken.append(_limits_words(result, best))
    return f"{_unaccepted(result, best)}; {'; '.join(broken)}"


def _limit_passed(result: TuneResult, best: Comparison) -> str:
    return f"{_unaccepted(result, best)}; {_limits_words(result, best)}"


def _unaccepted(result: TuneResult, best: Comparison) -> str:
    return f"Improved in the objective{_by(result, best)}, but not accepted: {gain_phrase(result, best)}"


def _limits_words(result: TuneResult, best: Comparison) -> str:
    passed = [
        f"{label(limit.indicator)} is {format_indicator(limit.indicator, mean)}, not {limit.relation} "
        f"{format_indicator(limit.indicator, limit.value)}"
        for limit, mean in passed_limits(result, best).items()
    ]
    return f"a limit is passed: {listed(passed)}"


def _worse(result: TuneResult, best: Comparison) -> str:
    return f"Worse: {_finding(result, best)}; {reference_words(result.rules.reference)} stays"


def _no_difference(result: TuneResult, best: Comparison) -> str:
    largest = percent(best.claim.equivalence)
    return f"No difference larger than {largest}: {_finding(result, best)}; {_could_have_seen(best)}"


def _futile(result: TuneResult, best: Comparison) -> str:
    return f"Nothing better found: {_finding(result, best)}; {_excluded(result, best)}; {_could_have_seen(best)}"


def _budget_ended(result: TuneResult, best: Comparison) -> str:
    finding = _finding(result, best)
    return f"Inconclusive: the budget ended before the runs could tell: {finding}{_needed(result, best)}"


def _inconclusive(result: TuneResult, best: Comparison) -> str:
    return f"Inconclusive: the runs cannot tell: {_finding(result, best)}{_needed(result, best)}"


_SENTENCES: Mapping[State, Callable[[TuneResult, Comparison], str]] = {
    State.IMPROVED: _improved,
    State.GUARD_BROKEN: _guard_broken,
    State.LIMIT_PASSED: _limit_passed,
    State.WORSE: _worse,
    State.NO_DIFFERENCE: _no_difference,
    State.FUTILE: _futile,
    State.BUDGET_ENDED: _budget_ended,
    State.INCONCLUSIVE: _inconclusive,
}


def _finding(result: TuneResult, best: Comparison) -> str:
    return f"{best_words(result, best)} has {gain_phrase(result, best)}"


def _by(result: TuneResult, best: Comparison) -> str:
    """Say by which of the user's configurations or builds; empty for what a search found."""
    name = quoted_name(result, best)
    return "" if name is None else f" by {name}"


def _excluded(result: TuneResult, best: Comparison) -> str:
    claim = best.claim
    if claim.high is not None and claim.high <= 1:
        return "any gain is excluded"
    excluded = f"a gain above {ratio_text(claim.high, claim.low, claim.high)} is excluded"
    if claim.high is not None and claim.high < 1 + result.rules.interest:
        return excluded
    return f"{excluded}, and further runs were unlikely to show a smaller one"


def _could_have_seen(best: Comparison) -> str:
    pairs, gain = plural(best.claim.n, "pair"), percent(best.claim.smallest_detectable)
    return f"{pairs} with this spread can show gains from {gain}"


def _needed(result: TuneResult, best: Comparison) -> str:
    pairs, interest = _pairs_for_interest(result, best), percent(result.rules.interest)
    return "" if pairs is None else f"; about {plural(pairs, 'pair')} would be needed for a gain of {interest}"


def _pairs_for_interest(result: TuneResult, best: Comparison) -> int | None:
    """Pairs that show the gain of interest with power 0.8 at the spread that was seen; None where it is not known."""
    spread = _spread(best)
    return None if spread is None else pairs_needed(spread, result.rules.interest, POCOCK_ALPHA)


def _spread(best: Comparison) -> float | None:
    try:
        return compare_log_ratios(best.gains).sd_log
    except StatisticsError:
        return None


def _lower_noise(spread: float) -> str:
    return (
        f"Lower the noise, as the gains of single pairs scatter by {percent(spread)} (standard deviation): quieten the "
        "host, make runs longer, or tune for write amplification or space."
    )


def _more_pairs(result: TuneResult, best: Comparison) -> str:
    pairs = _pairs_for_interest(result, best)
    if pairs is not None and pairs > LOOKS[-1]:
        return (
            f"Make runs longer or quieten the host: a verification makes at most {LOOKS[-1]} pairs, and {pairs:,} "
            "would be needed."
        )
    return "Raise the budget and tune again in a new study folder, so that verification gets all of its pairs."
