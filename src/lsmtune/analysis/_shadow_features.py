"""Factors that are known to do nothing, in pairs: what importance looks like where there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lsmtune.analysis._runs import Runs
from lsmtune.analysis._sample import Sample
from lsmtune.space import Change, Factor, Kind

SHADOW_NUMBER = "shadow (number)"
SHADOW_CATEGORY = "shadow (category)"
SHADOWS = (SHADOW_NUMBER, SHADOW_CATEGORY)
"""Names of the factors that `with_shadows` adds; no option is called so."""
FORMER_SHADOWS = ("dummy (number)", "dummy (category)")
"""What they are called in analyses that were kept before."""
PAIRS_IN_A_MODEL = 6
"""Most pairs that `with_other_shadows` adds to one sample. More would crowd out the factors, as a category has a column
for each of its values."""

_CHOICES = ("a", "b", "c", "d")


def with_shadows(runs: Runs, seed: int | Sequence[int]) -> Runs:
    """Return the runs with two more factors that are independent of everything: the standing null.

    One is a number, uniform between 0 and 1, the other a category of four values. They are drawn per configuration
    asked for, not per run, because an option has the same value in all repeats of a configuration. The idea is
    that of the shadow features of Boruta (Kursa and Rudnicki 2010, J. Stat. Softw. 36(11)), with two fixed columns
    in place of a shuffled copy of every column.

    Args:
        runs: without shadow features.
        seed: of the draw.
    """
    import pandas as pd  # half a second of import, which tunings do not need

    asked = [factor.column for factor in runs.factors]
    codes = runs.frame.groupby(asked, sort=False, dropna=False).ngroup().to_numpy()
    factors, drawn = _pair(1), _draw(1, codes, np.random.default_rng(seed))
    added = pd.DataFrame({factor.column: drawn[factor.name] for factor in factors}, index=runs.frame.index)
    return Runs(runs.factors + factors, runs.bundles, runs.facts, pd.concat([runs.frame, added], axis=1))


def with_other_shadows(sample: Sample, pairs: int, seed: int | Sequence[int]) -> Sample:
    """Return a sample with fresh pairs in place of its own shadow features; repeats of a configuration have the same.

    Args:
        sample: with or without shadow features.
        pairs: how many, at most `PAIRS_IN_A_MODEL`; the first has the names `SHADOWS`.
        seed: of the draw.
    """
    _, codes = np.unique(sample.groups, return_inverse=True)
    rng = np.random.default_rng(seed)
    factors = [factor for factor in sample.factors if factor.name not in SHADOWS]
    columns = {factor.name: sample.columns[factor.name] for factor in factors}
    for number in range(1, 1 + pairs):
        factors += _pair(number)
        columns |= _draw(number, codes, rng)
    return replace(sample, factors=tuple(factors), columns=columns)


def pair_names(number: int) -> tuple[str, str]:
    """Return the names of a pair of shadow features, counted from 1, which has the names `SHADOWS`."""
    return SHADOWS if number == 1 else (f"{SHADOW_NUMBER} {number}", f"{SHADOW_CATEGORY} {number}")


def null_line(highs: Mapping[str, float], judged: str = "") -> float | None:
    """Return the importance that a factor without effect may well show: the larger upper end of the shadow features.

    Args:
        highs: by name of a player, the upper end of the interval of its importance.
        judged: the player that the line is for. A shadow feature is held against the other one of its pair, so that
            the share of those that pass is an honest check of the rule.

    Returns:
        The line, or None where there is no shadow feature to draw it from.
    """
    pairs = [pair_names(number) for number in range(1, 1 + PAIRS_IN_A_MODEL)]
    pair = next((pair for pair in pairs if judged in pair), SHADOWS)
    lines = [highs[name] for name in pair if name in highs and name != judged]
    return max(lines) if lines else None


def _pair(number: int) -> tuple[Factor, Factor]:
    name, category = pair_names(number)
    return (
        Factor(name, Kind.FLOAT, "", 0.5, Change.ONLINE),
        Factor(category, Kind.CHOICE, "", _CHOICES[0], Change.ONLINE, choices=_CHOICES),
    )


def _draw(number: int, codes: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Draw the values of a pair for runs of numbered configurations."""
    name, category = pair_names(number)
    n = len(codes)
    return {
        name: rng.random(n)[codes],
        category: np.array(_CHOICES, dtype=object)[rng.integers(len(_CHOICES), size=n)[codes]],
    }
