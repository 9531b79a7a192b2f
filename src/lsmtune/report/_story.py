"""Several comparisons one below the other: steps of a step-by-step tuning, or configurations that the user named."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from lsmtune.model import StudyKind, Value
from lsmtune.report._tables import indicator_mark, plain_table, section, verdict_words
from lsmtune.report._values import ADJUSTED, format_indicator, format_option, label, listed, with_interval
from lsmtune.result import Comparison, TuneResult, build_words

_LABEL_WIDTH = 24  # so that the tables of a story stand below each other


@dataclass(frozen=True)
class _Chapter:
    title: str
    values: Mapping[str, Value] | None  # None: no run of it ended well, and what it sets is not known
    because: str
    outcome: str
    comparison: Comparison | None
    build: str = ""


def story(result: TuneResult, option_units: Mapping[str, str]) -> Iterator[RenderableType]:
    """Yield every step, or every named configuration, with what it did to each indicator."""
    by_steps = result.decisions.plan is StudyKind.STEPS
    headers = ("without", "with") if by_steps else (result.rules.reference, "with")
    for chapter in _steps(result) if by_steps else _configurations(result):
        about = [section(chapter.title), *_about(chapter, option_units)]
        if chapter.comparison is None:
            yield Group(*about)
            continue
        table = plain_table("indicator", *headers, f"ratio [{ADJUSTED}]", "n", "mark", right=(1, 2, 4))
        table.columns[0].min_width = _LABEL_WIDTH
        for row in _rows(chapter.comparison, result.rules.judged):
            table.add_row(*row)
        yield Group(*about, table)


def _steps(result: TuneResult) -> Iterator[_Chapter]:
    for each in result.steps:
        step, comparison = each.step, each.comparison
        words = "left out" if comparison is None else verdict_words(comparison)
        outcome = f"{words}: kept" if step.kept else words if comparison is None else f"{words}: not kept"
        yield _Chapter(f"Step {step.number}: {step.name}", step.values, step.because, outcome, comparison)


def _configurations(result: TuneResult) -> Iterator[_Chapter]:
    names = result.decisions.finalists or ()
    for name, comparison in zip(names, result.verified, strict=False):
        named = result.candidates.get(comparison.arm)
        values = None if named is None else named.changes_from(result.rules.start)
        other = result.builds.get(comparison.arm)
        build = "" if other is None else build_words(other.build)
        yield _Chapter(name, values, "", verdict_words(comparison), comparison, build)


def _about(chapter: _Chapter, option_units: Mapping[str, str]) -> Iterator[Text]:
    values = chapter.values or {}
    sets = [f"{name} {format_option(value, option_units.get(name, ''))}" for name, value in values.items()]
    if chapter.build:
        yield Text(f"runs on {chapter.build}")
    if sets or (chapter.values is not None and not chapter.build):
        yield Text(f"sets {listed(sets)}" if sets else "sets nothing")
    if chapter.because:
        yield Text(f"because {chapter.because}")
    yield Text(chapter.outcome, style="bold")


def _rows(comparison: Comparison, judged: Sequence[str]) -> Iterator[tuple[Text, ...]]:
    claim = comparison.claim
    gain = with_interval(claim.gain, claim.low, claim.high)
    yield (Text("the objective's gain", style="bold"), Text(), Text(), Text(gain), Text(str(claim.n)), Text())
    for name in judged:
        if name in comparison.levels:
            pairs = comparison.indicators.get(name)
            ratio = "?" if pairs is None else with_interval(pairs.ratio, pairs.low, pairs.high)
            levels = (format_indicator(name, level) for level in comparison.levels[name])
            shown = (*levels, ratio, "" if pairs is None else str(pairs.n))
            yield (Text(label(name)), *(Text(text) for text in shown), indicator_mark(name, pairs))
