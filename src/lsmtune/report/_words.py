"""Verdicts in words, each number with its interval and n."""

from collections.abc import Callable, Iterator, Mapping

from lsmtune.errors import StatisticsError
from lsmtune.indicators import indicator
from lsmtune.model import Purpose, StudyKind
from lsmtune.report._climb import holds_sentence, lost_sentence
from lsmtune.report._front_words import front_sentence
from lsmtune.report._full_size import bound_label
from lsmtune.report._host_words import host_sentences, hosts_clause
from lsmtune.report._meaning_words import apart_from, but_worse, qualified
from lsmtune.report._names import best_words, quoted_name
from lsmtune.report._states import State, guards_with, stage_of, state_of
from lsmtune.report._values import (
    ADJUSTED,
    detectable_gain,
    estimate_words,
    format_indicator,
    label,
    listed,
    percent,
    ratio_text,
)
from lsmtune.result import Comparison, LimitSeen, TuneResult, reference_words
from lsmtune.stats import LOOKS, POCOCK_ALPHA, ClaimResult, Decision, GuardVerdict, compare_log_ratios, pairs_needed
from lsmtune.units import plural

_ACCEPTABLE = (
    "Keep the reference; if the worsening is acceptable, loosen the bound or weigh that indicator in [objective], "
    "and tune again."
)
_NEXT_STEPS: Mapping[State, str] = {
    State.RUNNING: "Wait, or if nobody works on it, run the same command again: it goes on where it stopped.",
    State.IMPROVED: "Export it with `lsmtune export STUDY`.",
    State.GUARD_UNDECIDED: "Raise the budget and tune again in a new study folder, so that the guard is decided, or "
    "export it as it is with `lsmtune export STUDY --guard-undecided`.",
    State.UNSTABLE: "Raise the budget and tune again in a new study folder, so that more runs tell how rare stalls "
    "are, or export it as it is with `lsmtune export STUDY --unstable`.",
    State.FAILED_RUNS: "See why runs failed with `lsmtune show STUDY --runs`.",
    State.NOT_CONFIRMED: "Keep the reference; tune again in a new study folder with a larger budget.",
    State.LOST_LARGER: "Keep the reference; tune again in a new study folder at the scale where it lost, "
    "as something else may be best there.",
    State.GUARD_BROKEN: _ACCEPTABLE,
    State.LIMIT_PASSED: _ACCEPTABLE,
    State.UNKNOWN: "See why runs failed with `lsmtune show STUDY --runs`.",
}
_DESIGNED: Mapping[StudyKind, str] = {
    StudyKind.SAMPLE: "`lsmtune analyze STUDY` says which options matter",
    StudyKind.SWEEP: "`lsmtune show STUDY` says who wins where",
    StudyKind.REPRODUCE: "`lsmtune show STUDY` shows the results of the published pipeline",
}
_UNDECIDED = (State.FUTILE, State.BUDGET_ENDED, State.INCONCLUSIVE)
_NOISY = 0.10  # spread of a log gain above which the noise is what stands in the way


def verdict_sentence(result: TuneResult) -> str:
    """Say what a study has shown, with every number's interval and n."""
    state, best = state_of(result), result.verdict
    if result.decisions.plan.has_design:
        runs, told = plural(result.summary.runs, "run"), _DESIGNED[result.decisions.plan]
        return f"A {result.decisions.plan} of {runs}, which judges no single configuration; {told}."
    if result.front is not None:
        return f"{_doubt(result, state)}{front_sentence(result, result.front)}{_smaller(result)}."
    if state is State.RUNNING:
        return _running(result)
    if state is State.NO_FINALISTS:
        return _no_finalists(result)
    if best is None or state is State.UNKNOWN:
        pairs = plural(best.claim.n if best else 0, "complete pair")
        return f"Inconclusive: the verification has {pairs} of runs, too few for an estimate; nothing is claimed."
    holds = holds_sentence(result)
    return f"{_SENTENCES[state](result, best)}{hosts_clause(best)}.{' ' if holds else ''}{holds}"


