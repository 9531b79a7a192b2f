"""Rules about the largest rate that was sustained.

Each function returns what its rule says of the given values, or None where they leave no doubt.
"""

from lsmtune.lint._rule import Finding, Rule
from lsmtune.units import format_count

_LEAST_FLUSHES = 8  # of both holds: twice the files that make RocksDB and LevelDB compact level 0

FEW_FLUSHES_HELD = Rule(
    code="few-flushes-held",
    looks_at="Flushes in the holds of the largest rate that was sustained, of a workload that writes.",
    threshold=f"Below {_LEAST_FLUSHES} over its holds, usually two: with the default of 4 files that make level 0 "
    "compact, fewer than one compaction of it in each.",
    why="What writes cost later, when compactions run, has not come yet: the rate may not be sustainable for long.",
    next="Raise hold under [workload.max_rate], or take a smaller scale, whose memtables fill sooner.",
)

RATE_NOT_SETTLED = Rule(
    code="rate-not-settled",
    looks_at="The largest rate that was sustained, and the least above it that was not.",
    threshold="One of them is not known or was held once only, or they lie further apart than "
    "workload.max_rate.precision.",
    why="The search used up its rates: a short disturbance of the host may have misled it.",
    next="Raise most under [workload.max_rate], or hold, so that equal rates end alike.",
)


def few_flushes_held(flushes: int) -> Finding | None:
    """Judge whether a rate was held through enough flushes."""
    if flushes >= _LEAST_FLUSHES:
        return None
    return FEW_FLUSHES_HELD.says(
        f"the largest rate was held through {flushes} flushes; below {_LEAST_FLUSHES} the rate includes little of "
        "what compactions cost"
    )


def rate_not_settled(borne_ops_s: float, not_borne_ops_s: float | None, steps: int, *, settled: bool) -> Finding | None:
    """Judge whether a search for the largest rate came to its end."""
    if settled:
        return None
    above = (
        "no rate above it was seen to fail" if not_borne_ops_s is None else f"{format_count(not_borne_ops_s)} was not"
    )
    return RATE_NOT_SETTLED.says(f"after {steps} rates {format_count(borne_ops_s)} ops/s was sustained and {above}")
