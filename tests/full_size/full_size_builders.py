"""One workload on one build at a scale of 1/64, configurations of it, and comparisons of them on the fake engine."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from lsmtune.experiment import NamedChange
from lsmtune.full_size import FullSize
from lsmtune.indicators import Guard, Limit
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.result import Comparison, TuneResult
from lsmtune.space import catalogue, library_values
from lsmtune.study import Budget, Figures, bounds_at_full_size
from lsmtune.testing import FakePlan, Noise, Surface, fake_rules, fake_study

MIB = 1 << 20
SCALE = Fraction(1, 64)
KNOWN = catalogue("rocksdb").for_version((7, 8, 3))
FLAGS = tuple((option.flag, "") for option in KNOWN.options.values() if option.flag is not None)
BUILD = EngineBuild("rocksdb", "7.8.3", Path("/usr/bin/db_bench"), "0123456789abcdef", False, ("snappy",), FLAGS)
FILL = Workload(("fillrandom",), "fillrandom", num=32_000_000, key_size_bytes=16, value_size_bytes=240)
LEVELED: dict[str, Value] = {"write_buffer_size": 64 * MIB, "target_file_size_base": 64 * MIB}
UNIVERSAL: dict[str, Value] = {
    "compaction_style": "universal",
    "compression_type": "zstd",
    "write_buffer_size": 512 * MIB,
    "max_write_buffer_number": 8,
}
"""One of the two recorded winners: 1.46x the memory at 1/256, 7.4x at 1/4."""
MEASURED: dict[str, float | None] = {
    "space_bytes": 80e6,
    "space_peak_bytes": 100e6,
    "space_amp": 0.64,
    "memory_peak_bytes": 30e6,
}


def full_size(workload: Workload = FILL, scale: Fraction = SCALE, build: EngineBuild = BUILD) -> FullSize:
    return FullSize(build, workload, scale, library_values(KNOWN, (7, 8, 3)))


FAST = Surface(gain=0.6, matters=frozenset({"write_buffer_size", "max_write_buffer_number"}))
LARGER: dict[str, Value] = {"write_buffer_size": 128 * MIB, "max_write_buffer_number": 3}
MANY: dict[str, Value] = {**UNIVERSAL, "max_write_buffer_number": 4}


def plan(*bounds: Guard | Limit, scale: Fraction = Fraction(1, 64)) -> FakePlan:
    computes = full_size(scale=scale)
    rules = replace(
        fake_rules(),
        guards=tuple(each for each in bounds if isinstance(each, Guard)),
        limits=tuple(each for each in bounds if isinstance(each, Limit)),
        full_size=bounds_at_full_size(computes),
    )
    return FakePlan(
        budget=Budget(None, 60),
        surface=FAST,
        noise=Noise(0.01, 0.01, 0.01),
        rules=rules,
        figures=Figures.of(computes, {}, rules),
    )


def compared(folder: Path, wanted: FakePlan, values: dict[str, Value] = LARGER) -> TuneResult:
    with fake_study(folder, wanted) as study:
        return study.compare(NamedChange("candidate", "", values))


def verdict(result: TuneResult) -> Comparison:
    assert result.verdict is not None
    return result.verdict
