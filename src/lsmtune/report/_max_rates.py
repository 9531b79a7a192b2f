"""What stands behind the largest rates: a table of the arms of a comparison."""

from rich.console import Group, RenderableType
from rich.text import Text

from lsmtune.indicators import MAX_RATE, MAX_RATE_LATENCY
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_indicator
from lsmtune.result import MaxRates, TuneResult, finalist

_WORDS = {
    "late": "too many late",
    "behind": "less than 99 % done",
    "stopped": "writes stopped",
    "debt": "debt grew",
}
"""The driver's reasons, as docs/how-to/max-rate.md has them."""


def max_rate_parts(result: TuneResult) -> RenderableType | None:
    """Return the closed loop, the latency at the rate and why the next one failed; None where none is sought."""
    if not result.max_rates:
        return None
    table = plain_table(
        "", "largest rate", "closed loop", "latency at the rate", "why the next was not sustained", right=(1, 2, 3)
    )
    named = {finalist(place): name for place, name in enumerate(result.decisions.finalists or (), 1)}
    for each in result.max_rates:
        levels = ((MAX_RATE, each.rate_ops_s), (MAX_RATE, each.closed_loop_ops_s), (MAX_RATE_LATENCY, each.latency_s))
        table.add_row(
            Text(named.get(each.arm, each.arm)),
            *(Text(format_indicator(name, level)) for name, level in levels),
            Text(bar_words(each)),
        )
    return Group(section("Behind the largest rates: geometric means of the fresh runs"), table)


def bar_words(rates: MaxRates) -> str:
    """Say why the next rate was not sustained, and in how many runs; several reasons may hold in one."""
    if not rates.bars:
        return "no rate above was seen to fail"
    told = sorted(rates.bars.items(), key=lambda each: -each[1])
    return ", ".join(f"{_WORDS.get(bar, bar)} ({number} of {rates.runs})" for bar, number in told)
