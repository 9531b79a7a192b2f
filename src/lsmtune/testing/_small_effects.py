"""A surface of many options that gain one to three percent each, as well-tuned engines have."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.model import Value
from lsmtune.space import Dimension, Kind, Space
from lsmtune.testing._surface import Surface, bend, fake_space

_MIB = 2**20
_BEST: Mapping[str, Value] = {
    "target_file_size_base": 256 * _MIB,
    "max_bytes_for_level_base": 1024 * _MIB,
    "level0_slowdown_writes_trigger": 40,
    "subcompactions": 4,
}


def small_effects_space() -> Space:
    """Return the eight options of `fake_space` and four more of RocksDB's, whose values shape files as well."""
    more = (
        Dimension("target_file_size_base", Kind.INT, 64 * _MIB, "B", low=16 * _MIB, high=512 * _MIB, log=True),
        Dimension("max_bytes_for_level_base", Kind.INT, 256 * _MIB, "B", low=64 * _MIB, high=4096 * _MIB, log=True),
        Dimension("level0_slowdown_writes_trigger", Kind.INT, 20, low=12, high=60),
        Dimension("subcompactions", Kind.INT, 1, low=1, high=8),
    )
    axes = (*fake_space().dimensions, *more)
    return Space(axes, {axis.name: axis.default for axis in axes})


@dataclass(frozen=True)
class SmallEffects(Surface):
    """A surface on `small_effects_space` where each option at its best place gains between `least` and `most`.

    Nothing but times, rates and the latency follows from the options. The gains of the options rise evenly.

    Attributes:
        least, most: what the first and the last option gain at their best place, as ratio - 1.
    """

    least: float = 0.01
    most: float = 0.03

    def best(self) -> dict[str, Value]:
        """Return the point with the largest settled rate, as changes to the defaults."""
        return dict(_ALL_BEST)

    def _logs(self, values: Mapping[str, Value]) -> dict[str, float]:
        step = (self.most - self.least) / (len(_ALL_BEST) - 1)
        logs = dict.fromkeys(("rate", "debt", "waf", "space", "memory", "cpu"), 0.0)
        for place, (name, top) in enumerate(_ALL_BEST.items()):
            if name in values:
                logs["rate"] += math.log1p(self.least + place * step) * bend(_AXES[name], values[name], top)
        return logs


_ALL_BEST: Mapping[str, Value] = {**Surface(1.0).best(), **_BEST}
_AXES: Mapping[str, Dimension] = small_effects_space().by_name
