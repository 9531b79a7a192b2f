"""How much less data would make runs short enough: for a budget that does not hold the runs of an experiment."""

import math
from dataclasses import dataclass

from lsmtune.experiment import recorded_experiment
from lsmtune.units import format_seconds

_LEAST_KEYS = 10_000
"""Fewer keys in a run say nothing of an engine, however short the budget is."""


@dataclass(frozen=True)
class Size:
    """How much data a run takes: a scale, or at the scale as it is a number of keys at full size; empty: unknown.

    Attributes:
        scale: as an experiment file says it.
        num: in the same way.
        run_s: how long a run would take at most, in s.
        why: why there is none, where that is known.
    """

    scale: str = ""
    num: str = ""
    run_s: float = 0.0
    why: str = ""

    @property
    def words(self) -> str:
        """What to write, as the end of a sentence."""
        said = [f'scale = "{self.scale}"'] * bool(self.scale) + [f'num = "{self.num}"'] * bool(self.num)
        if not said:
            return f"; {self.why}" if self.why else ""
        return f", or take less data: {' or '.join(said)} would fit, with runs of at most {format_seconds(self.run_s)}"


def smaller_size(experiment: str, run_s: float, fixed_s: float, wanted_s: float) -> Size:
    """Return the data with which a run takes `wanted_s` at most.

    The work of a run is taken to follow its number of keys, which is nearly so for loads and a little too much for
    reads of what fits into a cache; what a run takes beside its work does not shrink.

    Args:
        experiment: the text of the experiment, with a workload.
        run_s: time of a run now in s.
        fixed_s: the part of it that no amount of data changes.
        wanted_s: what a run may take in s.
    """
    asked = recorded_experiment(experiment)
    factor = (wanted_s - fixed_s) / max(run_s - fixed_s, 1e-9)
    keys = asked.workload_table.num * asked.scale
    if keys * min(factor, 1.0) < _LEAST_KEYS:
        beside = f", of which {format_seconds(fixed_s)} are beside its work," if fixed_s >= 0.1 * run_s else ""
        return Size(why=f"no amount of data that says something makes a run{beside} short enough")
    factor = min(factor, 0.9)
    halvings = math.ceil(-math.log2(factor))
    scale = "" if asked.backend.one_size else str(asked.scale / 2**halvings)
    if keys / 2**halvings < _LEAST_KEYS:
        scale = ""
    return Size(scale, _count_text(int(asked.workload_table.num * factor)), wanted_s)


def _count_text(count: int) -> str:
    """Return a number with two digits, cut off, as an experiment file says it: 16777216 -> ``16M``."""
    digits = max(0, len(str(count)) - 2)
    cut = count // 10**digits * 10**digits
    for unit, each in (("M", 10**6), ("k", 10**3)):
        if cut >= each:
            return f"{cut / each:g}{unit}"
    return str(cut)
