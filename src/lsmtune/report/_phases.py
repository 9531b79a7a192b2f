"""Who wins in each phase of a workload and over all of them: a table, sentences, JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.analysis import Runs
from lsmtune.indicators import indicator
from lsmtune.model import Value
from lsmtune.report._analysis_words import value_words
from lsmtune.report._plain import plain
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_indicator, label, listed, ratio_text, with_interval
from lsmtune.result import PhaseRow, PhaseTable
from lsmtune.space import Factor
from lsmtune.stats import ArmRatio
from lsmtune.units import plural

MOST_ROWS = 28
"""Rows of a table on a card; of more, it has the means over the phases only."""


@dataclass(frozen=True)
class ArmNames:
    """How arms and the values of other factors are called.

    Attributes:
        of: words for an arm.
        others: the other factors of a sweep with more than one value.
    """

    of: Callable[[Value], str] = str
    others: tuple[Factor, ...] = ()

    @classmethod
    def of_sweep(cls, runs: Runs, competing: str, table: PhaseTable) -> "ArmNames":
        """Return those of a sweep."""
        factor = runs.by_name[competing]
        seen = {name: {row.where[name] for row in table.rows} for row in table.rows for name in row.where}
        others = tuple(runs.by_name[name] for name, values in seen.items() if len(values) > 1)
        return cls(lambda value: value_words(value, factor), others)

    def where(self, row: PhaseRow) -> list[str]:
        """Return the words for the values of the other factors."""
        return [value_words(row.where[factor.name], factor) for factor in self.others]


def phase_parts(table: PhaseTable, names: ArmNames, *, explained: bool = True) -> list[RenderableType]:
    """Return heading, table and sentences of one indicator, as a card has them; the first on a card explains itself."""
    short = len(table.rows) > MOST_ROWS
    left_out = "The phases of each cell are in the report and under --json." if short else ""
    words = (phase_sentence(table, names), how_compared(table, names) if explained else "", left_out)
    return [
        section(f"Who wins in each phase: {label(table.indicator)}"),
        phase_grid(table, names, means_only=short),
        Text(" ".join(filter(None, words))),
    ]


def phase_grid(table: PhaseTable, names: ArmNames, *, means_only: bool = False) -> Table:
    """Return a row for each phase, and the mean over them, with every arm's ratio to the first."""
    base, *others = table.arms
    headers = (*(each.short for each in names.others), "phase", names.of(base), *map(names.of, others))
    first = len(names.others) + 1
    grid = plain_table(*headers, "blocks", "winner", right=(first, first + len(others) + 1))
    for row in table.rows:
        if means_only and row.phase is not None:
            continue
        level = format_indicator(table.indicator, row.levels.get(base))
        ratios = [_ratio(row.ratios.get(arm), table.indicator) for arm in others]
        n = max((each.n for each in row.ratios.values()), default=0)
        cells = (*map(Text, (*names.where(row), phase_words(table, row), level)), *ratios)
        grid.add_row(*cells, Text(str(n or "?")), _winner(row, names))
    return grid


def phase_words(table: PhaseTable, row: PhaseRow) -> str:
    """Name the phase of a row, or the mean over all."""
    return row.phase or f"geometric mean of {len(table.phases)}"


def phase_sentence(table: PhaseTable, names: ArmNames) -> str:
    """Say who is shown to win in which phases, and who over all of them."""
    best = f"the {str(indicator(table.indicator).better).removesuffix('er')}est {label(table.indicator)}"
    single = [row for row in table.rows if row.phase is not None]
    means = [row for row in table.rows if row.phase is None]
    if len(means) > 1:
        counts = (_counted(single, names, "phases and cells"), _counted(means, names, "means over the phases"))
        return f"Shown to have {best}: {counts[0]}; {counts[1]}."
    won: dict[Value, list[str]] = {}
    for row in single:
        if row.shown and row.leader is not None:
            won.setdefault(row.leader, []).append(f"{row.phase} ({_ahead(row, names)})")
    open_ones = [row.phase or "" for row in single if not row.shown]
    mean = _mean_words(means[0], table, names)
    if not won:
        return f"Nobody is shown to have {best} in any of {plural(len(single), 'phase')}; {mean}."
    (first, where), *more = won.items()
    told = [f"{names.of(first)} is shown to have {best} in {listed(where)}"]
    told += [f"{names.of(arm)} in {listed(places)}" for arm, places in more]
    told += [f"nobody in {listed(open_ones)}"] if open_ones else []
    return f"{'; '.join(told)}; {mean}."