def next_step(result: TuneResult) -> str:
    """Say what to do now, in one sentence."""
    state, best = state_of(result), result.verdict
    if state is State.IMPROVED and result.front is not None and len(result.front.members) > 1:
        return (
            "Export the chosen member with `lsmtune export STUDY`, or another member of the front with `--finalist N`."
        )
    if state in _NEXT_STEPS:
        return _NEXT_STEPS[state]
    if best is not None and state is State.INCONCLUSIVE and best.contradicted:
        return (
            "Find out what differs with `lsmtune doctor --hosts ADDRESS`; leave a host out with leave_out under "
            "[hosts], or tune for it by itself."
        )
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
    if decisions.plan is not StudyKind.TUNE or decisions.trials is None:
        return ""
    after = f"ended after {plural(decisions.trials, 'trial')}"
    if decisions.stopped is None:
        return f"{after}, {'all that were asked for' if decisions.all_trials else 'with its share of the budget'}"
    more, chance = plural(decisions.stopped.further, "more trial"), percent(decisions.stopped.chance)
    return (
        f"{after}, early: {more} had a chance of {chance} to find something more than "
        f"{percent(result.rules.minimum_effect)} better, judged by the trials"
    )


def gain_phrase(result: TuneResult, comparison: Comparison) -> str:
    """Say the gain of a comparison: ``1.24x the settled throughput of db_bench's default [...]``."""
    claim = comparison.claim
    return f"{_compared(result, ratio_text(claim.gain, claim.low, claim.high))} {_interval(claim)}"


def limit_words(best: Comparison, each: LimitSeen) -> str:
    """Say what a limit's runs have shown: ``space amplification is 1.62 [1.58, 1.66], <= 1.5 is allowed``."""
    name, seen = each.limit.indicator, each.seen
    mean, bound = estimate_words(name, seen.mean, seen.low, seen.high), format_indicator(name, each.limit.value)
    return f"{bound_label(best, name)} is {mean}, {each.limit.relation} {bound} is allowed"


def smaller_words(result: TuneResult) -> str:
    """Say why the winner is exported and not a smaller configuration; empty where it is not, or there is none."""
    again = result.repetition
    if result.confirmed is None or result.is_smaller or again is None or again.contradicts:
        return ""
    taken = [name for test in result.tests if test.about.accepted for name in test.about.removed]
    retained = again.retained
    if retained is None or retained.gain is None:
        return f"Without {listed(taken)} the gain was not confirmed, so all changes stay."
    over = ratio_text(retained.gain, retained.low, retained.high)
    least = ratio_text(1 / again.margin)
    return (
        f"Without {listed(taken)} it has {over} {_interval(retained)} of the winner's objective. It is not shown to "
        f"reach at least {least}, so all changes stay."
    )


def _smaller(result: TuneResult) -> str:
    """Say that a configuration with fewer changes than the chosen member of a front was confirmed, where it was."""
    if result.confirmed is None or not result.is_smaller:
        return ""
    changed = plural(len(result.changes), "option")
    return f"; with only {changed} changed it is confirmed to have {gain_phrase(result, result.confirmed)}"


def _interval(claim: ClaimResult) -> str:
    ends = ", ".join(ratio_text(end, claim.low, claim.high) for end in (claim.low, claim.high))
    return f"[{ends} at {ADJUSTED}, n = {plural(claim.n, 'pair')}]"


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
    return f"Still going on, in the stage {stage}; {who} has {gain_phrase(result, best)}, which is no claim."


