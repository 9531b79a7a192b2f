"""The memory of RocksDB: parts that follow the options, add up, and say how they were calculated."""

from collections.abc import Mapping
from typing import Any

import pytest

from lsmtune.errors import OptionError, UsageError
from lsmtune.memory_model import Load, Memory, Options, rocksdb_memory

MIB = 1 << 20
STEADY = Load(flush_lag=0.25)
READING = Load(writes=False, data_bytes=1000 * MIB)


def need(load: Load = STEADY, stores: int = 1, *, shares_cache: bool = False, **values: Any) -> Memory:
    return rocksdb_memory({"default": Options(values)}, load, stores, shares_cache=shares_cache)


def mib(memory: Memory) -> Mapping[str, float]:
    return {part.name: round((part.bytes or 0) / MIB, 1) for part in memory.parts if part.bytes is not None}


def test_parts_add_up_to_the_total_and_shares_to_one() -> None:
    memory = need(Load(data_bytes=10**9, threads=4), bloom_bits=10)
    assert sum(part.bytes or 0 for part in memory.parts) == memory.total_bytes
    assert sum(memory.share(part) or 0 for part in memory.parts) == pytest.approx(1)
    assert {"block cache", "memtables", "indexes", "filters", "held back by malloc", "process"} <= mib(memory).keys()


def test_without_knowledge_of_flushes_every_memtable_is_full() -> None:
    assert mib(need(Load(), write_buffer_size=32 * MIB, max_write_buffer_number=5))["memtables"] == 160
    assert "flushes may fall behind" in " ".join(need(Load()).assumptions)


def test_flushes_that_keep_up_hold_one_memtable_and_what_is_filled_meanwhile() -> None:
    parts = mib(need(write_buffer_size=32 * MIB, max_write_buffer_number=5))
    assert (parts["memtables"], parts["memtables filled during a flush"]) == (32, 8)


def test_memtables_that_are_merged_are_there_together() -> None:
    held: dict[str, Any] = {
        "write_buffer_size": 16 * MIB,
        "max_write_buffer_number": 4,
        "min_write_buffer_number_to_merge": 2,
    }
    parts = mib(need(**held))
    assert (parts["memtables"], parts["memtables filled during a flush"]) == (32, 8)
    # RocksDB lowers the number to merge to one less than there may be.
    assert mib(need(**{**held, "max_write_buffer_number": 2}))["memtables"] == 16


@pytest.mark.parametrize(("number", "held"), [(2, 2), (3, 3), (4, 3.5), (8, 7.5)])
def test_writes_that_outrun_flushes_are_slowed_down_before_the_last_memtable_is_full(number: int, held: float) -> None:
    memory = need(Load(flush_lag=1.5), write_buffer_size=16 * MIB, max_write_buffer_number=number)
    assert mib(memory)["memtables"] == 16 * held


@pytest.mark.parametrize(
    ("size", "block", "bytes_"),
    [
        (64 * MIB, 0, 64 * MIB),  # blocks of 1 MiB
        (4 * MIB, 0, 4 * MIB),  # of an eighth
        (10 * MIB, 4 * MIB, 12 * MIB),  # the third block is begun, as more than 0.4 of it would be missing
        (9 * MIB, 4 * MIB, 8 * MIB),  # a third one would pass the size by more than 0.6 of a block
    ],
)
def test_a_memtable_is_whole_blocks_of_its_arena(size: int, block: int, bytes_: int) -> None:
    memory = need(Load(flush_lag=0), write_buffer_size=size, arena_block_size=block)
    assert memory.by_name["memtables"].bytes == bytes_


def test_values_in_blob_files_need_neither_indexes_nor_room_in_the_block_cache() -> None:
    load = Load(writes=False, data_bytes=1016 * 10**6, key_bytes=16, value_bytes=1000)
    apart = need(load, cache_size=256 * MIB, enable_blob_files=True)
    blocks = 26 * 10**6 / 4096  # a key and 10 B on where its value lies
    assert apart.by_name["indexes"].bytes == round(blocks * 29)
    assert apart.by_name["block cache"].bytes == round(26 * 10**6 + blocks * 200)
    within = need(load, cache_size=256 * MIB, enable_blob_files=True, min_blob_size=1001)
    assert within == need(load, cache_size=256 * MIB)


