"""How space grows from the size of a run to the full one, as a model of the tree has it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from lsmtune.backends.registry import backend_of
from lsmtune.errors import UsageError
from lsmtune.extras import need
from lsmtune.lsm_model.tree import Outcome, Rules, run_phases
from lsmtune.model import EngineBuild, Settle, Value, Workload
from lsmtune.space import Option, scale_values

_JUDGED = frozenset({"level", "universal"})
"""Styles of compaction of which fills at several scales show how far the model's growth is off (decision 0056)."""
_Key: TypeAlias = tuple[Fraction, tuple[tuple[str, Value], ...]]


@dataclass(frozen=True)
class SpaceGrowth:
    """How many times larger space is at full size than in a run.

    Attributes:
        steady: when nothing is due.
        peak: at most.
        modelled: a model of the tree tells it; else it is the factor by which the data is larger.
    """

    steady: float
    peak: float
    modelled: bool


@dataclass(frozen=True)
class TreeSizes:
    """Sizes of trees under one workload on one build.

    Attributes:
        build: the engine.
        options: of the build, by name; those that are missing do not shrink with the data.
        workload: what is asked of it, at full size.
        untold: why the model tells nothing of it, as the end of a sentence; empty where it does.
    """

    build: EngineBuild
    options: Mapping[str, Option]
    workload: Workload
    untold: str = ""
    _known: dict[_Key, Outcome] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, build: EngineBuild, options: Mapping[str, Option], workload: Workload) -> "TreeSizes":
        """Return the sizes, or why they are not told: what is written is not described, or a library is missing."""
        return cls(build, options, workload, _untold(build, workload))

    def growth(self, values: Mapping[str, Value], scale: Fraction) -> SpaceGrowth:
        """Return how much larger space is at full size than at a scale.

        Args:
            values: of all options, at full size.
            scale: of the run.
        """
        data = float(1 / scale)
        if self.untold or values.get("compaction_style", "level") not in _JUDGED:
            return SpaceGrowth(data, data, modelled=False)
        small, whole = found = self._outcome(values, scale), self._outcome(values, Fraction(1))
        sizes = (small.space_bytes, small.space_peak_bytes, whole.space_bytes, whole.space_peak_bytes)
        is_told = not any(each.is_stuck or each.is_given_up for each in found)
        if not is_told or not all(0 < size < math.inf for size in sizes):
            return SpaceGrowth(data, data, modelled=False)
        return SpaceGrowth(
            whole.space_bytes / small.space_bytes, whole.space_peak_bytes / small.space_peak_bytes, modelled=True
        )

    def _outcome(self, values: Mapping[str, Value], scale: Fraction) -> Outcome:
        key = (scale, tuple(sorted(values.items())))
        if key not in self._known:
            scaled, _ = scale_values(self.options, values, scale)
            self._known[key] = run_phases(scaled, backend_of(self.build).tree_writes(self.workload, scale))
        return self._known[key]


def _untold(build: EngineBuild, workload: Workload) -> str:
    if workload.settle is not Settle.WAIT:
        return "runs end before what is due has run"
    try:
        phases = backend_of(build).tree_writes(workload, Fraction(1))
        need("the model of a tree", "numba")
    except UsageError as error:
        return str(error)
    if not phases:
        return "nothing is written"
    is_judged = phases[-1].rules is Rules.ROCKSDB
    return "" if is_judged else "no runs of this engine at several scales show how far the model's growth is off"