def _no_finalists(result: TuneResult) -> str:
    trials, reference = result.summary.count(purpose=Purpose.TRIAL), reference_words(result.rules.reference)
    sentence = (
        f"Nothing better found: none of {plural(trials, 'trial')} looked better than {reference} with guards and "
        f"limits held{apart_from(result)}, so nothing was verified"
    )
    if result.decisions.plan is StudyKind.STEPS:
        tried = plural(len(result.steps), "step")
        sentence = f"Nothing better found: none of {tried} was shown to be better with guards and limits held"
    if result.detectable is not None:
        pairs, seen = min(result.detectable.gains.items())
        sentence += f"; {pairs} pairs could have shown gains from {detectable_gain(seen)} for a single claim"
    return f"{sentence}."


def _improved(result: TuneResult, best: Comparison) -> str:
    by = _by(result, best)
    changed = (
        f"{plural(len(result.changes), 'option')} changed" if result.changes or not by else "the same values are set"
    )
    where = " on this data" if result.on_one_load else ""
    runs, less = _in_runs(result, best), but_worse(result, best)
    sentence = f"Improved{where}{by}{qualified(result)}: {gain_phrase(result, best)}{less}{runs}; {changed}"
    sentence += _untested(result)
    minimum_effect = result.rules.minimum_effect
    if best.claim.gain is not None and best.claim.gain < 1 + minimum_effect:
        sentence += f"; that is less than the minimum effect of interest, {percent(minimum_effect)}"
    elif best.claim.decision is not Decision.IMPROVED and best.parts == {}:
        sentence += "; a gain was shown before, but these runs alone do not tell how large it is"
    return sentence


def _in_runs(result: TuneResult, best: Comparison) -> str:
    """Say whether the runs of a number chose what it is about, where a search had to choose."""
    if result.decisions.plan is not StudyKind.TUNE:
        return ""
    if best is result.confirmed:
        return ", in runs that chose only between it and the winner"
    if best is not result.chosen:
        return ", in runs that did not choose it"
    return ", in the runs that chose it, so the true gain may be smaller"


def _untested(result: TuneResult) -> str:
    """Say how many changes of a search were never reverted alone, and what effect they have together."""
    if result.decisions.plan is not StudyKind.TUNE:
        return ""
    untested = sum(not change.is_known_alone for change in result.changes)
    if not untested:
        return ""
    if untested == len(result.changes):
        alone = ", none of them tested alone" if untested > 1 else ", not tested alone"
    else:
        alone = f", {untested} of them not tested alone"
    return f"{alone}{_together(result, untested)}"


def _together(result: TuneResult, untested: int) -> str:
    test = result.together
    if test is None or test.effect is None:
        return ""
    number, seen = len(test.about.removed), test.effect
    which = "" if number == untested else f" {number} of these"
    ends = ", ".join(ratio_text(end, seen.low, seen.high) for end in (seen.low, seen.high))
    gain = f"{ratio_text(seen.ratio, seen.low, seen.high)} [{ends} at 95 %, n = {plural(seen.n, 'pair')}]"
    unsure = "" if test.shown else ", not shown to be one"
    return f", but{which} together have the ablation effect {gain}{unsure}"


def _guard_undecided(result: TuneResult, best: Comparison) -> str:
    return f"{_open_bounds(best)}{_improved(result, best)}"


def _open_bounds(best: Comparison) -> str:
    """Say in a sentence of which guards and limits it is not known whether they hold."""
    unsure = [f"the guard on {bound_label(best, name)}" for name in guards_with(best, GuardVerdict.INCONCLUSIVE)]
    unsure += [
        f"the limit on {bound_label(best, each.limit.indicator)}"
        for each in best.limits
        if each.seen.verdict is GuardVerdict.INCONCLUSIVE
    ]
    holds = "holds" if len(unsure) == 1 else "hold"
    what = f"whether {listed(unsure)} {holds}" if unsure else "whether a guard holds"
    who = "the extrapolation from the runs" if best.beyond_runs and not best.awaits_runs else "the runs"
    return f"Guard undecided: {who} cannot tell {what}. "


