"""What giving up hopeless claims costs in power, and which gains pairs can show; the seed is fixed.

    python benchmarks/giving_up.py [--studies 2000]

Verifications of one finalist whose pairs scatter by 5.5 %, with the default minimum effect of interest, beside the same
looks without futility. The second table is computed (`lsmtune.stats.smallest_detectable_gain`).
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import ttest_1samp

from lsmtune.stats import LOOKS, POCOCK_ALPHA, Claim, Decision, decide, smallest_detectable_gain

GAINS = (0.0, 0.03, 0.05, 0.10)
SPREADS = (0.01, 0.03, 0.055, 0.10, 0.20)
_SPREAD, _INTEREST, _SEED = 0.055, 0.03, 1


def verify(gains: Sequence[float]) -> tuple[Decision, int]:
    """Return what the looks decide on the log gains of pairs, in their order, and after how many pairs."""
    results = decide([Claim("candidate", tuple(gains[: LOOKS[0]]))], 0, _INTEREST, ())
    for look, n in enumerate(LOOKS[1:], start=1):
        if results[0].settled:
            break
        results = decide([Claim("candidate", tuple(gains[:n]))], look, _INTEREST, results)
    return results[0].decision, results[0].n


def without_futility(studies: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the share of studies that show a gain where none is given up, and the pairs that they take."""
    p = np.stack([ttest_1samp(studies[:, :n], 0.0, axis=1).pvalue for n in LOOKS])
    first = np.argmax(p <= POCOCK_ALPHA, axis=0)
    shown = p.min(axis=0) <= POCOCK_ALPHA
    mean = np.stack([studies[:, :n].mean(axis=1) for n in LOOKS])[first, np.arange(len(studies))]
    pairs = np.where(shown, np.array(LOOKS)[first], LOOKS[-1])
    return float(np.mean(shown & (mean > 0))), float(pairs.mean())


def power_lines(count: int) -> Iterator[str]:
    """Yield a line for each true gain: how many of `count` studies show it, with and without futility."""
    rng = np.random.default_rng(_SEED)
    for gain in GAINS:
        studies = rng.normal(math.log1p(gain), _SPREAD, (count, LOOKS[-1]))
        decided = [verify(row) for row in studies]
        shown = np.mean([decision is Decision.IMPROVED for decision, _ in decided])
        share, pairs = without_futility(studies)
        yield (
            f"true gain {gain:4.0%}: shown {shown:6.1%} with {np.mean([n for _, n in decided]):4.1f} pairs; "
            f"never given up: {share:6.1%} with {pairs:4.1f}"
        )


def detectable_lines() -> Iterator[str]:
    """Yield a line for each spread of pairs: the gain that each look shows with a chance of 80 %."""
    for spread in SPREADS:
        gains = "  ".join(f"{n} pairs {smallest_detectable_gain(spread, n):5.1%}" for n in LOOKS)
        yield f"{spread:5.1%}:  {gains}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=2000, help="of each true gain")
    asked = parser.parse_args()
    sys.stdout.write("\n".join([*power_lines(asked.studies), "", *detectable_lines(), ""]))


if __name__ == "__main__":
    main()
