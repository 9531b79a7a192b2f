"""How often a table of phases is wrong where nothing differs, with arms that scatter alike and unlike.

    python benchmarks/phase_tables.py [--tables 1000]

Each table has 4 phases and their geometric mean. Wrong is a table that names a winner, or one of whose intervals
leaves out 1. The first arm is the one that the others are compared with.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from lsmtune.stats import compare_row, mean_row

_PHASES = 4
_SPREADS: tuple[tuple[float, ...], ...] = ((0.05, 0.05, 0.05), (0.05,) * 4, (0.02, 0.02, 0.1), (0.1, 0.02, 0.02))
_BLOCKS = (3, 5)


def wrong(rng: np.random.Generator, spreads: Sequence[float], blocks: int, *, one_spread: bool) -> tuple[bool, bool]:
    """Return whether a table names a winner, and whether an interval of it misses the truth."""
    phases = [[dict(enumerate(rng.normal(0, spread, blocks).tolist())) for spread in spreads] for _ in range(_PHASES)]
    share = 0.05 / (_PHASES + 1)
    rows = [compare_row(arms, share, one_spread=one_spread) for arms in (*phases, mean_row(phases))]
    missed = any(ratio is None or not ratio.low <= 1 <= ratio.high for row in rows for ratio in row.ratios)
    return any(row.shown for row in rows), missed


def main() -> None:
    """Print a row for each set of spreads and number of blocks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    tables = parser.parse_args().tables
    rng = np.random.default_rng(7)
    print("| Scatter of the arms | Blocks | Judged | A false winner | An interval misses |")
    print("| --- | --- | --- | --- | --- |")
    for spreads in _SPREADS:
        for blocks in _BLOCKS:
            for one_spread in (True, False):
                found = np.array([wrong(rng, spreads, blocks, one_spread=one_spread) for _ in range(tables)])
                named, missed = found.mean(axis=0)
                scatter = ", ".join(f"{100 * spread:g} %" for spread in spreads)
                judged = "by one spread" if one_spread else "pair by pair"
                print(f"| {scatter} | {blocks} | {judged} | {100 * named:.1f} % | {100 * missed:.1f} % |")


if __name__ == "__main__":
    main()
