"""Print how each rival of a sweep compares with one of them, in any indicator, counts of compactions among them.

Usage: python ratios.py RUNS.parquet [[--factor NAME] [--over VALUE] [--pooled] | --rank] INDICATOR...

`lsmtune sweep` names winners, so it says nothing of indicators that have no better direction, nor of the second
against the third. Here every value of the rival factor, or of another that --factor names, stands against one, the
first if none is named, in each cell of the other factors: geometric means and the ratio, paired by block, with its
95 % interval (not corrected for the number of lines). Disturbed runs count where they do on the card of the sweep.
Pairs with a 0 are left out and counted. With --pooled the cells of the other factors are pairs of one comparison, as
if the ratio were the same in each. With --rank all cells stand in one list, the largest first, each against the
next one.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from lsmtune.analysis import Runs
from lsmtune.experiment import competing_factor
from lsmtune.model import Purpose
from lsmtune.stats import compare_pairs


def main(
    path: Path, indicators: list[str], over: str | None, factor: str | None = None, *, pooled: bool = False
) -> None:
    """Print a line for each indicator, cell and rival."""
    runs = Runs.read(path)
    name = factor or competing_factor(runs.facts.asked) or runs.factors[0].name
    if name not in runs.by_name:
        raise SystemExit(f"{path}: no factor {name!r}; take one of {', '.join(runs.by_name)}")
    rival = runs.by_name[name]
    order = sorted(_order(runs, rival.column), key=lambda value: over is not None and value != over)
    for indicator in indicators:
        swept = _swept(runs, path, indicator)
        others = [each.column for each in runs.factors if each is not rival and swept[each.column].nunique() > 1]
        swept = swept.assign(**{rival.column: swept[rival.column].astype(str)})
        apart, paired = ([], ["block", *others]) if pooled else (others, ["block"])
        for where, rows in swept.groupby(apart, sort=True) if apart else [((), swept)]:
            table = rows.pivot_table(index=paired, columns=rival.column, values=f"indicator.{indicator}", sort=False)
            for line in _lines(table, order):
                print(indicator, *(f"{value}" for value in where), line)


def rank(path: Path, indicators: list[str]) -> None:
    """Print the cells of a sweep by an indicator, each with its ratio to the next one."""
    runs = Runs.read(path)
    for indicator in indicators:
        swept = _swept(runs, path, indicator)
        varied = [factor.column for factor in runs.factors if swept[factor.column].nunique() > 1]
        cells = swept[varied].astype(str).agg(" ".join, axis=1)
        table = swept.assign(cell=cells).pivot_table(index="block", columns="cell", values=f"indicator.{indicator}")
        order = sorted(map(str, table.columns), key=lambda cell: -table[cell].mean())
        for cell, following in pairwise([*order, ""]):
            print(indicator, cell, _lines(table, [following, cell] if following else [cell])[-1])


def _swept(runs: Runs, path: Path, indicator: str) -> pd.DataFrame:
    """Return the runs of the sweep in which an indicator counts."""
    if f"indicator.{indicator}" not in runs.frame.columns:
        raise SystemExit(f"{path}: no indicator {indicator!r}; docs/reference/indicators.md lists them")
    return runs.frame[(runs.frame["purpose"] == str(Purpose.SAMPLE)).to_numpy() & runs.counting(indicator)]


def _order(runs: Runs, column: str) -> list[str]:
    """Return the values of the rival factor, numbers rising and words in their order."""
    values = list(dict.fromkeys(runs.frame[column]))
    numbers = all(isinstance(value, int | float) for value in values)
    return [str(value) for value in (sorted(values) if numbers else sorted(values, key=str))]


def _lines(table: pd.DataFrame, order: list[str]) -> list[str]:
    known = [value for value in order if value in table.columns]
    if not known:
        return ["not measured"]
    first = known[0]
    lines = [f"{first}: {_mean(table[first])}"]
    for value in known[1:]:
        pairs = table[[first, value]].dropna()
        usable = pairs[(pairs > 0).all(axis=1)]
        line = f"{value}: {_mean(table[value])}"
        if len(usable) >= 2:
            found = compare_pairs(usable[value].tolist(), usable[first].tolist())
            line += f", {found.ratio:.3f}x [{found.low:.3f}, {found.high:.3f}] of {first}, n = {found.n}"
        lines.append(line + (f", {len(pairs) - len(usable)} pairs with a 0" if len(usable) < len(pairs) else ""))
    return lines


def _mean(column: "pd.Series[float]") -> str:
    values = column.dropna().to_numpy(dtype=np.float64)
    positive = values.size > 0 and bool((values > 0).all())
    return f"{np.exp(np.log(values).mean()) if positive else values.mean():.4g}" if values.size else "?"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("indicators", nargs="+", metavar="INDICATOR")
    parser.add_argument("--over", metavar="VALUE", help="the one that the others are compared with")
    parser.add_argument("--pooled", action="store_true", help="one comparison over all cells of the other factors")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--factor", metavar="NAME", help="the factor whose values are compared, in place of the rival")
    either.add_argument("--rank", action="store_true", help="all cells in one list")
    given = parser.parse_args()
    if given.rank and given.pooled:
        parser.error("--pooled compares the values of one factor, --rank lists all cells; leave one of them out")
    if given.rank:
        rank(given.runs, given.indicators)
    else:
        main(given.runs, given.indicators, given.over, given.factor, pooled=given.pooled)