def test_column_families_have_memtables_of_their_own_and_one_cache() -> None:
    families = {
        "default": Options({"write_buffer_size": 16 * MIB, "cache_size": 64 * MIB}),
        "meta": Options({"write_buffer_size": 4 * MIB, "max_write_buffer_number": 3}),
    }
    parts = mib(rocksdb_memory(families, Load()))
    assert (parts["memtables of default"], parts["memtables of meta"], parts["block cache"]) == (32, 12, 64)


def test_a_limit_on_all_memtables_holds_where_it_is_less() -> None:
    assert mib(need(write_buffer_size=256 * MIB, db_write_buffer_size=64 * MIB))["memtables"] == 64 * 7 / 8 * 1.25
    assert mib(need(write_buffer_size=16 * MIB, db_write_buffer_size=640 * MIB))["memtables"] == 16


def test_memtables_that_are_charged_take_room_from_the_cache_not_beside_it() -> None:
    values: dict[str, Any] = {"cache_size": 100 * MIB, "write_buffer_size": 20 * MIB}
    apart, charged = need(**values), need(**values, cost_write_buffer_to_cache=True)
    assert mib(charged)["block cache"] == 100 - 25
    assert apart.total_bytes - charged.total_bytes == 25 * MIB


def test_no_more_memtables_than_what_is_written() -> None:
    memory = need(Load(written_bytes=MIB, flush_lag=0.2))
    assert MIB < (memory.by_name["memtables"].bytes or 0) < 2 * MIB


def test_flushed_memtables_that_are_kept_count_up_to_their_limit() -> None:
    memory = need(Load(flush_lag=0), write_buffer_size=16 * MIB, max_write_buffer_size_to_maintain=128 * MIB)
    assert mib(memory)["memtables"] + mib(memory)["flushed memtables kept"] == 128 + 16


@pytest.mark.parametrize("flag", ["cache_index_and_filter_blocks", "partition_index_and_filters"])
def test_indexes_and_filters_in_the_cache_count_there(flag: str) -> None:
    outside = need(READING, bloom_bits=10)
    size = sum(outside.by_name[name].bytes or 0 for name in ("indexes", "filters"))
    written = Load(reads=False, data_bytes=1000 * MIB)
    wide: dict[str, Any] = {"bloom_bits": 10, "cache_size": 10_000 * MIB}
    assert "block cache" not in need(written, **wide).by_name
    assert need(written, **wide, **{flag: True}).by_name["block cache"].bytes == size
    assert need(written, bloom_bits=10, cache_size=MIB, **{flag: True}).by_name["block cache"].bytes == MIB
    caches = [need(READING, **wide, **more).by_name["block cache"].bytes or 0 for more in ({}, {flag: True})]
    assert caches[1] - caches[0] == size
    assert need(Load(reads=False), bloom_bits=10, **{flag: True}).by_name["block cache"].bytes == 8 * MIB


def test_indexes_grow_with_blocks_and_filters_with_keys() -> None:
    plain = need(READING, bloom_bits=10)
    assert plain.by_name["indexes"].bytes == 1000 * MIB // 4096 * 29
    assert plain.by_name["filters"].bytes == round(1000 * MIB / 116 * 10 / 8)
    large = need(READING, bloom_bits=10, block_size=16384)
    assert (large.by_name["indexes"].bytes or 0) * 4 == plain.by_name["indexes"].bytes
    spared = need(READING, bloom_bits=10, optimize_filters_for_hits=True)
    assert (spared.by_name["filters"].bytes or 0) * 10 == pytest.approx(plain.by_name["filters"].bytes, abs=5)


def test_indexes_and_filters_in_the_cache_are_no_part_of_their_own() -> None:
    parts = mib(need(READING, cache_index_and_filter_blocks=True, bloom_bits=10))
    assert not {"indexes", "filters"} & parts.keys()


def test_of_partitioned_indexes_and_filters_only_the_top_level_is_outside_of_the_cache() -> None:
    whole, parts = need(READING, bloom_bits=10), need(READING, bloom_bits=10, partition_index_and_filters=True)
    for name in ("indexes", "filters"):
        assert parts.by_name[name].bytes == pytest.approx((whole.by_name[name].bytes or 0) * 29 / 4096, abs=1)
    assert need(Load(writes=False), partition_index_and_filters=True).unknown == ("indexes",)


def test_what_the_size_of_the_data_would_tell_is_unknown_not_nothing() -> None:
    memory = need(Load(writes=False), bloom_bits=10)
    assert memory.unknown == ("indexes", "filters")
    assert memory.share(memory.by_name["indexes"]) is None
    assert "no data size was given" in " ".join(memory.assumptions)


