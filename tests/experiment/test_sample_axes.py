"""Axes of the workload in an experiment file: what they mean."""

from pathlib import Path

import pytest

from lsmtune.errors import UsageError
from lsmtune.experiment import axis_dimensions, parse_experiment
from lsmtune.space import Dimension, Kind

LEAST = '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n[space]\npreset = "write-heavy"\n'


def axis(text: str) -> Dimension:
    (dimension,) = axis_dimensions(parse_experiment(f"{LEAST}[sample.axes]\n{text}\n", Path("e.toml")))
    return dimension


def test_an_axis_has_the_workloads_own_value_as_its_default() -> None:
    threads = axis("threads = { values = [1, 2, 4] }")
    assert (threads.name, threads.kind, threads.default, threads.choices) == (
        "workload.threads",
        Kind.INT,
        1,
        (1, 2, 4),
    )
    ratio = axis("compression_ratio = { low = 0.1, high = 1.0 }")
    assert (ratio.kind, ratio.default, ratio.low, ratio.high) == (Kind.FLOAT, 0.5, 0.1, 1.0)


def test_sizes_may_be_written_with_units_and_on_a_logarithmic_axis() -> None:
    size = axis('value_size = { low = "64B", high = "4KiB", log = true }')
    assert (size.name, size.low, size.high, size.log) == ("workload.value_size_bytes", 64, 4096, True)


def test_the_log_can_be_an_axis() -> None:
    assert axis("disable_wal = { values = [false, true] }").choices == (False, True)


def test_a_run_has_its_own_workload() -> None:
    workload = parse_experiment(LEAST, Path("e.toml")).workload()
    assert workload.under((("threads", 4), ("compression_ratio", 0.25))).threads == 4
    assert workload.under(()) is workload
    with pytest.raises(
        UsageError, match='"num" of a workload cannot differ from run to run; take one of key_size_bytes'
    ):
        workload.under((("num", 3),))
