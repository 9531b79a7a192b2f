"""The sentences that stand in an exported text: its origin, what was shown, the ablation effect of each change."""

import textwrap
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from lsmtune.errors import QuantityError
from lsmtune.exporters._base import ExportContext, program
from lsmtune.model import EngineBuild, Overridden, Value
from lsmtune.result import Change, Comparison, Front, Standing, TuneResult, climb_words, in_code_words, lost_words
from lsmtune.space import Option
from lsmtune.stats import GuardVerdict, PairedComparison, SharedComparison
from lsmtune.units import format_bytes, format_ratio, parse_bytes

WIDTH = 110
"""Length of comment lines."""


def commented(sentences: Iterable[str], indent: str = "") -> Iterator[str]:
    """Yield comment lines for sentences, each beginning on a line of its own."""
    for sentence in sentences:
        start, following = f"# {indent}", f"# {indent}  "
        yield from textwrap.wrap(
            " ".join(sentence.split()),
            WIDTH,
            initial_indent=start,
            subsequent_indent=following,
            break_long_words=False,
            break_on_hyphens=False,
        )


def origin(context: ExportContext) -> Iterator[str]:
    """Yield where the configuration comes from: study, engine, scale, and what the user's own has in code."""
    result = context.result
    about = result.description
    runs = f"{result.summary.runs} runs on {', '.join(result.host_names)}"
    day = datetime.fromtimestamp(result.summary.last_ended_at or about.created_at, UTC)
    yield f'Study "{about.name}", {day:%Y-%m-%d}, {runs}, written by lsmtune.'
    yield f"Measured with {build_text(result.build)}."
    if result.build != about.build:
        yield f"The reference was measured with {build_text(about.build)}."
    if result.build.fingerprint != context.build.fingerprint:
        yield f"Written for another build, for which nothing was measured: {build_text(context.build)}."
    scale = str(result.facts.scale or 1)
    if scale == "1":
        yield "Measured at full size; all values here are at full size, too."
    else:
        top = (
            None
            if result.climb is None
            else max((each.scale for each in result.climb.seen if each.comparison), default=None)
        )
        but = ", at which nothing was measured" if top != 1 else ""
        yield f"Measured at scale {scale}; all values here are at full size{but}."
    yield from full_size(result)
    in_code = result.facts.in_code
    if in_code:
        own = "OPTIONS file" if "options_file" in result.rules.baselines else "configuration"
        yield f"Measured beside your {own}, as the experiment states it, to be set in code: {in_code_words(in_code)}."


def full_size(result: TuneResult) -> Iterator[str]:
    """Yield memory, computed, and space, extrapolated, at full size, where something was changed."""
    if not result.changes:
        return
    memory, space = result.full_size, result.full_size_space
    if memory is not None:
        final, reference = format_bytes(memory.final_bytes), format_bytes(memory.reference_bytes)
        yield f"Memory at full size, computed: {final} at its peak; the reference needs {reference}."
    if space is None:
        return
    final, reference = format_bytes(space.final.value), format_bytes(space.reference.value)
    if space.untold:
        yield (
            f"Space at full size, not computed but in proportion to {space.factor:g} times the data: {final}; the "
            f"reference takes {reference} ({space.untold})."
        )
    else:
        low, high = format_bytes(space.final.low), format_bytes(space.final.high)
        yield (
            f"Space at full size, extrapolated to {space.factor:g} times the data as a model of the tree grows: "
            f"{final} [{low}, {high}] at 90 %; the reference takes {reference}."
        )


def build_text(build: EngineBuild) -> str:
    """Return which build it is."""
    kind = ", an assertion build" if build.assertions else ""
    return f"{program(build)} at {build.path} (SHA-256 {build.fingerprint}...{kind})"


