"""How often the rules take a factor that does nothing for one that matters: shadow features beyond the tables' two."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lsmtune.analysis._anova import Anova, p_values
from lsmtune.analysis._joint import AnovaPlan, Outcome
from lsmtune.analysis._multiplicity import ALPHA, PValue
from lsmtune.analysis._permutation import PermutationImportance, permutation_importance
from lsmtune.analysis._sample import Folds, Sample
from lsmtune.analysis._shadow_features import PAIRS_IN_A_MODEL, SHADOWS, pair_names, with_other_shadows
from lsmtune.stats import largest_share, smallest_share

_LEVEL = 0.975  # of each end
_ANOVA = 2
"""Sets the draws of the analysis of variance apart from those of the models: numpy takes seeds that differ by zeros at
their end for one."""


@dataclass(frozen=True)
class ShadowRate:
    """How often shadow features, which do nothing, came out significant.

    Attributes:
        tests: of shadow features.
        significant: with a bare p-value of at most `ALPHA`; about a twentieth is right.
        significant_holm: after Holm; hardly ever one.
        low, high: ends of the exact 95 % interval of the share `significant / tests`.
    """

    tests: int
    significant: int
    significant_holm: int
    low: float
    high: float


def pairs_of_each(shadows: int, indicators: int) -> int:
    """Return how many pairs of shadow features each indicator gets, with that of the tables, to be enough."""
    return max(1, math.ceil(shadows / (2 * max(1, indicators))))


def importance_of_shadows(
    sample: Sample, pairs: int, fit: Callable[[Sample], Folds], *, seed: Sequence[int], draws: int
) -> tuple[PermutationImportance, ...]:
    """Measure and judge fresh shadow features by the rule for factors, in models of their own.

    The models that explain the factors hold two shadow features, as every column of noise takes splits from what
    matters. These are fitted anew with others, a few pairs at a time, and only they are shuffled. Each is held against
    the other one of its pair, as the two of the tables are. Smaller forests do: they follow chance more than
    large ones, so that the rate is rather over- than understated.

    Args:
        sample: what the models of the factors learned from.
        pairs: how many fresh pairs.
        fit: gives the models of a sample.
        seed: of the draws and of shuffling.
        draws: of the bootstrap.
    """
    found: list[PermutationImportance] = []
    for begin in range(0, pairs, PAIRS_IN_A_MODEL):
        some = min(PAIRS_IN_A_MODEL, pairs - begin)
        folds = fit(with_other_shadows(sample, some, (*seed, begin)))
        names = [name for number in range(1, 1 + some) for name in pair_names(number)]
        found += permutation_importance(folds, seed=(*seed, begin), draws=draws, names=names).importances
    return tuple(found)


def shadow_rate(
    tables: Sequence[Anova], outcomes: Sequence[Outcome] = (), plan: AnovaPlan | None = None, pairs: int = 1
) -> ShadowRate | None:
    """Count how often shadow features came out significant by themselves in the analysis of variance; None without any.

    Args:
        tables: with a pair of shadow features each.
        outcomes: what they were made of; the joint models are fitted again with other pairs.
        plan: how they were made; further fits leave out interactions, which hardly touch the test of a shadow feature.
        pairs: of each outcome, that of `tables` included.
    """
    tests: list[PValue] = [test.p for table in tables for test in table.tests if test.term in SHADOWS]
    plain = replace(plan or AnovaPlan(), interactions=(), top_interactions=0)
    for number in range(1, pairs):
        others = [
            replace(outcome, sample=with_other_shadows(outcome.sample, 1, (plain.seed, number, place, _ANOVA)))
            for place, outcome in enumerate(outcomes)
        ]
        tests += [of_one[name] for of_one in p_values(others, plain) for name in SHADOWS if name in of_one]
    if not tests:
        return None
    hits = sum(p.raw <= ALPHA for p in tests)
    after_holm = sum(p.significant for p in tests)
    low, high = (bound(hits, len(tests), _LEVEL) for bound in (smallest_share, largest_share))
    return ShadowRate(len(tests), hits, after_holm, low, high)
