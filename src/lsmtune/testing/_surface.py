"""A response surface like that of an LSM tree under random writes: option values in, indicators without noise out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from lsmtune.model import Value
from lsmtune.space import Dimension, Kind, Space

_MIB = 2**20
_OPERATIONS = 1_000_000
_WORST = -4.0  # times the gain at the best place; keeps far corners from being absurdly slow


@dataclass(frozen=True)
class _Effect:
    """What an option does: where it is best, and what comes with a gain in the settled rate there.

    Attributes:
        best: value with the largest rate.
        share: part in the gain of the whole surface, relative to those of the other options.
        debt, waf, space, memory, cpu: natural log change of the indicator for each unit of log gain in the rate.
    """

    best: Value
    share: float
    debt: float = 0.0
    waf: float = 0.0
    space: float = 0.0
    memory: float = 0.0
    cpu: float = 0.0


_EFFECTS: Mapping[str, _Effect] = {
    "write_buffer_size": _Effect(256 * _MIB, 3.0, waf=-0.8, memory=1.5),
    "max_write_buffer_number": _Effect(4, 1.0, debt=0.2, memory=1.0),
    "level0_file_num_compaction_trigger": _Effect(8, 1.5, debt=1.0, waf=-0.3, space=0.3),
    "max_bytes_for_level_multiplier": _Effect(6.0, 1.5, waf=-0.6, space=0.1),
    "max_background_jobs": _Effect(6, 2.0, debt=-0.5, cpu=0.4),
    "compression_type": _Effect("lz4", 2.0, space=0.2, cpu=-0.5),
    "block_size": _Effect(16384, 0.6, space=-0.3),
    "bytes_per_sync": _Effect(_MIB, 0.4, debt=-0.1),
}


def fake_space() -> Space:
    """Return eight options that matter to random writes, with RocksDB's names and defaults."""
    axes = (
        Dimension("write_buffer_size", Kind.INT, 64 * _MIB, "B", low=8 * _MIB, high=512 * _MIB, log=True),
        Dimension("max_write_buffer_number", Kind.INT, 2, low=2, high=8),
        Dimension("level0_file_num_compaction_trigger", Kind.INT, 4, low=2, high=16),
        Dimension("max_bytes_for_level_multiplier", Kind.FLOAT, 10.0, low=4.0, high=20.0),
        Dimension("max_background_jobs", Kind.INT, 2, low=2, high=16, log=True),
        Dimension("compression_type", Kind.CHOICE, "snappy", choices=("none", "snappy", "lz4", "zstd")),
        Dimension("block_size", Kind.INT, 4096, "B", low=4096, high=65536, log=True),
        Dimension("bytes_per_sync", Kind.INT, 0, "B", low=_MIB // 4, high=8 * _MIB, log=True, specials=(0,)),
    )
    return Space(axes, {axis.name: axis.default for axis in axes})


@dataclass(frozen=True)
class Surface:
    """Indicators of a fake engine as a function of the values of `fake_space`.

    The log rate is a sum of one parabola for each option that matters; writes, space, memory and processor time
    follow from it as they do in an LSM tree.

    Attributes:
        gain: settled rate at the best point over that at the defaults, - 1; 0 makes the surface flat.
        matters: options that have an effect; empty for all.
    """

    gain: float = 0.0
    matters: frozenset[str] = frozenset()

    def best(self) -> dict[str, Value]:
        """Return the point with the largest settled rate, as changes to the defaults."""
        return {name: _EFFECTS[name].best for name in self._active}

    def indicators(self, values: Mapping[str, Value]) -> dict[str, float]:
        """Return the noise-free indicators; options left out stand at their default."""
        logs = self._logs(values)
        total_s = 10.0 * math.exp(-logs["rate"])
        settle_s = total_s * min(0.8, 0.25 * math.exp(logs["debt"]))
        return {
            "throughput_settled_ops_s": _OPERATIONS / total_s,
            "throughput_ops_s": _OPERATIONS / (total_s - settle_s),
            "total_time_s": total_s,
            "load_time_s": total_s - settle_s,
            "settle_time_s": settle_s,
            "latency_p99_s": 80e-6 * math.exp(-1.5 * logs["rate"]),
            "waf": 1.0 + 6.0 * math.exp(logs["waf"]),
            "space_bytes": 110e6 * math.exp(logs["space"]),
            "memory_peak_bytes": 200e6 * math.exp(logs["memory"]),
            "cpu_s": 15.0 * math.exp(logs["cpu"]),
        }

    @property
    def _active(self) -> tuple[str, ...]:
        return tuple(name for name in _EFFECTS if not self.matters or name in self.matters)

    def _logs(self, values: Mapping[str, Value]) -> dict[str, float]:
        """Natural log changes against the defaults."""
        logs = dict.fromkeys(("rate", "debt", "waf", "space", "memory", "cpu"), 0.0)
        unit = math.log1p(self.gain) / sum(_EFFECTS[name].share for name in self._active)
        for name in self._active:
            if self.gain and name in values:
                effect = _EFFECTS[name]
                rate = unit * effect.share * bend(_AXES[name], values[name], effect.best)
                logs["rate"] += rate
                for other in ("debt", "waf", "space", "memory", "cpu"):
                    logs[other] += getattr(effect, other) * rate
        return logs


@dataclass(frozen=True)
class EachChange(Surface):
    """A surface on which each option that differs from its default has an effect by itself, at whatever value.

    Attributes:
        gains: by option, the settled rate with it over that without it; all else follows as for a `Surface`.
        also: by option, natural log changes of other indicators: of waf, space, memory or cpu.
    """

    gains: Mapping[str, float] = field(default_factory=dict)
    also: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def _logs(self, values: Mapping[str, Value]) -> dict[str, float]:
        logs = dict.fromkeys(("rate", "debt", "waf", "space", "memory", "cpu"), 0.0)
        for name, value in values.items():
            if value == _AXES[name].default:
                continue
            logs["rate"] += math.log(self.gains.get(name, 1.0))
            for other, change in self.also.get(name, {}).items():
                logs[other] += change
        return logs


def bend(axis: Dimension, value: Value, best: Value) -> float:
    """Return 1 at the best value, 0 at the default, and less beyond it: a parabola along the axis."""
    place, top, start = (axis.to_unit(each) for each in (value, best, axis.default))
    return max(_WORST, 1.0 - ((place - top) / (start - top)) ** 2)


_AXES: Mapping[str, Dimension] = fake_space().by_name
