"""The page of indicators: each declaration in full."""

from collections.abc import Iterator

from docs_pages._markdown import anchor, bullets, code, generated, page, paragraph, table
from lsmtune.indicators import INDICATORS, Indicator

_INTRO = (
    "Everything that lsmtune measures. Values are kept in base units: s, B, 1; a name ends in its unit. A value that "
    "could not be known is missing, never 0. An experiment names indicators in `[objective]` and `[guards]`; "
    "`name@phase` is the value of another phase than the measured one, such as `throughput_ops_s@readrandom`."
)
_TOOLS = (
    'Sources and formulas are those of db_bench; what follows "ycsb" is that of '
    "[lsmtune's driver](../how-to/ycsb.md), in the words of [its output](../../native/ycsb/README.md#output)."
)
_FACT = "fact"


def indicators_page() -> str:
    """Return the page of all indicators."""
    rows = (
        (f"[{each.name}]({anchor(each.name)})", each.unit, each.better or _FACT, each.summary)
        for each in INDICATORS.values()
    )
    return page(
        "# Indicators",
        generated("src/lsmtune/indicators/"),
        paragraph(_INTRO),
        paragraph(_TOOLS),
        paragraph(f"Better says which way is better; a {_FACT} is shown but not judged."),
        table(("Indicator", "Unit", "Better", "What it says"), rows),
        *(block for each in INDICATORS.values() for block in _entry(each)),
    )


def _entry(each: Indicator) -> Iterator[str]:
    yield f"## {each.name}"
    yield paragraph(each.summary)
    better = f"{each.better} is better" if each.better else "neither way is better"
    yield bullets(
        (
            f"Unit: {code(each.unit)}; {better}",
            f"Formula: {each.formula}",
            f"Source: {each.source}",
            f"Includes: {each.includes}",
            f"Leaves out: {each.leaves_out}",
            *(["Steady: kept from runs that others on the host disturbed."] if each.steady else []),
        )
    )
