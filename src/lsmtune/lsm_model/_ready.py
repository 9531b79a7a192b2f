"""Compiling all that is compiled ahead of its first use."""

import numpy as np

from lsmtune.extras import need


def make_ready() -> bool:
    """Compile what is compiled, unless an earlier process has kept it; return whether anything had to be.

    Raises:
        UsageError: numba is not installed.
    """
    need("the model of the engine", "numba")
    from lsmtune.lsm_model._compiled import is_kept
    from lsmtune.lsm_model._simulation import simulate, simulate_rows
    from lsmtune.lsm_model._simulation_tree import PLAN
    from lsmtune.lsm_model.tree import Writes, run_phases
    from lsmtune.lsm_model.tree._cache import Strata, hit_shares
    from lsmtune.lsm_model.tree._events import run_rows
    from lsmtune.lsm_model.tree._miniature import run_miniature

    had = all(is_kept(each) for each in (run_rows, run_miniature, simulate_rows))
    run_phases({}, [Writes(1000, 1000, 16, 100)])
    two = np.array([1.0, 1.0])
    hit_shares(Strata(1e4 * two, np.array([1e-4, 1e-5]), 4096 * two, 0 * two, two), 4e6)
    simulate(np.zeros(0, PLAN))
    return not had
