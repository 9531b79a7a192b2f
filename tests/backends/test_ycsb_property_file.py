"""Property files of YCSB-cpp and of YCSB: each key becomes this option, this property, or this sentence."""

import pytest

from lsmtune.backends import PropertyFile, joined
from lsmtune.backends.registry import catalogue_of
from lsmtune.backends.ycsb import read_property_file
from lsmtune.model import Value

MIB = 1 << 20


def read(text: str, engine: str = "rocksdb") -> PropertyFile:
    return read_property_file(text, "my.properties", catalogue_of(engine), engine)


ROCKSDB: list[tuple[str, str, Value]] = [
    ("compression=snappy", "compression_type", "snappy"),
    ("compression=no", "compression_type", "none"),
    ("compression=kZSTD", "compression_type", "zstd"),
    ("max_background_jobs=4", "max_background_jobs", 4),
    ("target_file_size_base=67108864", "target_file_size_base", 64 * MIB),
    ("target_file_size_multiplier=2", "target_file_size_multiplier", 2),
    ("max_bytes_for_level_base=268435456", "max_bytes_for_level_base", 256 * MIB),
    ("write_buffer_size=33554432", "write_buffer_size", 32 * MIB),
    ("max_write_buffer_number=3", "max_write_buffer_number", 3),
    ("compaction_pri=1", "compaction_pri", "oldest_largest_seq_first"),
    ("max_open_files=-1", "open_files", -1),
    ("level0_file_num_compaction_trigger=6", "level0_file_num_compaction_trigger", 6),
    ("level0_slowdown_writes_trigger=22", "level0_slowdown_writes_trigger", 22),
    ("level0_stop_writes_trigger=40", "level0_stop_writes_trigger", 40),
    ("use_direct_io_for_flush_compaction=true", "use_direct_io_for_flush_and_compaction", True),
    ("use_direct_reads=false", "use_direct_reads", False),
    ("allow_mmap_reads=false", "mmap_read", False),
    ("allow_mmap_writes=true", "mmap_write", True),
    ("cache_size=8388608", "cache_size", 8 * MIB),
    ("bloom_bits=10", "bloom_bits", 10),
    ("increase_parallelism=true", "max_background_jobs", 16),
    ("optimize_level_style_compaction=true", "write_buffer_size", 128 * MIB),
]
LEVELDB: list[tuple[str, str, Value]] = [
    ("write_buffer_size=67108864", "write_buffer_size", 64 * MIB),
    ("max_file_size=4194304", "max_file_size", 4 * MIB),
    ("max_open_files=900", "max_open_files", 900),
    ("compression=no", "compression", "no"),
    ("compression=snappy", "compression", "snappy"),
    ("cache_size=134217728", "cache_size", 128 * MIB),
    ("filter_bits=10", "filter_bits", 10),
    ("block_size=8192", "block_size", 8192),
    ("block_restart_interval=8", "block_restart_interval", 8),
]
KEYS = [("rocksdb", *each) for each in ROCKSDB] + [("leveldb", *each) for each in LEVELDB]


@pytest.mark.parametrize(("engine", "line", "option", "value"), KEYS)
def test_a_key_becomes_its_option(engine: str, line: str, option: str, value: Value) -> None:
    found = read(f"{engine}.{line}\n", engine)
    assert (found.options[option], found.passed_over, found.problems) == (value, (), ())


def test_zero_and_false_leave_the_engines_default() -> None:
    text = (
        "rocksdb.max_background_jobs=0\nrocksdb.bloom_bits=0\nrocksdb.cache_size=0\nrocksdb.compaction_pri=-1\n"
        "rocksdb.compressed_cache_size=0\nrocksdb.increase_parallelism=false\nrocksdb.mergeupdate=false\n"
        "rocksdb.optimize_level_style_compaction=false\nrocksdb.optionsfile=\nrocksdb.env_uri=\nrocksdb.fs_uri=\n"
    )
    found = read(text)
    assert (found.options, found.passed_over, found.problems) == ({}, (), ())
    assert read("leveldb.cache_size=0\n", "leveldb").options == {}


