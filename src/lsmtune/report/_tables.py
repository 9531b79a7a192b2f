"""The tables of a tuning study's card."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from lsmtune.indicators import indicator
from lsmtune.report._full_size import bound_label
from lsmtune.report._names import candidate_word
from lsmtune.report._values import (
    ADJUSTED,
    detectable_gain,
    estimate_words,
    format_indicator,
    format_option,
    label,
    listed,
    percent,
    percent_range,
    ratio_text,
    with_interval,
)
from lsmtune.result import (
    Change,
    Comparison,
    DetectableGains,
    Evidence,
    LimitSeen,
    Rules,
    Standing,
    StepTaken,
    TuneResult,
    reference_words,
)
from lsmtune.stats import Decision, GuardResult, GuardVerdict, LimitResult, PairedComparison
from lsmtune.units import plural

_WIDE = 100  # columns from which the part that an indicator plays has a column of its own
_STYLES = {"better": "green", "worse": "red", "held": "green", "broken": "red", "passed": "red"}


def plain_table(*headers: str, right: tuple[int, ...] = ()) -> Table:
    """Return an empty table with a rule under its headers; columns at the places `right` are aligned to the right."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for place, header in enumerate(headers):
        table.add_column(Text(header), justify="right" if place in right else "left", overflow="fold")
    return table


def section(title: str) -> Text:
    """Return the heading of a part of a card."""
    return Text(title, style="bold cyan")


def marked(word: str, text: str = "") -> Text:
    """Return `text` (or the word itself) in the colour of a judging word."""
    return Text(text or word, style=_STYLES.get(word, ""))


def indicator_table(result: TuneResult, comparison: Comparison, width: int) -> Table:
    """Compare the candidate with the reference in every indicator that was measured, those that decide first."""
    n = max((pairs.n for pairs in comparison.indicators.values()), default=comparison.claim.n)
    candidate = candidate_word(result, comparison)
    headers = ["indicator", result.rules.reference, candidate, f"ratio [{ADJUSTED}, n = {n}]", "mark"]
    table = plain_table(*headers, *(["part"] if width >= _WIDE else []), right=(1, 2))
    judged = [name for name in result.rules.shown if name in result.rules.judged and name in comparison.levels]
    others = [name for name in result.rules.shown if name not in judged and name in comparison.levels]
    for name in (*judged, *others):
        base, value = comparison.levels[name]
        pairs = comparison.indicators.get(name)
        cells = [
            Text(label(name), style="bold" if name in judged else ""),
            Text(format_indicator(name, base)),
            Text(format_indicator(name, value)),
            Text(_ratio_cell(pairs, n)),
            indicator_mark(name, pairs),
        ]
        table.add_row(*cells, *([Text(_part(result, name))] if width >= _WIDE else []))
        if judged and name == judged[-1] and others:
            table.add_section()
    return table


def bounds_table(result: TuneResult, comparison: Comparison) -> Table | None:
    """Say of every guard and limit whether it holds; None where there are none."""
    if not result.rules.guards and not result.rules.limits:
        return None
    table = plain_table("must hold", "bound", f"seen [{ADJUSTED}]", "mark")
    for guard in result.rules.guards:
        seen = comparison.guards[guard.indicator]
        bound = Text(f"worsening <= {ratio_text(guard.at_most_worse)}")
        cell = f"{_guard_cell(seen)}{_of_runs(comparison, guard.indicator)}"
        table.add_row(Text(bound_label(comparison, guard.indicator)), bound, Text(cell), marked(_guard_word(seen)))
    for each in comparison.limits:
        name = each.limit.indicator
        bound = Text(f"{each.limit.relation} {format_indicator(name, each.limit.value)}")
        cell = f"{_limit_cell(each)}{_of_runs(comparison, name)}"
        table.add_row(Text(bound_label(comparison, name)), bound, Text(cell), marked(_LIMIT_WORDS[each.seen.verdict]))
    return table


