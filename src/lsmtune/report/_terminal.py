"""The card of a tuning study. It is made of values and says the same without colour."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from lsmtune.model import Status, StudyKind
from lsmtune.report._about import engine_rows, facts_grid, host_words, own_rows, workload_words
from lsmtune.report._climb import climb_note, climb_table
from lsmtune.report._dots import dots
from lsmtune.report._findings import findings_parts
from lsmtune.report._front_tables import front_parts
from lsmtune.report._full_size import full_size_sentences
from lsmtune.report._host_table import hosts_part
from lsmtune.report._max_rates import max_rate_parts
from lsmtune.report._phases import ArmNames, phase_parts
from lsmtune.report._states import State, state_of
from lsmtune.report._story import story
from lsmtune.report._tables import (
    baselines_table,
    bounds_table,
    changes_table,
    detectable_words,
    finalists_table,
    indicator_table,
    noise_table,
    section,
    taken_back_table,
)
from lsmtune.report._values import NO_UNITS
from lsmtune.report._words import (
    fresh_run_sentences,
    next_step,
    search_end_sentence,
    smaller_words,
    verdict_sentence,
)
from lsmtune.result import Comparison, TuneResult
from lsmtune.units import format_seconds, plural

_COLOURS = {
    State.IMPROVED: "green",
    State.RUNNING: "cyan",
    State.WORSE: "red",
    State.GUARD_BROKEN: "red",
    State.FAILED_RUNS: "red",
    State.NOT_CONFIRMED: "red",
    State.LOST_LARGER: "red",
    State.LIMIT_PASSED: "red",
}
_DOTS_WIDTH = 72
_HEADINGS = {StudyKind.STEPS: "All steps that were kept", StudyKind.COMPARE: "The best of them"}


def tune_card(result: TuneResult, option_units: Mapping[str, str] = NO_UNITS) -> RenderableType:
    """Return the card of a tuning study: what was shown, what was changed, and how far it can be trusted.

    Args:
        result: what the study says.
        option_units: unit by option, from the catalogue; options without one are printed as they are set.
    """
    return _TuneCard(result, option_units)


@dataclass(frozen=True)
class _TuneCard:
    result: TuneResult
    option_units: Mapping[str, str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        parts = [
            self._title(),
            self._about(),
            *self._story(),
            *self._comparison(options),
            *self._climb(),
            *self._changes(),
            *self._trust(),
        ]
        for part in parts:
            yield part
            yield Text()
        yield Text.assemble(("Next: ", "bold"), next_step(self.result))

    def _story(self) -> Iterator[RenderableType]:
        if self.result.decisions.plan is not StudyKind.TUNE:
            yield from story(self.result, self.option_units)
        for place, table in enumerate(self.result.phases):
            yield Group(*phase_parts(table, ArmNames(), explained=place == 0))

    def _title(self) -> Panel:
        state = state_of(self.result)
        colour = _COLOURS.get(state, "yellow")
        title = Text.assemble(self.result.description.name, ": ", (str(state), f"bold {colour}"))
        return Panel(Text(verdict_sentence(self.result)), title=title, title_align="left", border_style=colour)

    def _about(self) -> RenderableType:
        description = self.result.description
        rows = [
            *engine_rows(self.result),
            *own_rows(self.result),
            ("host", host_words(description.host)),
            ("workload", workload_words(self.result.facts)),
            ("runs", _runs_words(self.result)),
            *(("rung", check.sentence) for check in self.result.decisions.rungs or ()),
        ]
        ended = search_end_sentence(self.result)
        if ended:
            rows.append(("search", ended))
        return facts_grid(rows)

    def _comparison(self, options: ConsoleOptions) -> Iterator[RenderableType]:
        comparison = self.result.verdict
        if comparison is None:
            return
        table = indicator_table(self.result, comparison, options.max_width)
        heading = _HEADINGS.get(self.result.decisions.plan)
        yield table if heading is None else Group(section(heading), table)
        bounds = bounds_table(self.result, comparison)
        if bounds is not None:
            yield bounds
        yield from map(Text, fresh_run_sentences(comparison))
        yield from map(Text, full_size_sentences(self.result))
        behind = max_rate_parts(self.result)
        if behind is not None:
            yield behind
        if comparison.gains:
            width = min(_DOTS_WIDTH, options.max_width - 2)
            picture = dots(comparison.gains, _ends(comparison), width, ascii_only=options.ascii_only)
            yield Group(section(f"Gain of each of {plural(len(comparison.gains), 'pair')}"), picture)
        if self.result.front is not None:
            yield from front_parts(self.result, self.result.front)
        elif len(self.result.verified) > 1 and self.result.decisions.plan is StudyKind.TUNE:
            yield finalists_table(self.result.verified, self.result.decisions.finalists or ())

    def _climb(self) -> Iterator[RenderableType]:
        table = climb_table(self.result)
        if table is not None:
            yield Group(section("Where it holds"), table, Text(climb_note(self.result)))

    def _changes(self) -> Iterator[RenderableType]:
        if self.result.changes:
            yield Group(section("What changed"), changes_table(self.result, self.option_units))
        kept = smaller_words(self.result)
        if kept:
            yield Text(kept)
            return
        taken_back = taken_back_table(self.result.tests)
        if taken_back is not None:
            yield taken_back

    def _trust(self) -> Iterator[RenderableType]:
        baselines = baselines_table(self.result)
        if baselines is not None:
            yield baselines
        noise = noise_table(self.result)
        if noise is not None:
            yield noise
        if self.result.hosts is not None:
            yield hosts_part(self.result.hosts)
        if self.result.detectable is not None:
            yield Text(detectable_words(self.result.detectable, self.result.rules))
        yield from findings_parts(self.result.warnings)


def _ends(comparison: Comparison) -> tuple[float, float, float] | None:
    claim = comparison.claim
    if claim.low is None or claim.gain is None or claim.high is None:
        return None
    return claim.low, claim.gain, claim.high


def _runs_words(result: TuneResult) -> str:
    summary = result.summary
    counts = [f"{number:,} {status}" for status in Status if (number := summary.count(status=status))]
    detail = f" ({', '.join(counts)})" if counts else ""
    return f"{plural(summary.runs, 'run')}{detail}, {format_seconds(summary.run_time_s)} of running"