def verdict(result: TuneResult) -> Iterator[str]:
    """Yield what was shown, and what was not."""
    reference = result.rules.reference
    if not result.decisions.done:
        yield "The study has not ended; this is its state so far."
    best = result.verdict
    if not result.improved:
        yield f"Nothing better than the reference {reference} was shown: this is {reference} itself."
        if best is None:
            yield "No candidate was verified with fresh runs."
        else:
            of = ", a weighted gain that is no claim" if best.parts else ""
            yield f"The best candidate: {_claim_text(best)}{of}."
    elif best is not None and result.front is not None:
        yield from _on_the_front(result, result.front, best)
    elif best is not None:
        weights = result.rules.objective.weights
        of = " and ".join(weights) if len(weights) < 3 else f"the objective over {', '.join(weights)}"
        yield f"Verdict against the reference {reference}: {_claim_text(best)}, in {of}."
    if result.improved and result.decisions.winner and result.climb is not None:
        yield f"Where it holds: {climb_words(result.climb, result.decisions.winner)}."
    if result.climb is not None:
        yield from (f"{each}." for each in lost_words(result.climb))
    if result.improved and result.meaning.qualifier:
        yield f"That is an improvement {result.meaning.qualifier}, and no claim beyond that."
    if best is not None:
        yield from _reading(result)
        yield from _guards(best)


def _reading(result: TuneResult) -> Iterator[str]:
    """Yield how the numbers are to be read, and what was open when they were exported."""
    of = "candidates" if result.front is None else "claims, one for each candidate and indicator of the objective"
    yield (
        f"Brackets hold a 95 % interval, adjusted for up to three looks and for the number of {of}; n counts "
        "pairs of fresh interleaved runs."
    )
    if result.on_one_load:
        yield "All of them read data of one load, so this holds for that data."
    if result.standing is Standing.UNDECIDED:
        yield "Written although the runs do not tell whether a guard or limit holds (--guard-undecided)."
    if result.standing is Standing.UNSTABLE:
        yield "Written although it was less stable than the reference in few pairs (--unstable)."


def evidence_text(change: Change) -> str:
    """Return what is known of the ablation effect of a change."""
    if change.evidence is None:
        return "not tested by itself"
    effect = change.evidence.effect
    if effect is None:
        return "tested by itself with too few pairs to estimate its effect"
    gain = ratio_text(effect)
    said = f"ablation effect {gain}" if change.evidence.shown else f"ablation effect {gain}, not shown to be one"
    return ", ".join(filter(None, (said, change.tested_in)))


def change_text(change: Change, option: Option) -> str:
    """Return a change with its evidence: ``bloom_bits: -1 -> 10, ablation effect 1.21x [1.15, 1.28] n = 8``."""
    before = "?" if change.before is None else value_text(option, change.before)
    return f"{change.option}: {before} -> {value_text(option, change.after)}, {evidence_text(change)}"


def changes_title(result: TuneResult) -> Iterator[str]:
    """Yield what stands above the changes."""
    if not result.changes:
        yield f"No option differs from the reference {result.rules.reference}."
        return
    but = " unless stated otherwise" if any(change.taken_back_since for change in result.changes) else ""
    yield (
        f"Changes against the reference {result.rules.reference}. Ablation effect: gain of the configuration "
        f"with the change over that without it, all else as it stands here{but}; the 95 % intervals hold together, the "
        "estimates are drawn towards each other."
    )
    test = result.together
    if test is not None and test.effect is not None:
        names = ", ".join(test.about.removed)
        unsure = "" if test.shown else ", not shown to be one"
        yield f"Tested only together: {names}; they have the ablation effect {ratio_text(test.effect)}{unsure}."


def heading(context: ExportContext) -> Iterator[str]:
    """Yield comment lines: where the configuration comes from, what was shown, and what the changes are against."""
    yield from commented(origin(context))
    yield from commented(verdict(context.result))
    yield from commented(changes_title(context.result))


def setting_text(context: ExportContext, name: str) -> str:
    """Return what is known of an option's value: the change with its evidence, or that the reference has it."""
    option = context.catalogue.option(name)
    for change in context.result.changes:
        if change.option == name:
            return change_text(change, option)
    return f"{name}: {value_text(option, context.values[name])}, as in the reference {context.result.rules.reference}"


def untranslated_texts(context: ExportContext) -> Iterator[str]:
    """Yield what of the study's OPTIONS file no value of an option means, each with its option."""
    for name, text in context.untranslated.items():
        yield f"{name}: the OPTIONS file of the study has {text}, which lsmtune cannot translate"


