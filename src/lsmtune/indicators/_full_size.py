"""Indicators of the size that is deployed: computed beside runs at a scale, as space and memory do not carry over."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.indicators._indicator import Indicator

_SCALED = "runs at a scale of 1, which measure it, and runs with a workload of their own"
_TREE = (
    "the runs, and a model of the tree run at both sizes (docs/explanation/predict.md); in proportion to the data "
    "without one"
)

FULL_SIZE: tuple[Indicator, ...] = (
    Indicator(
        name="memory_full_size_bytes",
        unit="B",
        better="lower",
        summary="Memory that the configuration needs at full size: computed, not measured.",
        formula="sum of the parts that lsmtune memory lists, every memtable that the options allow being full",
        source="options at full size and the workload (docs/explanation/memory.md)",
        includes="Memtables, block cache, indexes, filters, buffers, what malloc keeps, the tool itself.",
        leaves_out=f"The page cache; {_SCALED}.",
        steady=True,
    ),
    Indicator(
        name="space_full_size_bytes",
        unit="B",
        better="lower",
        summary="Bytes on disk at the end of a run at full size: what was measured at the scale, extrapolated.",
        formula="space_bytes x space of the model at full size / space of the model at the scale",
        source=_TREE,
        includes="What space_bytes includes.",
        leaves_out=f"What the model leaves out, such as merges of blob files; {_SCALED}.",
        steady=True,
    ),
    Indicator(
        name="space_peak_full_size_bytes",
        unit="B",
        better="lower",
        summary="Most bytes on disk at any time of a run at full size: what was measured at the scale, extrapolated.",
        formula="space_peak_bytes x peak of the model at full size / peak of the model at the scale",
        source=_TREE,
        includes="What space_peak_bytes includes.",
        leaves_out=f"What the model leaves out, such as merges of blob files; {_SCALED}.",
    ),
    Indicator(
        name="space_amp_full_size",
        unit="ratio",
        better="lower",
        summary="Space amplification at full size: what was measured at the scale, extrapolated.",
        formula="space_amp x (space_full_size_bytes x scale / space_bytes)",
        source=_TREE,
        includes="What space_amp includes.",
        leaves_out=f"What the model leaves out, such as merges of blob files; {_SCALED}.",
        steady=True,
    ),
)
"""What stands for memory and space where bounds on them are of full size."""

AT_FULL_SIZE: Mapping[str, str] = MappingProxyType(
    {
        "memory_peak_bytes": "memory_full_size_bytes",
        "space_bytes": "space_full_size_bytes",
        "space_peak_bytes": "space_peak_full_size_bytes",
        "space_amp": "space_amp_full_size",
    }
)
"""By an indicator that a scale does not carry, what stands for it at full size."""