def fresh_run_sentences(best: Comparison) -> Iterator[str]:
    """Yield what was lost of fresh runs, if anything, and how steady they are, if enough are left to tell."""
    lost = troubles_words(best)
    if lost:
        yield f"Lost: {lost}."
    if best.stability is not None:
        yield f"Steadiness: {stability_words(best)}."
    yield from host_sentences(best)


def troubles_words(best: Comparison) -> str:
    """Say which fresh runs did not go well, and what became of them; empty where all did."""
    seen = best.troubles
    bounded = seen.reference_stopped - seen.reference_unbounded - seen.both_stopped
    counts = [
        (len(seen.failures), "of the candidate failed, which bars it"),
        (seen.stopped - seen.unbounded - seen.both_stopped, "of the candidate passed the cap and counts at its bound"),
        (seen.unbounded, "of the candidate passed the cap, which bars it"),
        (seen.reference_failures, "of the reference failed; its pair is missing"),
        (bounded, "of the reference passed the cap and counts at its bound"),
        (
            seen.reference_unbounded,
            "of the reference passed the cap, which says nothing of the objective; its pair is missing",
        ),
    ]
    told = [f"{plural(number, 'fresh run')} {what}" for number, what in counts if number]
    if seen.both_stopped:
        pairs = plural(seen.both_stopped, "pair")
        told.append(f"both runs of {pairs} passed the cap, and nothing is known of their ratio")
    if seen.unknown:
        told.append(f"{plural(seen.unknown, 'pair')} of good runs lack the objective's value")
    return "; ".join(told)


def _unstable(result: TuneResult, best: Comparison) -> str:
    return f"{_unsteady(best)}{_improved(result, best)}"


def _unsteady(best: Comparison) -> str:
    return f"Unstable: {stability_words(best)}. "


def stability_words(best: Comparison) -> str:
    """Say how steady the runs of a candidate are beside the reference's, and which share of stalls they cannot "
    "exclude.
    """
    seen = best.stability
    if seen is None:
        return "fewer than 3 pairs cannot tell how steady it is"
    ratio = "" if seen.variance_ratio is None else f", {ratio_text(seen.variance_ratio)} the reference's variance"
    stalls = "none" if not seen.stalled else str(seen.stalled)
    worst, other = ratio_text(seen.worst), ratio_text(seen.reference_worst)
    return (
        f"its worst run is {worst} its median (the reference's {other}){ratio}; {stalls} of {plural(seen.n, 'run')} "
        f"stalled; up to {percent(seen.excluded)} of all its runs may stall (at 95 %)"
    )


def _failed_runs(result: TuneResult, best: Comparison) -> str:
    """Say first what failed: that is what a user has to know."""
    seen, who = best.troubles, best_words(result, best)
    if seen.failures:
        failed = f"{plural(len(seen.failures), 'fresh run')} of {who} failed ({seen.failures[0]})"
    else:
        failed = (
            f"{plural(seen.unbounded, 'fresh run')} of {who} passed the cap, and how much worse they are in the "
            "objective is not known"
        )
    gain = "" if best.claim.gain is None else f"; the others have {gain_phrase(result, best)}, which is no claim"
    return f"Not accepted: {failed}{gain}"


def _not_confirmed(result: TuneResult, best: Comparison) -> str:
    broken = [bound_label(best, name) for name in guards_with(best, GuardVerdict.BROKEN)]
    found = [f"the guard on {listed(broken)} is broken"] if broken else []
    if any(each.seen.verdict is GuardVerdict.BROKEN for each in best.limits):
        found.append(_limits_words(best))
    what = f"; there {' and '.join(found)}" if found else ""
    return f"Not confirmed: in runs that did not choose it the winner has {gain_phrase(result, best)}{what}"


def _lost_larger(result: TuneResult, best: Comparison) -> str:
    return (
        f"{lost_sentence(result)}; at the scale of the study {best_words(result, best)} has {gain_phrase(result, best)}"
    )


