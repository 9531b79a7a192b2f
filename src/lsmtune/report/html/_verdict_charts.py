"""Charts of what was shown: pairs, ablation effects, tails of latency."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lsmtune.indicators import INDICATORS
from lsmtune.model import StudyKind
from lsmtune.report._names import candidate_word
from lsmtune.report._values import ratio_text, with_interval
from lsmtune.report.html._chart import Axis, Chart, Level, Mark, Scale, Series, shortened
from lsmtune.report.html._view import ReportView
from lsmtune.result import Comparison, reference_words

_ONE = Level("x", 1.0, "no change")
_ROW = 56
TAILS = ("p50", "p75", "p99", "p999", "p9999", "max")
"""Percentiles of latency that are drawn, as names of indicators have them."""
_NAMES = {"p999": "p99.9", "p9999": "p99.99"}


def named_comparisons(view: ReportView) -> list[tuple[str, Comparison]]:
    """Return every comparison of fresh, interleaved runs with a name, in the order in which they were made."""
    result = view.result
    finalists = result.decisions.finalists or ()
    found = [(f"step {each.step.number}: {each.step.name}", each.comparison) for each in result.steps]
    for place, comparison in enumerate(result.verified):
        name = finalists[place] if place < len(finalists) else comparison.arm
        found.append(("all steps kept" if result.decisions.plan is StudyKind.STEPS else name, comparison))
    found.append(("what is left of it, confirmed", result.confirmed))
    return [(name, comparison) for name, comparison in found if comparison is not None and comparison.gains]


def pairs_chart(view: ReportView) -> Chart | None:
    """Show the gain of every pair of every comparison, with its mean and interval; None where there are no pairs."""
    named = [] if view.sampled else named_comparisons(view)
    if not named:
        return None
    x: list[float] = []
    y: list[float] = []
    notes = []
    for row, (name, comparison) in enumerate(named):
        for place, gain in enumerate(comparison.gains):
            x.append(math.exp(gain))
            y.append(row - 0.12 - 0.08 * (place % 3))
            notes.append(f"{name}, pair {place + 1}: {ratio_text(math.exp(gain))}")
    known = [
        (row, comparison.claim.gain, comparison.claim.low, comparison.claim.high)
        for row, (_, comparison) in enumerate(named)
    ]
    shown = [(row, gain, _ends(low, high, gain)) for row, gain, low, high in known if gain is not None]
    means = Series(
        "mean and interval",
        Mark.ESTIMATE,
        tuple(gain for _, gain, _ in shown),
        tuple(row + 0.2 for row, _, _ in shown),
        tuple(ends for _, _, ends in shown),
        notes=tuple(f"{named[row][0]}: {with_interval(gain, *ends)}" for row, gain, ends in shown),
    )
    return Chart(
        name="pairs",
        title="Gain of each pair of fresh, interleaved runs",
        alt="Each dot is a pair of runs, each square the mean of a row with its interval; right of 1 is better.",
        x=Axis("gain in the objective", suffix="x"),
        y=Axis("", tuple(shortened(name) for name, _ in named)),
        series=(Series("a pair", Mark.DOT, tuple(x), tuple(y), notes=tuple(notes)), *([means] if shown else [])),
        levels=(_ONE,),
        height=120 + _ROW * len(named),
    )


def ablation_chart(view: ReportView) -> Chart | None:
    """Show the ablation effect of each change; None where nothing was tested by itself."""
    rows = [] if view.sampled else list(_effect(view))
    if not rows:
        return None
    series = []
    for words, mark, stays in (("stays", Mark.ESTIMATE, True), ("not kept", Mark.REFERENCE, False)):
        part = [(place, row) for place, row in enumerate(rows) if row.stays is stays]
        if part:
            gains, places = tuple(row.gain for _, row in part), tuple(float(place) for place, _ in part)
            ends, notes = tuple((row.low, row.high) for _, row in part), tuple(row.words for _, row in part)
            series.append(Series(words, mark, gains, places, ends, notes=notes))
    return Chart(
        name="ablation",
        title="Ablation: the effect of each change",
        alt="Gain with the change over the gain without it, with its interval; right of 1 the change helps.",
        x=Axis("gain with the change over without it", suffix="x"),
        y=Axis("", tuple(shortened(row.name) for row in rows)),
        series=tuple(series),
        levels=(_ONE,),
        height=120 + 34 * len(rows),
    )


def latency_charts(view: ReportView) -> Iterator[Chart]:
    """Yield the tails of latency of reference and result, one chart for each phase and kind of operation."""
    comparison = view.comparison
    if comparison is None:
        return
    for kind, phase in latency_kinds(comparison.levels):
        names = [name for tail in TAILS if (name := latency_name(kind, tail, phase)) in comparison.levels]
        levels = [comparison.levels[name] for name in names]
        if len(names) < 3 or min(min(pair) for pair in levels) <= 0:
            continue
        scale = Scale.of(names[0], [levels[len(levels) // 2][0]])
        what = f"{kind} latency".strip() + (f" of {phase}" if phase else "")
        places = tuple(float(place) for place in range(len(names)))
        yield Chart(
            name=f"tails{f'-{kind}' if kind else ''}{f'@{phase}' if phase else ''}",
            title=f"Tails: {what}, mean over the pairs",
            alt="Dashed the reference, solid what was found; lower is better.",
            x=Axis("", tuple(tail_words(name) for name in names)),
            y=Axis(f"{what} [{scale.title.rpartition('[')[2]}", log=True),
            series=tuple(
                Series(words, mark, places, tuple(pair[side] / scale.factor for pair in levels))
                for side, words, mark in (
                    (0, reference_words(view.result.rules.reference), Mark.DASHED),
                    (1, shortened(candidate_word(view.result, comparison)), Mark.LINE),
                )
            ),
        )


def latency_kinds(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the (kind of operation, phase) pairs of which there are latencies, each once."""
    found: dict[tuple[str, str], None] = {}
    for name in names:
        base, _, phase = name.partition("@")
        if base in INDICATORS and base.endswith("latency_p99_s"):
            found[base.removesuffix("latency_p99_s").rstrip("_"), phase] = None
    return list(found)