def test_a_cache_holds_no_more_than_is_read() -> None:
    whole = need(READING, cache_size=4000 * MIB).by_name["block cache"].bytes or 0
    assert 1000 * MIB < whole < 1100 * MIB
    few = Load(writes=False, data_bytes=1000 * MIB, read_operations=1000)
    assert (need(few, cache_size=4000 * MIB).by_name["block cache"].bytes or 0) < 1000 * 4400
    assert "block cache" not in mib(need(Load(reads=False)))


def test_mapped_files_count_as_resident() -> None:
    assert mib(need(READING, mmap_read=True))["mapped table files"] == 1000
    stored = Load(writes=False, data_bytes=1000 * MIB, stored_bytes=400 * MIB)
    assert mib(need(stored, mmap_read=True))["mapped table files"] == 400


def test_readahead_of_compactions_takes_memory_only_with_direct_reads() -> None:
    ahead: dict[str, Any] = {"compaction_readahead_size": 2 * MIB}
    assert "compaction readahead" not in mib(need(**ahead))
    assert mib(need(**ahead, use_direct_reads=True))["compaction readahead"] == 10


def test_jobs_and_subcompactions_have_buffers_of_their_own() -> None:
    assert mib(need())["flush and compaction buffers"] == 4
    assert mib(need(max_background_jobs=8))["flush and compaction buffers"] == 16
    assert mib(need(max_background_jobs=8, subcompactions=2))["flush and compaction buffers"] == 28
    assert "flush and compaction buffers" not in mib(need(READING))


def test_a_dictionary_buffers_the_files_that_are_written() -> None:
    sizes: dict[str, Any] = {"write_buffer_size": 16 * MIB, "target_file_size_base": 32 * MIB}
    dictionary: dict[str, Any] = {**sizes, "compression_max_dict_bytes": 16384}
    assert mib(need(**dictionary, compression_type="zstd"))["dictionary buffers"] == 96
    assert "dictionary buffers" not in mib(need(**dictionary, compression_type="snappy"))
    limited = need(**dictionary, compression_type="zstd", compression_max_dict_buffer_bytes=4 * MIB)
    assert mib(limited)["dictionary buffers"] == 16


def test_iterators_pin_a_block_of_each_level() -> None:
    assert need(Load(iterators=100)).by_name["blocks pinned by iterators"].bytes == 100 * 10 * 4096


def test_a_row_cache_is_empty_where_nothing_is_read() -> None:
    assert mib(need(row_cache_size=64 * MIB))["row cache"] == 64
    assert "row cache" not in mib(need(Load(reads=False), row_cache_size=64 * MIB))


def test_malloc_keeps_something_for_each_further_arena() -> None:
    many = Load(threads=4, data_bytes=10**10)
    assert mib(need(many, cache_size=100 * MIB))["held back by malloc"] == 19.5
    assert "held back by malloc" not in mib(need(Load(threads=4, malloc_arenas=1)))
    assert "held back by malloc" not in mib(need(Load(threads=1)))
    arena_each = "malloc is glibc's, with an arena for each client thread"
    assert arena_each in need(many).assumptions
    assert arena_each not in need(Load(threads=4, malloc_arenas=2)).assumptions


def test_stores_multiply_all_but_the_process_and_a_shared_cache() -> None:
    one, ten = need(), need(stores=10)
    process = one.by_name["process"].bytes or 0
    assert ten.total_bytes - process == 10 * (one.total_bytes - process)
    shared = need(stores=10, shares_cache=True)
    assert ten.total_bytes - shared.total_bytes == 9 * 8 * MIB
    # Arenas belong to the threads of the process, not to a store.
    assert need(Load(threads=2), stores=10).by_name["held back by malloc"].total_bytes == 6.5 * MIB


def test_a_process_of_ones_own_takes_the_place_of_the_measured_one() -> None:
    assert need(Load(process_bytes=3 * MIB)).by_name["process"].bytes == 3 * MIB


@pytest.mark.parametrize(
    "wrong",
    [
        {"data_bytes": -1},
        {"threads": 0},
        {"key_bytes": 0, "value_bytes": 0},
        {"flush_lag": float("nan")},
        {"flush_lag": float("inf")},
        {"iterators": 2**63},
    ],
)
def test_a_load_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"give at least 1|not negative"):
        Load(**wrong)


def test_a_text_where_a_number_has_to_be_is_refused() -> None:
    with pytest.raises(OptionError, match='cache_size is "much"'):
        need(cache_size="much")