def changes_table(result: TuneResult, option_units: Mapping[str, str]) -> Table:
    """List what the final configuration changes, with the ablation effect of each change."""
    kept_in = {name: each.step for each in result.steps if each.step.kept for name in each.step.values}
    together = () if result.together is None else result.together.about.removed
    table = plain_table("option", "before", "after", "ablation effect [95 %, together]", right=(1,))
    for change in result.changes:
        unit = option_units.get(change.option, "")
        table.add_row(
            Text(change.option, style="bold"),
            Text(format_option(change.before, unit)),
            Text(format_option(change.after, unit)),
            Text(_evidence(change, kept_in.get(change.option), together)),
        )
    if result.together is not None:
        table.add_row(Text(f"these {len(together)} together"), "", "", Text(_judged(result.together)))
    return table


def _evidence(change: Change, step: StepTaken | None, together: Sequence[str]) -> str:
    if change.evidence is not None and change.is_known_alone:
        return ", ".join(filter(None, (_judged(change.evidence), change.tested_in)))
    if change.option in together:
        return f"tested with {plural(len(together) - 1, 'other')}, see below"
    if change.evidence is not None:
        return effect_words(change.evidence)
    return "not tested alone" if step is None else f"kept in step {step.number}"


def _judged(test: Evidence) -> str:
    return effect_words(test) if test.shown else f"{effect_words(test)}, not shown"


def taken_back_table(tests: tuple[Evidence, ...]) -> Table | None:
    """List the changes that were reverted to the reference; None where none were."""
    table = plain_table("reverted to the reference", "gain with them [95 %]")
    for test in tests:
        if test.about.accepted:
            table.add_row(Text(", ".join(test.about.removed)), Text(effect_words(test)))
    return table if table.row_count else None


def finalists_table(verified: tuple[Comparison, ...], finalists: tuple[str, ...]) -> Table:
    """List all verified finalists with their verdicts."""
    table = plain_table("finalist", f"gain [{ADJUSTED}]", "pairs", "verdict", right=(2,))
    for place, comparison in enumerate(verified):
        claim = comparison.claim
        name = finalists[place] if place < len(finalists) else comparison.arm
        gain = Text(with_interval(claim.gain, claim.low, claim.high))
        table.add_row(Text(name), gain, Text(str(claim.n)), Text(verdict_words(comparison)))
    return table


def verdict_words(comparison: Comparison) -> str:
    """Say what a comparison has come to in a few words."""
    claim = comparison.claim
    if comparison.troubles.bars:
        return f"runs failed: {plural(len(comparison.troubles.failures) + comparison.troubles.unbounded, 'fresh run')}"
    if comparison.standing is Standing.UNDECIDED:
        return "improved, but whether a guard or limit holds is open"
    if comparison.standing is Standing.UNSTABLE:
        return "improved but unstable"
    if claim.decision is Decision.IMPROVED and not comparison.accepted:
        return "improved, but a guard or limit does not hold"
    if claim.decision is Decision.NO_DIFFERENCE:
        return f"no difference larger than {percent(claim.equivalence)}"
    return str(claim.decision)


def noise_table(result: TuneResult) -> Table | None:
    """Show level and spread of the judged indicators over the reference's first runs; None while there are none."""
    table = plain_table("noise of", "level", "spread [95.0 %]", "runs", right=(1, 3))
    for name in result.rules.judged:
        floor = result.noise.get(name)
        if floor is not None:
            spread = percent_range(floor.sd_log, floor.sd_low, floor.sd_high)
            table.add_row(Text(label(name)), Text(format_indicator(name, floor.mean)), Text(spread), Text(str(floor.n)))
    return table if table.row_count else None


def detectable_words(seen: DetectableGains, rules: Rules) -> str:
    """Say what numbers of pairs can show, with 95 % intervals, and from what that is estimated."""
    of = listed([label(name) for name in rules.objective.weights])
    pairs = ", ".join(str(number) for number in seen.gains)
    gains = ", ".join(detectable_gain(each) for each in seen.gains.values())
    claims = f" for each of {seen.claims} claims" if seen.claims > 1 else "" if seen.looks else " for a single claim"
    shown = f"At this noise {pairs} pairs can show gains from {gains} in {of}{claims}"
    return f"{shown} (95 % intervals, from {_source(seen)})."


