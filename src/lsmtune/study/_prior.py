"""What the simulation of a tree expects of the objective and the bounds of a study, for samplers that start from it."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from lsmtune.analysis import Derive
from lsmtune.backends.registry import tools_of
from lsmtune.errors import MissingLibraryError
from lsmtune.extras import need
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.lsm_model import TREE_OPTIONS, tree_features
from lsmtune.model import Value, Workload
from lsmtune.samplers import Columns, Floats, Prior

_RANDOM_WRITES = {"fillrandom", "overwrite", "updaterandom"}
_WRITES, _LOAD, _TOTAL = (f"simulated {what}" for what in ("writes", "load time", "total time"))
_QUANTITIES = (_WRITES, _LOAD, _TOTAL)
_FOLLOWS: Mapping[str, str] = MappingProxyType(
    {
        "waf": _WRITES,
        "load_time_s": _LOAD,
        "throughput_ops_s": _LOAD,
        "throughput_bytes_s": _LOAD,
        "latency_mean_s": _LOAD,
        "total_time_s": _TOTAL,
        "throughput_settled_ops_s": _TOTAL,
    }
)
"""By an indicator, the simulated quantity that it gets worse with, in proportion. Space is left out: how much is merged
at the very end is a matter of chance (decision 0016); samplers that started from it broke guards on it (0065)."""


def tree_knowledge(
    engine: str, workload: Workload, reference: Mapping[str, Value], cores: int, scale: Fraction
) -> Derive | None:
    """Return what knowledge of an engine says about configurations; None where nothing is known.

    Args:
        engine: its name.
        workload: of the study, at full size.
        reference: value of every option, at full size.
        cores: processors of the host.
        scale: what sizes are multiplied with in the runs.
    """
    if not any(backend.grows_as_modelled for backend in tools_of(engine).values()):
        return None
    if not set(workload.benchmarks) <= _RANDOM_WRITES or not set(TREE_OPTIONS) <= reference.keys():
        return None
    return tree_features(workload, reference, cores, float(scale))


def prior_of(
    derive: Derive | None, reference: Mapping[str, Value], objective: Objective, bounds: Iterable[Guard | Limit]
) -> Prior | None:
    """Return what is expected of an objective and of bounds; None where nothing simulated moves with the objective.

    Args:
        derive: features from knowledge of the engine; None where there is none.
        reference: value of every option of the reference.
        objective: what is to get better.
        bounds: guards and limits.
    """
    total = sum(objective.weights.values())
    response = sum((weight / total * _moves(name) for name, weight in objective.weights.items()), _nothing())
    if derive is None or not response.any() or not _can_simulate():
        return None
    slacks = {bound.indicator: -_moves(bound.indicator) for bound in bounds}
    return Prior(
        _Trends(derive, reference),
        response,
        {name: weights for name, weights in slacks.items() if weights.any()},
    )


class _Trends:
    """Simulated quantities of configurations against those of the reference, on the log scale."""

    def __init__(self, derive: Derive, reference: Mapping[str, Value]) -> None:
        self._derive, self._reference = derive, reference

    def __call__(self, columns: Columns) -> Floats:
        with_reference = {name: np.append(column, self._reference[name]) for name, column in columns.items()}
        features = self._derive(with_reference)
        found = np.column_stack([features[name] for name in _QUANTITIES])
        return np.asarray(np.nan_to_num(found[:-1] - found[-1], posinf=0.0, neginf=0.0))


def _can_simulate() -> bool:
    try:
        need("a simulation of the tree", "numba")
    except MissingLibraryError:
        return False
    return True


def _moves(indicator: str) -> Floats:
    quantity = _FOLLOWS.get(indicator.partition("@")[0])
    return np.array([float(each == quantity) for each in _QUANTITIES])


def _nothing() -> Floats:
    return np.zeros(len(_QUANTITIES))
