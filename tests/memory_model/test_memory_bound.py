"""What surely cannot fit is told from below, and never where the model says that it may fit."""

from fractions import Fraction
from itertools import product

import pytest

from lsmtune.memory_model import DB_BENCH, Load, Options, memory_bound, rocksdb_memory
from lsmtune.model import Value
from lsmtune.space import Constraint

MIB = 1 << 20
NAMES = frozenset(
    {
        *("write_buffer_size", "min_write_buffer_number_to_merge", "max_write_buffer_number", "cache_size"),
        *("db_write_buffer_size", "max_total_wal_size", "enable_blob_files"),
    }
)
BASE: dict[str, Value] = {
    "write_buffer_size": 64 * MIB,
    "min_write_buffer_number_to_merge": 1,
    "max_write_buffer_number": 2,
    "cache_size": 8 * MIB,
    "db_write_buffer_size": 0,
    "max_total_wal_size": 0,
    "enable_blob_files": False,
}


def fits(limit: int, values: dict[str, Value], scale: Fraction = Fraction(1), **data: int) -> bool:
    bounds = memory_bound(limit, DB_BENCH.bytes, scale, NAMES, **data)
    return all(Constraint.parse(bound.relation).violation({**BASE, **values}) is None for bound in bounds)


def test_a_memtable_that_is_filled_and_larger_than_the_limit_cannot_fit() -> None:
    assert not fits(100 * MIB, {"write_buffer_size": 256 * MIB}, written_bytes=1000 * MIB)
    assert fits(100 * MIB, {"write_buffer_size": 96 * MIB}, written_bytes=1000 * MIB)


def test_a_memtable_that_the_data_does_not_fill_may_fit() -> None:
    assert fits(100 * MIB, {"write_buffer_size": 256 * MIB}, written_bytes=50 * MIB)
    assert fits(100 * MIB, {"write_buffer_size": 256 * MIB})


def test_memtables_of_one_flush_count_together_unless_the_engine_merges_fewer() -> None:
    merged: dict[str, Value] = {"write_buffer_size": 64 * MIB, "min_write_buffer_number_to_merge": 4}
    assert not fits(100 * MIB, {**merged, "max_write_buffer_number": 6}, written_bytes=1000 * MIB)
    assert fits(100 * MIB, {**merged, "max_write_buffer_number": 2}, written_bytes=1000 * MIB)


@pytest.mark.parametrize("early", ["db_write_buffer_size", "max_total_wal_size"])
def test_an_option_that_flushes_before_a_memtable_is_full_lets_it_fit(early: str) -> None:
    assert fits(100 * MIB, {"write_buffer_size": 256 * MIB, early: 50 * MIB}, written_bytes=1000 * MIB)


def test_a_cache_that_reads_fill_cannot_be_larger_than_the_limit() -> None:
    assert not fits(100 * MIB, {"cache_size": 256 * MIB}, read_bytes=1000 * MIB)
    assert fits(100 * MIB, {"cache_size": 256 * MIB}, read_bytes=50 * MIB)
    assert fits(100 * MIB, {"cache_size": 256 * MIB}, written_bytes=1000 * MIB)
    assert fits(100 * MIB, {"cache_size": 256 * MIB, "enable_blob_files": True}, read_bytes=1000 * MIB)


def test_the_fixed_part_does_not_shrink_with_the_scale() -> None:
    quarter = Fraction(1, 64)
    size: dict[str, Value] = {"write_buffer_size": 512 * MIB}  # 8 MiB in the run
    assert fits(20 * MIB, size, quarter, written_bytes=4000 * MIB)
    assert not fits(8 * MIB, size, quarter, written_bytes=4000 * MIB)  # of 8 MiB the process needs a part


def test_nothing_that_the_model_lets_fit_is_left_out() -> None:
    """The bound lies below what the model predicts where flushes keep up, for every combination."""
    load = Load(flush_lag=0, reads=False, written_bytes=4000 * MIB)
    tried = 0
    for size, merged, number, limit in product((8, 64, 300), (1, 2, 4), (2, 3, 6), (30, 90, 200, 700)):
        values: dict[str, Value] = {
            "write_buffer_size": size * MIB,
            "min_write_buffer_number_to_merge": merged,
            "max_write_buffer_number": number,
        }
        if rocksdb_memory({"default": Options(values)}, load).total_bytes <= limit * MIB:
            tried += 1
            assert fits(limit * MIB, values, written_bytes=4000 * MIB), (values, limit)
    assert tried > 20