def _source(seen: DetectableGains) -> str:
    """Name the runs or pairs from which the spread of pairs is estimated."""
    if seen.looks:
        looks = "the first look" if seen.looks == 1 else f"{seen.looks} looks"
        return f"the {plural(seen.pairs, 'pair')} of {looks}"
    beside = f" and {plural(seen.pairs, 'pair')} with other starting points" if seen.pairs else ""
    return f"{plural(seen.runs, 'run')} of the reference{beside}"


def baselines_table(result: TuneResult) -> Table | None:
    """Show the other starting points against the reference; None where there are none."""
    table = plain_table("other starting point", "gain over the reference [95.0 %]", "pairs", "", right=(2,))
    for name, pairs in result.baselines.items():
        gain = with_interval(pairs.ratio, pairs.low, pairs.high) if pairs else "?"
        table.add_row(Text(reference_words(name)), Text(gain), Text(str(pairs.n) if pairs else "?"), Text("no claim"))
    return table if table.row_count else None


def effect_words(test: Evidence) -> str:
    """Say the ablation effect of the changes of a test: ``1.08x [1.03, 1.13], n = 8``."""
    if test.effect is None:
        return "?, too few complete blocks"
    return f"{with_interval(test.effect.ratio, test.effect.low, test.effect.high)}, n = {test.effect.n}"


def _ratio_cell(pairs: PairedComparison | None, usual_n: int) -> str:
    if pairs is None:
        return "?"
    other_n = "" if pairs.n == usual_n else f", n = {pairs.n}"
    return with_interval(pairs.ratio, pairs.low, pairs.high) + other_n


def indicator_mark(name: str, pairs: PairedComparison | None) -> Text:
    """Say whether an indicator is shown to be better or worse; nothing where neither more nor less of it is better."""
    better = indicator(name).better
    if pairs is None or better is None:
        return Text("")
    if pairs.low <= 1 <= pairs.high:
        return Text("= open")
    good = (pairs.low > 1) == (better == "higher")
    return marked("better", "+ better") if good else marked("worse", "- worse")


def _part(result: TuneResult, name: str) -> str:
    rules, parts = result.rules, []
    if name in rules.objective.weights:
        weight = rules.objective.weights[name]
        parts.append("objective" if len(rules.objective.weights) == 1 else f"objective, weight {weight:g}")
    if any(guard.indicator == name for guard in rules.guards):
        parts.append("guard")
    if any(limit.indicator == name for limit in rules.limits):
        parts.append("limit")
    return ", ".join(parts)


def _guard_cell(seen: GuardResult) -> str:
    if seen.worsening is None:
        return f"?, n = {seen.n}"
    return f"worsening {with_interval(seen.worsening, seen.low, seen.high)}, n = {seen.n}"


def _limit_cell(each: LimitSeen) -> str:
    name, seen = each.limit.indicator, each.seen
    if seen.mean is None:
        return "?"
    return f"mean {estimate_words(name, seen.mean, seen.low, seen.high)}, n = {seen.n}"


def _of_runs(comparison: Comparison, name: str) -> str:
    """Say what the runs themselves show of a bound that is held at full size; empty for other bounds."""
    seen = comparison.scaled.get(name)
    if isinstance(seen, GuardResult) and seen.worsening is not None:
        return f"; {ratio_text(seen.worsening)} in the scaled runs"
    if isinstance(seen, LimitResult) and seen.mean is not None:
        return f"; {format_indicator(name, seen.mean)} in the scaled runs"
    return ""


_LIMIT_WORDS = {GuardVerdict.HELD: "held", GuardVerdict.BROKEN: "passed", GuardVerdict.INCONCLUSIVE: "open"}


def _guard_word(seen: GuardResult) -> str:
    return "open" if seen.verdict is GuardVerdict.INCONCLUSIVE else str(seen.verdict)