def _guard_broken(result: TuneResult, best: Comparison) -> str:
    broken = [
        f"the guard on {bound_label(best, name)} is broken: {ratio_text(guard.worsening)} worse [at least "
        f"{ratio_text(guard.low)} at {ADJUSTED}, n = {plural(guard.n, 'pair')}], {ratio_text(guard.margin)} allowed"
        for name, guard in best.guards.items()
        if guard.verdict is GuardVerdict.BROKEN
    ]
    if any(each.seen.verdict is GuardVerdict.BROKEN for each in best.limits):
        broken.append(_limits_words(best))
    return f"{_unaccepted(result, best)}; {'; '.join(broken)}"


def _limit_passed(result: TuneResult, best: Comparison) -> str:
    return f"{_unaccepted(result, best)}; {_limits_words(best)}"


def _unaccepted(result: TuneResult, best: Comparison) -> str:
    return f"Improved in the objective{_by(result, best)}, but not accepted: {gain_phrase(result, best)}"


def _limits_words(best: Comparison) -> str:
    passed = [limit_words(best, each) for each in best.limits if each.seen.verdict is GuardVerdict.BROKEN]
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
    if best.contradicted:
        return f"Inconclusive: {_finding(result, best)}"
    return f"Inconclusive: the runs cannot tell: {_finding(result, best)}{_needed(result, best)}"


_SENTENCES: Mapping[State, Callable[[TuneResult, Comparison], str]] = {
    State.IMPROVED: _improved,
    State.GUARD_UNDECIDED: _guard_undecided,
    State.UNSTABLE: _unstable,
    State.FAILED_RUNS: _failed_runs,
    State.NOT_CONFIRMED: _not_confirmed,
    State.LOST_LARGER: _lost_larger,
    State.GUARD_BROKEN: _guard_broken,
    State.LIMIT_PASSED: _limit_passed,
    State.WORSE: _worse,
    State.NO_DIFFERENCE: _no_difference,
    State.FUTILE: _futile,
    State.BUDGET_ENDED: _budget_ended,
    State.INCONCLUSIVE: _inconclusive,
}


def _doubt(result: TuneResult, state: State) -> str:
    """Say first what is open of a front's choice, or speaks against it; empty where nothing is."""
    best = result.verdict
    if best is None:
        return ""
    if state is State.GUARD_UNDECIDED:
        return _open_bounds(best)
    if state is State.UNSTABLE:
        return _unsteady(best)
    return f"{_SENTENCES[state](result, best)}. " if state in (State.NOT_CONFIRMED, State.FAILED_RUNS) else ""


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
    if claim.high is not None and claim.high < 1 + result.rules.minimum_effect:
        return excluded
    return f"{excluded}, and further runs were unlikely to show a smaller one"


def _could_have_seen(best: Comparison) -> str:
    pairs, gain = plural(best.claim.n, "pair"), percent(best.claim.smallest_detectable)
    return f"{pairs} with this spread can show gains from {gain}"


def _needed(result: TuneResult, best: Comparison) -> str:
    pairs, minimum_effect = _pairs_for_minimum_effect(result, best), percent(result.rules.minimum_effect)
    return "" if pairs is None else f"; about {plural(pairs, 'pair')} would be needed for a gain of {minimum_effect}"


def _pairs_for_minimum_effect(result: TuneResult, best: Comparison) -> int | None:
    """Pairs that show the minimum effect of interest with power 0.8 at the spread seen; None where it is not known."""
    spread, level = _spread(best), POCOCK_ALPHA / best.claim.family
    return None if spread is None else pairs_needed(spread, result.rules.minimum_effect, level)


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
    pairs = _pairs_for_minimum_effect(result, best)
    if pairs is not None and pairs > LOOKS[-1]:
        return (
            f"Make runs longer or quieten the host: a verification makes at most {LOOKS[-1]} pairs, and {pairs:,} "
            "would be needed."
        )
    return "Raise the budget and tune again in a new study folder, so that verification gets all of its pairs."
