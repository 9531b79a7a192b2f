"""The numbers that Jin et al. (2022) published, to stand beside those of a repetition.

"Improvement of RocksDB Performance via Large-Scale Parameter Analysis and Optimization". RocksDB 6.13, fillrandom of
1,000,000 pairs of 16 B + 1 KiB, tree at 1/64, 2,000 samples, Xeon E5-2660 v2, NVMe.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

WAF, SA, RATE, TIME = PAPER_NAMES = "WAF", "SA", "RATE", "TIME"


@dataclass(frozen=True)
class PaperTest:
    """A one-way test that the paper prints.

    Attributes:
        indicator, factor: what differs by what.
        p: its p-value.
        difference: largest mean of a group over the smallest, less 1.
        means: that smallest and that largest mean, whose unit the paper does not name; None where it prints neither.
    """

    indicator: str
    factor: str
    p: float
    difference: float
    means: tuple[float, float] | None = None


@dataclass(frozen=True)
class Paper:
    """What was published.

    Attributes:
        r2: of the forests on the test runs, by indicator.
        ranking: the factors by mean decrease in impurity as far as the paper names them.
        lowest: the two factors that it names as the lowest; which of them is the last it does not say.
        tests: one-way tests.
        genes: of the genetic algorithm.
        fitness: of the best chromosome, about, and the generation that reached it.
        levels: of the default and of the best chromosome by indicator, from Table 2, in s, B/s, B and bytes a byte.
        ratios: best chromosome over default by indicator, from that table.
        text_ratios: the same as the abstract and section 4.5 say it.
        samples: runs of the sample.
        hours: what these take at the default's 63.8 s, about.
    """

    r2: Mapping[str, float]
    ranking: tuple[str, ...]
    lowest: tuple[str, ...]
    tests: tuple[PaperTest, ...]
    genes: tuple[str, ...]
    fitness: tuple[float, int]
    levels: Mapping[str, tuple[float, float]]
    ratios: Mapping[str, float]
    text_ratios: Mapping[str, float]
    samples: int
    hours: float


_MIB = 2**20  # db_bench prints MiB as MB, and 15.5 of them in a second for 63.8 s are the 1,000,000 pairs of 1,040 B
_TABLE_2 = MappingProxyType(
    {
        WAF: (9.2, 7.0),
        SA: (432.94 * _MIB, 197.0 * _MIB),
        RATE: (15.5 * _MIB, 29.4 * _MIB),
        TIME: (63.8, 67.4),
    }
)

JIN2022_PAPER = Paper(
    r2=MappingProxyType({WAF: 0.663, SA: 0.747, RATE: 0.712, TIME: 0.697}),
    ranking=(
        *("min_level_to_compress", "compression_type", "workload.threads", "level0_slowdown_writes_trigger"),
        *("write_buffer_size", "workload.compression_ratio"),
    ),
    lowest=("mmap_write", "target_file_size_multiplier"),
    tests=(
        PaperTest(SA, "min_level_to_compress", 4.84e-31, 0.617, (821.5, 1328)),
        PaperTest(RATE, "compression_type", 8.53e-68, 80.16 / 36.57 - 1, (36.57, 80.16)),
        PaperTest(WAF, "mmap_write", 0.741, 0.0377),
        PaperTest(SA, "target_file_size_multiplier", 0.954, 0.0051),
    ),
    genes=(
        *("compression_type", "level0_slowdown_writes_trigger", "write_buffer_size"),
        "workload.compression_ratio",
    ),
    fitness=(1600.0, 7),
    levels=_TABLE_2,
    ratios=MappingProxyType({name: found / default for name, (default, found) in _TABLE_2.items()}),
    text_ratios=MappingProxyType({WAF: 1 - 0.2065, SA: 1 - 0.5450, RATE: 1 + 0.8968, TIME: 1 + 0.0564}),
    samples=2000,
    hours=35.0,
)
"""The published numbers. Its text puts the change of WAF at 20.65 %, and its table at 23.9 %: both stand here."""