def how_compared(table: PhaseTable, names: ArmNames) -> str:
    """Say what the ratios are to, and in which sense their intervals hold."""
    base = names.of(table.arms[0])
    return (
        f"Ratios are to {base}, block by block; all intervals of the table hold together at {100 * table.level:.3g} %, "
        f"and + and - are shown better and worse than {base}. A winner is shown better than every other one."
    )


def phases_json(tables: Sequence[PhaseTable]) -> dict[str, Any]:
    """Return tables as values of JSON, by indicator."""
    return {
        table.indicator: {
            "arms": list(table.arms),
            "phases": list(table.phases),
            "level": table.level,
            "rows": [_row_json(table, row) for row in table.rows],
        }
        for table in tables
    }


def arm_mark(name: str, ratio: ArmRatio | None) -> str:
    """Return ``"+"`` or ``"-"`` where an arm is shown better or worse than the first one, else an empty text."""
    if ratio is None or ratio.low <= 1 <= ratio.high:
        return ""
    return "+" if (ratio.low > 1) == (indicator(name).better == "higher") else "-"


def _row_json(table: PhaseTable, row: PhaseRow) -> dict[str, Any]:
    return {
        "phase": row.phase,
        "where": dict(row.where),
        "arms": [
            {"arm": arm, "level": row.levels.get(arm), "ratio": _ratio_json(row.ratios.get(arm))} for arm in table.arms
        ],
        "leader": row.leader,
        "second": row.second,
        "lead": _ratio_json(row.lead),
        "shown": row.shown,
        "troubled": row.troubled,
    }


def _ratio_json(ratio: ArmRatio | None) -> Mapping[str, float | None] | None:
    if ratio is None:
        return None
    found: dict[str, float | None] = plain({"ratio": ratio.ratio, "low": ratio.low, "high": ratio.high, "n": ratio.n})
    return found


def _ratio(ratio: ArmRatio | None, name: str) -> Text:
    if ratio is None:
        return Text("?")
    mark = arm_mark(name, ratio)
    words = f"{with_interval(ratio.ratio, ratio.low, ratio.high)} {mark}".rstrip()
    return Text(words, style={"+": "green", "-": "red"}.get(mark, ""))


def _winner(row: PhaseRow, names: ArmNames) -> Text:
    if row.shown and row.leader is not None:
        return Text(f"{names.of(row.leader)}, {_ahead(row, names)}", style="bold")
    if row.troubled and row.leader is not None:
        return Text(f"not shown: {plural(row.troubled, 'run')} of {names.of(row.leader)} failed or stopped")
    return Text("not shown")


def _ahead(row: PhaseRow, names: ArmNames) -> str:
    if row.lead is None or row.second is None:
        return "alone"
    return f"by {ratio_text(row.lead.ratio, row.lead.low, row.lead.high)} over {names.of(row.second)}"


def _mean_words(row: PhaseRow, table: PhaseTable, names: ArmNames) -> str:
    over = f"in the geometric mean over {plural(len(table.phases), 'phase')}"
    if row.leader is None or row.second is None or row.lead is None:
        return f"{over} nothing can be compared"
    lead = with_interval(row.lead.ratio, row.lead.low, row.lead.high)
    if row.shown:
        return f"{over} {names.of(row.leader)} wins, by {lead} over {names.of(row.second)}"
    return f"{over} nobody is shown to win ({names.of(row.leader)} has a gain of {lead} over {names.of(row.second)})"


def _counted(rows: Sequence[PhaseRow], names: ArmNames, what: str) -> str:
    won: dict[Value, int] = {}
    for row in rows:
        if row.shown and row.leader is not None:
            won[row.leader] = won.get(row.leader, 0) + 1
    parts = [f"{names.of(arm)} in {count}" for arm, count in sorted(won.items(), key=lambda item: -item[1])]
    return f"{listed(parts) or 'nobody in any'} of {len(rows)} {what}"