def test_what_names_the_database_is_passed_over_and_sync_becomes_the_drivers_property() -> None:
    found = read(
        "rocksdb.dbname=/x\nrocksdb.dir=/y\nrocksdb.destroy=true\nrocksdb.format=single\nrocksdb.sync=true\n"
        "rocksdb.mine=1\nrocksdb.compressed_cache_size=5\nleveldb.block_size=nonsense\n"
    )
    names = ("rocksdb.dbname", "rocksdb.dir", "rocksdb.destroy", "rocksdb.mine", "rocksdb.compressed_cache_size")
    assert tuple(found.passed_over) == names
    assert (found.properties, found.options, found.problems) == ({"lsmtune.sync": "true"}, {}, ())


def test_a_core_workload_of_the_original_is_the_workloads() -> None:
    found = read(
        "# mine\n! too\nrecordcount=1000\noperationcount=1000\nworkload=site.ycsb.workloads.CoreWorkload\n"
        "readallfields: true\nrequestdistribution = zipfian\n"
    )
    assert tuple(found.passed_over) == ("recordcount", "operationcount")
    assert found.properties == {
        "workload": "site.ycsb.workloads.CoreWorkload",
        "readallfields": "true",
        "requestdistribution": "zipfian",
    }


WRONG = [
    ("rocksdb.write_buffer_size=many", "write_buffer_size"),
    ("rocksdb.compression=brotli", "compression_type"),
    ("rocksdb.sync=perhaps", "write true or false"),
    ("rocksdb.format=row", "write single"),
    ("rocksdb.optionsfile=/etc/x", "options_file under [engine]"),
    ("rocksdb.mergeupdate=true", "write false"),
    ("rocksdb.fs_uri=posix://", "remove the line"),
    ("rocksdb.compaction_pri=9", "compaction_pri"),
    ("rocksdb.use_direct_reads=2", "write true or false"),
]


@pytest.mark.parametrize(("line", "words"), WRONG)
def test_a_value_that_cannot_be_meant_is_told_with_file_line_key_and_value(line: str, words: str) -> None:
    key, _, value = line.partition("=")
    (sentence,) = read(f"\n{line}\n").problems
    assert sentence.startswith(f'my.properties:2: property "{key}" is "{value}"; ')
    assert words in sentence
    assert read("nothing\n").problems == ('my.properties:1: "nothing" is no property; write name=value',)


def test_the_later_of_several_files_wins_and_presets_win_over_single_options_as_in_ycsb_cpp() -> None:
    first = read("rocksdb.bloom_bits=5\nfieldcount=1\nrocksdb.dbname=/a\n")
    second = read("rocksdb.bloom_bits=7\nfieldcount=2\nrocksdb.dbname=/b\n")
    both = joined((first, second))
    assert (both.options, both.properties) == ({"bloom_bits": 7}, {"fieldcount": "2"})
    assert tuple(both.passed_over) == ("rocksdb.dbname",)
    preset = read("rocksdb.increase_parallelism=true\nrocksdb.max_background_jobs=3\n")
    assert preset.options == {"max_background_jobs": 16}


def test_lines_that_end_with_a_backslash_go_on_in_the_next() -> None:
    """As the driver reads them; the same text is in native/ycsb/tests/properties_test.cc."""
    text = "one=a,\\\r\n   b,\\\n\t# c\ntwo=kept\\\\\n# no comment \\\nthree=3\nfour=4\\"
    found = read(text)
    assert found.problems == ()
    assert found.properties == {"one": "a,b,# c", "two": "kept\\\\", "three": "3", "four": "4"}
    (problem,) = read("one=1\n\nnonsense\\\n  more\ntwo=2\n").problems
    assert problem.startswith("my.properties:3: ")
