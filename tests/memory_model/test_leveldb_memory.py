"""The memory of LevelDB, as far as its few options tell."""

from lsmtune.memory_model import LEVELDB_DEFAULTS, Load, Memory, Options, leveldb_memory
from lsmtune.model import Value

MIB = 1 << 20


def need(load: Load, **values: Value) -> Memory:
    return leveldb_memory(Options(values, LEVELDB_DEFAULTS), load)


def test_two_memtables_and_the_cache() -> None:
    memory = need(Load(), write_buffer_size=16 * MIB, cache_size=64 * MIB)
    assert memory.by_name["memtables"].bytes == 32 * MIB
    assert memory.by_name["block cache"].bytes == 64 * MIB
    assert memory.unknown == ("indexes", "mapped table files")


def test_table_files_are_mapped_up_to_a_thousand_of_them() -> None:
    data = Load(data_bytes=4000 * MIB)
    assert need(data).by_name["mapped table files"].bytes == 2000 * MIB
    assert need(data, max_file_size=8 * MIB).by_name["mapped table files"].bytes == 4000 * MIB


def test_only_open_tables_have_indexes_and_filters() -> None:
    data = Load(data_bytes=4000 * MIB)
    few = need(data, filter_bits=10, max_open_files=1000).by_name
    all_ = need(data, filter_bits=10, max_open_files=5000).by_name
    for part in ("indexes", "filters"):
        assert 0.49 < (few[part].bytes or 0) / (all_[part].bytes or 1) < 0.50


def test_the_fixed_part_is_said_to_be_that_of_another_program() -> None:
    assert "RocksDB's db_bench" in need(Load()).assumptions[0]
    assert not any("db_bench" in said for said in need(Load(process_bytes=MIB)).assumptions)


def test_mapped_files_are_said_to_be_as_large_as_the_data_where_nobody_knows_better() -> None:
    assert any("as large as the data" in said for said in need(Load(data_bytes=MIB)).assumptions)
    known = need(Load(data_bytes=MIB, stored_bytes=MIB // 2))
    assert known.by_name["mapped table files"].bytes == MIB // 2
    assert not any("as large as the data" in said for said in known.assumptions)


def test_blocks_of_mapped_files_enter_the_cache_only_where_they_are_compressed() -> None:
    data = Load(data_bytes=4000 * MIB)
    assert need(data, cache_size=64 * MIB).by_name["block cache"].bytes == 64 * MIB
    assert need(data, cache_size=64 * MIB, compression="no").by_name["block cache"].bytes == 64 * MIB  # files beyond
    few = Load(data_bytes=1000 * MIB)
    assert "block cache" not in need(few, cache_size=64 * MIB, compression="no").by_name
