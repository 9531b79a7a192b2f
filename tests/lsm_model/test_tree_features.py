"""Features of a tree that follow from what an LSM tree is."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from lsmtune.lsm_model import tree_features
from lsmtune.model import Value, Workload

MIB = 2**20
REFERENCE: Mapping[str, Value] = {
    "write_buffer_size": 64 * MIB,
    "max_write_buffer_number": 2,
    "min_write_buffer_number_to_merge": 1,
    "level0_file_num_compaction_trigger": 4,
    "level0_slowdown_writes_trigger": 20,
    "max_bytes_for_level_base": 256 * MIB,
    "max_bytes_for_level_multiplier": 10.0,
    "target_file_size_base": 64 * MIB,
    "num_levels": 7,
    "min_level_to_compress": -1,
    "compression_type": "snappy",
    "compaction_style": "level",
    "level0_stop_writes_trigger": 36,
    "max_background_compactions": -1,
    "max_background_flushes": -1,
    "max_background_jobs": 2,
    "target_file_size_multiplier": 1,
    "delayed_write_rate": 8 * MIB,
}
WORKLOAD = Workload(("fillrandom",), "fillrandom", num=64_000_000, key_size_bytes=16, value_size_bytes=1024)


def features(workload: Workload = WORKLOAD, **columns: Any) -> dict[str, np.ndarray]:
    """Features of rows whose columns are given as lists; one row of the reference where none is."""
    arrays = {name.replace("__", "."): np.array(values) for name, values in columns.items()}
    return tree_features(workload, REFERENCE, 2, 1 / 256)(arrays or {"num_levels": np.array([7])})


def test_all_features_are_finite_numbers_for_each_row() -> None:
    found = features(
        write_buffer_size=[8 * MIB, 512 * MIB, 64 * MIB],
        compaction_style=["level", "universal", "level"],
        num_levels=[4, 7, 8],
        min_level_to_compress=[-1, 3, 1],
        level0_slowdown_writes_trigger=[8, 64, 20],
    )
    assert all(values.shape == (3,) and np.isfinite(values).all() for values in found.values())


def test_larger_memtables_make_fewer_flushes_and_fewer_rewrites() -> None:
    found = features(write_buffer_size=[16 * MIB, 64 * MIB, 256 * MIB])
    assert np.allclose(np.diff(found["flushes"]), -np.log(4))
    assert (np.diff(found["writes keeping up"]) < 0).all()


def test_a_larger_level_1_is_rewritten_for_each_compaction_of_level_0() -> None:
    found = features(max_bytes_for_level_base=[64 * MIB, 256 * MIB, 4096 * MIB])
    assert np.allclose(np.diff(found["level 0 over level 1"]), [-np.log(4), -np.log(16)])
    assert found["writes keeping up"][2] > found["writes keeping up"][0]


def test_compression_that_begins_deeper_leaves_a_larger_tree() -> None:
    found = features(min_level_to_compress=[-1, 2, 3, 7])
    assert (np.diff(found["tree size"]) >= 0).all()
    assert found["share compressed"][0] == pytest.approx(1.0)
    assert found["share compressed"][3] == 0.0


def test_data_that_hardly_compresses_is_stored_as_it_is() -> None:
    found = features(workload__compression_ratio=[0.5, 0.95, 0.5], compression_type=["snappy", "snappy", "none"])
    assert found["stored share"][0] == pytest.approx((0.5 * 1024 + 16 + 46) / 1040, abs=0.01)
    assert found["stored share"][1] == found["stored share"][2] > 1.0


def test_entropy_coders_store_less_than_those_that_find_repeats_only() -> None:
    snappy, zstd = features(compression_type=["snappy", "zstd"])["stored share"]
    assert 0.7 < zstd / snappy < 0.9


def test_slow_codecs_make_more_work_and_threads_share_it() -> None:
    found = features(compression_type=["none", "snappy", "zlib", "bzip2"])
    assert (np.diff(found["codec work"]) > 0).all()
    assert found["work lagging"][3] > found["work lagging"][1]
    alone, shared = features(max_background_compactions=[1, 4])["work of a thread lagging"]
    assert alone - shared == pytest.approx(np.log(2))  # there are two cores


def test_each_thread_writes_all_keys() -> None:
    one, four = features(workload__threads=[1, 4])["flushes"]
    assert four - one == pytest.approx(np.log(4))


def test_a_smaller_tree_of_the_same_proportions_has_the_same_shape() -> None:
    whole = features()
    small = Workload(("fillrandom",), "fillrandom", num=1_000_000, key_size_bytes=16, value_size_bytes=1024)
    scaled = features(
        small,
        write_buffer_size=[MIB],
        max_bytes_for_level_base=[4 * MIB],
        target_file_size_base=[MIB],
    )
    for name in ("flushes", "level 0 over level 1", "levels filled", "writes keeping up", "share compressed"):
        assert scaled[name] == pytest.approx(whole[name]), name