def overridden_text(change: Overridden, option: Option) -> str:
    """Return what the engine made of a value."""
    reason = f" ({change.reason})" if change.reason else ""
    asked, effective = value_text(option, change.asked), value_text(option, change.effective)
    return f"{change.option}: the engine makes {effective} of {asked}{reason}"


def value_text(option: Option, value: Value) -> str:
    """Return a value for people: sizes with a unit where that is exact, special values with their meaning."""
    if value in option.special and not isinstance(value, bool):
        return f"{value} ({option.special[value]})"
    if isinstance(value, bool):
        return str(value).lower()
    if option.unit in {"B", "B/s"} and isinstance(value, int) and value > 0 and _is_exact(value):
        return format_bytes(value) + option.unit.removeprefix("B")
    return str(value)


def ratio_text(gain: PairedComparison | SharedComparison) -> str:
    """Return a ratio with its interval and number of pairs: ``1.21x [1.15, 1.28] n = 8``."""
    return f"{format_ratio(gain.ratio)} {_interval(gain.low, gain.high)} n = {gain.n}"


def _claim_text(comparison: Comparison) -> str:
    claim = comparison.claim
    return f"{claim.decision}, {format_ratio(claim.gain)} {_interval(claim.low, claim.high)} n = {claim.n}"


def _on_the_front(result: TuneResult, front: Front, best: Comparison) -> Iterator[str]:
    """Yield what was shown of a member of a front: each indicator by itself, and what else there is to choose."""
    reference, taken, claim = result.rules.reference, result.decisions.winner or "", best.claim
    weighted = f"{format_ratio(claim.gain)} {_interval(claim.low, claim.high)} n = {claim.n}"
    if best.parts:
        parts = [f"{name} {part.decision}, {_ratio_of(best, name)}" for name, part in best.parts.items()]
        yield f"Verdict on {taken} against the reference {reference}, value over value: {'; '.join(parts)}."
        yield f"Its weighted gain, which chooses and is no claim: {weighted}."
    else:
        ratios = [f"{name} {_ratio_of(best, name)}" for name in result.rules.objective.weights]
        yield f"This is {taken} of a front without what had no effect, its weighted gain {claim.decision}: {weighted}."
        yield f"Value over value against the reference {reference}, no claims: {'; '.join(ratios)}."
    if taken in front.dominated:
        yield f"The runs show that {front.dominated[taken]} dominates it."
    others = [arm for arm in front.members if arm != taken]
    if others:
        yield f"Other members of the front: {', '.join(others)}; lsmtune export --finalist N writes one of them."


def _ratio_of(comparison: Comparison, name: str) -> str:
    pairs = comparison.indicators.get(name)
    return "ratio not known" if pairs is None else ratio_text(pairs)


def _interval(low: float | None, high: float | None) -> str:
    ends = (format_ratio(end).removesuffix("x") for end in (low, high))
    return f"[{', '.join(ends)}]"


def _guards(comparison: Comparison) -> Iterator[str]:
    for name, guard in comparison.guards.items():
        factor = (
            f"worsening {format_ratio(guard.worsening)}, at most {format_ratio(guard.margin)} allowed, n = {guard.n}"
        )
        doubt = "; the runs do not decide it" if guard.verdict is GuardVerdict.INCONCLUSIVE else ""
        at = " at full size" if name in comparison.scaled else ""
        yield f"Guard {name}{at}: {guard.verdict}, {factor}{doubt}."
    for each in comparison.limits:
        mean = "unknown" if each.seen.mean is None else f"{each.seen.mean:.4g}"
        at = " at full size" if each.limit.indicator in comparison.scaled else ""
        limit = f"{each.limit.indicator}{at} {each.limit.relation} {each.limit.value:.4g}"
        yield f"Limit {limit}: {each.seen.verdict}, mean {mean}, n = {each.seen.n}."


def _is_exact(size_bytes: int) -> bool:
    try:
        return parse_bytes(format_bytes(size_bytes)) == size_bytes
    except QuantityError:
        return False