def latency_name(kind: str, tail: str, phase: str) -> str:
    """Return the name of an indicator: ``("read", "p99", "a")`` -> ``read_latency_p99_s@a``."""
    return f"{f'{kind}_' if kind else ''}latency_{tail}_s{f'@{phase}' if phase else ''}"


@dataclass(frozen=True)
class _AblationEffect:
    name: str
    gain: float
    low: float
    high: float
    n: int
    stays: bool

    @property
    def words(self) -> str:
        return f"{self.name}: {with_interval(self.gain, self.low, self.high)}, n = {self.n}"


def _effect(view: ReportView) -> Iterator[_AblationEffect]:
    """Yield the last test of each change: those that stay, the largest effect first, then the others."""
    changed = {change.option for change in view.result.changes}
    last = {test.about.removed: test for test in view.result.tests}
    where: dict[tuple[str, ...], str] = {}
    for change in view.result.changes:
        if change.evidence is not None:
            last[change.option,] = change.evidence
            where[change.option,] = f", {change.tested_in}" if change.tested_in else ""
    rows = [
        _AblationEffect(
            " + ".join(removed) + where.get(removed, ""), it.ratio, it.low, it.high, it.n, changed.issuperset(removed)
        )
        for removed, test in last.items()
        if (it := test.effect) is not None
    ]
    yield from sorted(rows, key=lambda row: (not row.stays, -row.gain))
    for each in view.result.steps:
        claim = None if each.comparison is None else each.comparison.claim
        if claim is not None and claim.gain is not None:
            ends = _ends(claim.low, claim.high, claim.gain)
            yield _AblationEffect(
                f"step {each.step.number}: {each.step.name}", claim.gain, *ends, claim.n, each.step.kept
            )


def tail_words(name: str) -> str:
    """Name the percentile of an indicator of latency: ``latency_p999_s`` -> ``p99.9``."""
    tail = name.partition("@")[0].removesuffix("_s").rpartition("_")[2]
    return _NAMES.get(tail, tail)


def _ends(low: float | None, high: float | None, middle: float) -> tuple[float, float]:
    return (middle if low is None else low, middle if high is None or math.isinf(high) else high)
