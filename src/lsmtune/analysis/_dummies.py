"""Two factors that are known to do nothing: what importance looks like where there is none."""

from collections.abc import Mapping

import numpy as np

from lsmtune.analysis._runs import Change, Factor, Runs
from lsmtune.space import Kind

DUMMY_NUMBER = "dummy (number)"
DUMMY_CATEGORY = "dummy (category)"
DUMMIES = (DUMMY_NUMBER, DUMMY_CATEGORY)
"""Names of the factors that `with_dummies` adds; no option is called so."""

_CHOICES = ("a", "b", "c", "d")


def with_dummies(runs: Runs, seed: int) -> Runs:
    """Return the runs with two more factors that are independent of everything: the standing null.

    One is a number, uniform between 0 and 1, the other a category of four values. They are drawn per configuration
    asked for, not per run, because an option has the same value in all repeats of a configuration. The idea is
    that of the shadow features of Boruta (Kursa and Rudnicki 2010, J. Stat. Softw. 36(11)), with two fixed columns
    in place of a shuffled copy of every column.

    Args:
        runs: without dummies.
        seed: of the draw.
    """
    import pandas as pd  # half a second of import, which tunings do not need

    rng = np.random.default_rng(seed)
    asked = [factor.column for factor in runs.factors]
    codes = runs.frame.groupby(asked, sort=False, dropna=False).ngroup().to_numpy()
    drawn = {
        DUMMY_NUMBER: rng.random(len(runs))[codes],
        DUMMY_CATEGORY: np.array(_CHOICES, dtype=object)[rng.integers(len(_CHOICES), size=len(runs))[codes]],
    }
    factors = (
        Factor(DUMMY_NUMBER, Kind.FLOAT, "", 0.5, Change.ONLINE),
        Factor(DUMMY_CATEGORY, Kind.CHOICE, "", _CHOICES[0], Change.ONLINE, choices=_CHOICES),
    )
    added = pd.DataFrame({factor.column: drawn[factor.name] for factor in factors}, index=runs.frame.index)
    return Runs(runs.factors + factors, runs.bundles, runs.facts, pd.concat([runs.frame, added], axis=1))


def null_line(highs: Mapping[str, float], judged: str = "") -> float | None:
    """Return the importance that a factor without effect may well show: the larger upper end of the dummies.

    Args:
        highs: by name of a player, the upper end of the interval of its importance.
        judged: the player that the line is for. A dummy is held against the other dummy, so that the share of
            dummies that pass is an honest check of the rule.

    Returns:
        The line, or None where there is no dummy to draw it from.
    """
    lines = [highs[name] for name in DUMMIES if name in highs and name != judged]
    return max(lines) if lines else None
