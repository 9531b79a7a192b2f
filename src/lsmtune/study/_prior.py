"""What recorded runs of other studies let expect of the objective and the bounds of one, for its sampler."""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from lsmtune.backends.registry import tools_of
from lsmtune.errors import UsageError
from lsmtune.indicators import Guard, Limit, Objective, oriented_log_ratio
from lsmtune.model import Value, Workload
from lsmtune.samplers import Columns, Expected, Floats, Prior
from lsmtune.space import Effects, effects_of

_MOVES_AS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "throughput_bytes_s": ("throughput_ops_s", 1),
        "load_time_s": ("throughput_ops_s", -1),
        "latency_mean_s": ("throughput_ops_s", -1),
        "total_time_s": ("throughput_settled_ops_s", -1),
        "read_latency_p99_s": ("latency_p99_s", 1),
        "space_amp": ("space_bytes", 1),
        "waf_table": ("waf", 1),
    }
)
"""By an indicator of which nothing was learnt, one that moves with it (1), or against it (-1)."""


def prior_of(
    engine: str,
    workload: Workload,
    reference: Mapping[str, Value],
    objective: Objective,
    bounds: Iterable[Guard | Limit],
) -> Prior | None:
    """Return what is expected of an objective and of bounds; None where nothing is known of the objective.

    Args:
        engine: its name.
        workload: of the study.
        reference: value of every option of the reference.
        objective: what is to get better.
        bounds: guards and limits. Nothing is expected of limits, whose slack is a share of the limit and not a ratio to
            the reference.
    """
    effects = effects_of(engine)
    if effects is None:
        return None
    kind = _kind(engine, workload)

    def is_known(name: str) -> bool:
        return (kind, _same_as(name)[0]) in effects.quantities

    weights = {name: weight for name, weight in objective.weights.items() if is_known(name)}
    if not weights:
        return None
    total = sum(objective.weights.values())

    def response(columns: Columns) -> Floats:
        parts = (weight / total * _worse(effects, kind, name, columns, reference) for name, weight in weights.items())
        return np.asarray(sum(parts))

    def slack(name: str) -> Expected:
        return lambda columns: -_worse(effects, kind, name, columns, reference)

    guarded = [bound.indicator for bound in bounds if isinstance(bound, Guard) and is_known(bound.indicator)]
    return Prior(response, {name: slack(name) for name in guarded})


def _worse(effects: Effects, kind: str, indicator: str, columns: Columns, reference: Mapping[str, Value]) -> Floats:
    """Return by how much an indicator is expected to get worse as a natural logarithm, shape (n,)."""
    name, sign = _same_as(indicator)
    better = oriented_log_ratio(indicator, math.e, 1.0)
    assert better is not None
    return -better * sign * effects.expected(columns, reference, (kind, name))


def _same_as(indicator: str) -> tuple[str, int]:
    name = indicator.partition("@")[0]
    return _MOVES_AS.get(name, (name, 1))


def _kind(engine: str, workload: Workload) -> str:
    try:
        reads = tools_of(engine)[workload.tool].tree_reads(workload, Fraction(1))
    except UsageError:
        return "mixed"  # it reads in a way that no model describes
    return "writes" if reads is None else "mixed"
