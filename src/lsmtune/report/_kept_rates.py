"""Offered rates: up to which of them each cell of a sweep kept up."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from lsmtune.analysis import OFFERED, KeptRate, OfferedRate, Runs
from lsmtune.report._analysis_words import value_words
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import percent
from lsmtune.units import format_rate, plural

_EXPLAINED = (
    "Kept up with: in each run 99 % of the rate was done, writes never stopped, and what was due at the end took "
    "at most a tenth of the time. How late operations were is not in it."
)


def kept_rate_parts(runs: Runs, found: Sequence[KeptRate]) -> RenderableType | None:
    """Return a table of the cells with the largest rate that each kept up with; None where no rate was swept."""
    if not found:
        return None
    named = [runs.by_name[name] for name in found[0].where if len({each.where[name] for each in found}) > 1]
    table = plain_table(*(factor.short for factor in named), "kept up with", "done", "the next rate", "why not")
    for each in found:
        kept, above = each.kept, each.above
        cells = [
            *(value_words(each.where[factor.name], factor) for factor in named),
            "none" if kept is None else format_rate(kept.rate_ops_s),
            "" if kept is None else percent(kept.done),
            "none was offered" if above is None else format_rate(above.rate_ops_s),
            "" if above is None else _why(above),
        ]
        table.add_row(*map(Text, cells))
    return Group(
        section(f"Offered rates ({runs.by_name[OFFERED].short}) that were kept up with"), table, Text(_EXPLAINED)
    )


def _why(rate: OfferedRate) -> str:
    told = []
    if rate.lost:
        told.append(f"{plural(rate.lost, 'run')} lost")
    if rate.done is not None:
        told.append(f"{percent(rate.done)} done")
    if rate.stops:
        told.append(plural(int(rate.stops), "stop"))
    if rate.debt is not None:
        told.append(f"compactions caught up in {percent(rate.debt)} of the phase's time")
    return ", ".join(told)
