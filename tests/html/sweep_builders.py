"""A grid on the fake engine, as lsmtune sweep leaves it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lsmtune.experiment import Variants
from lsmtune.model import StudyKind, Value
from lsmtune.space import Space
from lsmtune.store import create_study
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Faults, Noise, Surface, fake_description, fake_rules, fake_space, fake_study

MIB = 2**20
EXPERIMENT = """name = "grid"
[workload]
benchmarks = "fillrandom"
num = "1M"
[sweep]
rival = "style"
[sweep.options]
block_size = [4096, 16384]
max_background_jobs = [1, 4]
[[sweep.variants.style]]
name = "plain"
set = { compression_type = "snappy", write_buffer_size = "64MiB" }
[[sweep.variants.style]]
name = "raw"
set = { compression_type = "none", write_buffer_size = "64MiB" }
"""
SURFACE = Surface(0.6, frozenset({"compression_type", "write_buffer_size"}))


def style_of(*names: str) -> Variants:
    """Return variants with these names."""
    codecs = ("snappy", "none", "lz4")
    sets: dict[str, Mapping[str, Value]] = {
        name: {"compression_type": codec, "write_buffer_size": 64 * MIB}
        for name, codec in zip(names, codecs, strict=False)
    }
    return Variants("variant.style", sets, names[0])


def grid_space(style: Variants) -> Space:
    """Return two options with two values each, and the variants."""
    space = fake_space()
    lists: dict[str, tuple[Value, ...]] = {"block_size": (4096, 16384), "max_background_jobs": (1, 4)}
    axes = tuple(
        replace(space.by_name[name], choices=values, low=None, high=None, log=False, specials=())
        for name, values in lists.items()
    )
    reference = {**space.reference, style.name: style.reference}
    return replace(space, dimensions=(*axes, style.dimension()), reference=reference)


def swept(
    folder: Path, names: tuple[str, ...] = ("plain", "raw"), faults: Faults = lambda _: None, runs: int | None = None
) -> Path:
    """Sweep the fake engine with variants of some names."""
    style = style_of(*names)
    space = grid_space(style)
    plan = FakePlan(Budget(math.inf, runs), SURFACE, Noise(rate=0.01), faults=faults, space=space, variants=(style,))
    description = fake_description(fake_rules(), space, (style,))
    create_study(folder, replace(description, experiment=EXPERIMENT)).close()
    settings = SampleSettings(
        space, "factorial", 8, 0, 1000, 3, anchor_every=5, noise_runs=3, seed=1, variants=(style,), kind=StudyKind.SWEEP
    )
    with fake_study(folder, plan) as study:
        study.sample(settings)
    return folder
