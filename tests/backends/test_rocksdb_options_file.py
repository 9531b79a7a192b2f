"""OPTIONS files: read, changed, written back."""

import pytest
from rocksdb_builders import CATALOGUE, MINIMAL, VERSIONS, fixture, option, options_fixture

from lsmtune.backends.rocksdb import OptionsFile, derived_values, read_values, unread_texts, write_values
from lsmtune.errors import OptionError, UsageError
from lsmtune.model import Value
from lsmtune.space import Kind, catalogue


@pytest.mark.parametrize("version", VERSIONS)
def test_text_comes_back_as_it_was(version: str) -> None:
    assert options_fixture(version).text() == fixture(version, "OPTIONS-000007.ini")


@pytest.mark.parametrize("version", VERSIONS)
def test_the_version_is_read(version: str) -> None:
    assert options_fixture(version).version == version


def test_values_are_found_by_section_and_dotted_key() -> None:
    file = options_fixture()
    assert file.get("DB", "max_background_jobs") == "2"
    assert file.get("CF", "compression_opts.level") == "32767"
    assert file.get("Table", "metadata_cache_options.partition_pinning") == "kFallback"
    assert file.get("Table", "write_buffer_size") is None
    assert file.get("CF", "compression_opts.nothing") is None
    assert file.get("CF", "write_buffer_size.inner") is None


def test_setting_a_value_changes_its_line_alone() -> None:
    file = options_fixture()
    changed = file.set("CF", "compaction_options_universal.size_ratio", "9")
    differing = [(old, new) for old, new in zip(file.lines, changed.lines, strict=True) if old != new]
    assert [new for _, new in differing] == [differing[0][0].replace("size_ratio=1;", "size_ratio=9;")]
    assert file.get("CF", "compaction_options_universal.size_ratio") == "1"


def test_a_new_key_goes_to_the_end_of_its_section() -> None:
    lines = options_fixture().set("DB", "new_key", "1").lines
    assert lines[lines.index("  new_key=1") - 1] == "  info_log_level=DEBUG_LEVEL"


def test_a_new_nested_key_makes_its_braces() -> None:
    file = OptionsFile.parse(MINIMAL, "f").set("CF", "compression_opts.level", "3")
    assert "  compression_opts={level=3;}" in file.lines
    assert file.set("CF", "compression_opts.enabled", "true").get("CF", "compression_opts") == "{level=3;enabled=true;}"


def test_missing_sections_are_made() -> None:
    file = OptionsFile.parse(MINIMAL, "f").set("DB", "max_open_files", "7").set("Table", "block_size", "4096")
    again = OptionsFile.parse(file.text(), "f")
    assert again.get("DB", "max_open_files") == "7"
    assert again.get("Table", "block_size") == "4096"
    assert again.get("CF", "write_buffer_size") == "64"


def test_a_key_cannot_reach_into_a_plain_value() -> None:
    with pytest.raises(UsageError, match=r"f:4: write_buffer_size is not written as \{name=value;\.\.\.\}"):
        OptionsFile.parse(MINIMAL, "f").set("CF", "write_buffer_size.inner", "1")


def test_a_plain_table_takes_no_block_options() -> None:
    file = OptionsFile.parse(MINIMAL + "  table_factory=PlainTable\n", "f")
    with pytest.raises(UsageError, match="table_factory=PlainTable"):
        file.set("Table", "block_size", "4096")


def test_listeners_and_log_folders_can_be_left_out() -> None:
    file = options_fixture().set("DB", "wal_dir", "/var/lib/product")
    cleaned = file.without_listeners().without_paths()
    assert cleaned.get("DB", "listeners") is None
    assert cleaned.get("DB", "wal_dir") is None
    assert len(cleaned.lines) == len(file.lines) - 2


def test_comments_blank_lines_and_spaces_do_not_matter() -> None:
    file = OptionsFile.parse("# head\n[Version]\n\n" + MINIMAL.replace("=64", " = 64 # memtable"), "f")
    assert file.get("CF", "write_buffer_size") == "64"


def test_other_column_families_are_named_and_left_alone() -> None:
    file = OptionsFile.parse(MINIMAL + '[CFOptions "meta"]\n  write_buffer_size=99\n', "f")
    assert file.other_families == ("meta",)
    assert file.set("CF", "write_buffer_size", "1").lines[-1] == "  write_buffer_size=99"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"my\.ini has no \[Version\] section"),
        ("[Version]\n", r'my\.ini has no \[CFOptions "default"\] section'),
        (MINIMAL + "nonsense\n", r'my\.ini:5: "nonsense" has no "="'),
        ("max_open_files=1\n", r"my\.ini:1: .*before the first \[section\]"),
        (MINIMAL + '[CFOptions "x\n', r"my\.ini:5: .*is no section"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        OptionsFile.parse(text, "my.ini")


def test_values_of_the_catalogue_are_read() -> None:
    values = read_values(options_fixture(), CATALOGUE, "7.8.3")
    expected: dict[str, Value] = {
        "write_buffer_size": 524288,
        "max_bytes_for_level_multiplier": 10.0,
        "level_compaction_dynamic_level_bytes": False,
        "compression_type": "snappy",
        "memtablerep": "skip_list",
        "compression_level": 32767,
        "universal_size_ratio": 1,
        "min_level_to_compress": -1,
        "bloom_bits": -1,
        "subcompactions": 1,
    }
    assert {name: values[name] for name in expected} == expected
    assert "cache_size" not in values


def test_options_of_other_versions_and_missing_keys_are_left_out() -> None:
    file = OptionsFile.parse(MINIMAL, "f")
    gone = option("write_buffer_size", until="7.0")
    later = option("write_buffer_size", since="7.9")
    here = option("write_buffer_size", since="7.8", until="8.0")
    assert read_values(file, [gone], "7.8.3") == {}
    assert read_values(file, [later], "7.8.3") == {}
    assert read_values(file, [here, option("num_levels")], "7.8.3") == {"write_buffer_size": 64}


def test_sizes_with_a_suffix_are_read_as_the_engine_reads_them() -> None:
    file = OptionsFile.parse(MINIMAL.replace("=64", "=64M"), "f")
    assert read_values(file, CATALOGUE, "7.8.3")["write_buffer_size"] == 64 * 2**20


@pytest.mark.parametrize(
    ("kind", "text"), [(Kind.INT, "many"), (Kind.INT, "1.5"), (Kind.FLOAT, "x"), (Kind.BOOL, "yes")]
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_place(kind: Kind, text: str) -> None:
    file = OptionsFile.parse(MINIMAL, "my.ini").set("CF", "write_buffer_size", text)
    with pytest.raises(UsageError, match=rf'my\.ini: write_buffer_size="{text}" is not'):
        read_values(file, [option("write_buffer_size", kind=kind)], "7.8.3")


def test_a_choice_that_the_catalogue_does_not_know_is_left_out() -> None:
    file = options_fixture().set("CF", "compression", "kXpressCompression")
    assert "compression_type" not in read_values(file, CATALOGUE, "7.8.3")


@pytest.mark.parametrize(
    ("policy", "bits"),
    [
        ("nullptr", -1),
        ("bloomfilter:10:false", 10),
        ("bloomfilter:7", 7),
        ("{id=bloomfilter:12:false;}", 12),
        ("bloomfilter:9.5:false", None),
        ("ribbonfilter:10:0", None),
        ("rocksdb.BuiltinBloomFilter", None),
    ],
)
def test_filter_policies_become_bits(policy: str, bits: int | None) -> None:
    file = options_fixture().set("Table", "filter_policy", policy)
    assert read_values(file, CATALOGUE, "7.8.3").get("bloom_bits") == bits


def test_what_no_value_means_is_told_with_its_key() -> None:
    assert unread_texts(options_fixture(), CATALOGUE, "7.8.3") == {}
    file = options_fixture().set("Table", "filter_policy", "ribbonfilter:10:0")
    file = file.set("CF", "compression_per_level", "kNoCompression:kZSTD").set("CF", "memtable_factory", "mine")
    assert unread_texts(file, CATALOGUE, "7.8.3") == {
        "memtablerep": "memtable_factory=mine",
        "min_level_to_compress": "compression_per_level=kNoCompression:kZSTD",
        "bloom_bits": "filter_policy=ribbonfilter:10:0",
    }
    assert unread_texts(file, [option("bloom_bits", "Table", key="filter_policy", since="7.9")], "7.8.3") == {}


def test_what_rocksdb_derives_on_opening_is_told_as_numbers() -> None:
    derived: dict[str, Value] = dict.fromkeys(("arena_block_size", "max_compaction_bytes", "delayed_write_rate"), 0)
    sizes: dict[str, Value] = {"write_buffer_size": 100_000, "target_file_size_base": 1 << 20}
    rest = {"max_compaction_bytes": 25 << 20, "delayed_write_rate": 16 << 20}
    assert derived_values(derived | sizes) == {"arena_block_size": 16384, **rest}
    larger = derived_values(derived | sizes | {"write_buffer_size": 64 << 20, "rate_limiter_bytes_per_sec": 4 << 20})
    assert larger == {"arena_block_size": 1 << 20, **rest, "delayed_write_rate": 4 << 20}
    limits: dict[str, Value] = {"hard_pending_compaction_bytes_limit": 5, "soft_pending_compaction_bytes_limit": 0}
    assert derived_values(limits) == {"soft_pending_compaction_bytes_limit": 5}
    assert derived_values(dict.fromkeys(derived, 1) | sizes) == {}


@pytest.mark.parametrize(
    ("levels", "level"),
    [
        ("kSnappyCompression:kSnappyCompression", 0),
        ("kNoCompression:kSnappyCompression", 1),
        ("kNoCompression:kNoCompression", 2),
        ("kNoCompression:kZSTD", None),
        ("kSnappyCompression:kNoCompression", None),
        ("", -1),
    ],
)
def test_compression_per_level_becomes_the_first_compressed_level(levels: str, level: int | None) -> None:
    file = options_fixture().set("CF", "compression_per_level", levels)
    assert read_values(file, CATALOGUE, "7.8.3").get("min_level_to_compress") == level


def test_what_is_written_is_read_back() -> None:
    values: dict[str, Value] = {
        "write_buffer_size": 128 * 2**20,
        "max_bytes_for_level_multiplier": 7.5,
        "level_compaction_dynamic_level_bytes": True,
        "compression_type": "zstd",
        "memtablerep": "vector",
        "compression_level": 5,
        "min_level_to_compress": 2,
        "num_levels": 4,
        "bloom_bits": 10,
        "partition_index_and_filters": True,
        "subcompactions": 3,
    }
    file = write_values(options_fixture(), values | {"cache_size": 1}, CATALOGUE)
    assert values.items() <= read_values(file, CATALOGUE, "7.8.3").items()
    assert file.get("CF", "compression_per_level") == "kNoCompression:kNoCompression:kZSTD:kZSTD"
    assert file.get("CF", "max_bytes_for_level_multiplier") == "7.500000"
    assert file.get("CF", "level_compaction_dynamic_level_bytes") == "true"
    assert file.get("CF", "memtable_factory") == "{id=VectorRepFactory;count=0;}"
    assert file.get("Table", "filter_policy") == "bloomfilter:10:false"
    assert file.get("Table", "index_type") == "kTwoLevelIndexSearch"


@pytest.mark.parametrize("version", VERSIONS)
def test_writing_what_is_there_changes_nothing(version: str) -> None:
    file = options_fixture(version)
    assert write_values(file, read_values(file, CATALOGUE, version), CATALOGUE) == file


@pytest.mark.parametrize("version", VERSIONS)
def test_the_whole_catalogue_is_read_and_written(version: str) -> None:
    options = tuple(catalogue("rocksdb").options.values())
    file = options_fixture(version)
    values = read_values(file, options, version)
    assert len(values) > 60
    assert write_values(file, values, options) == file
    assert read_values(write_values(OptionsFile.parse(MINIMAL, "f"), values, options), options, version) == values


def test_a_zero_that_means_the_engines_own_value_is_written_as_that_value() -> None:
    options = tuple(catalogue("rocksdb").options.values())
    zeros: dict[str, Value] = {"universal_max_merge_width": 0, "universal_size_ratio": 0, "max_background_jobs": 3}
    file = write_values(options_fixture(), zeros, options)
    assert file.get("CF", "compaction_options_universal.max_merge_width") == str(2**32 - 1)
    assert file.get("CF", "compaction_options_universal.size_ratio") == "1"
    assert file.get("DB", "max_background_jobs") == "3"


def test_taking_filter_and_level_back_writes_the_defaults() -> None:
    changed = write_values(options_fixture(), {"bloom_bits": 10, "min_level_to_compress": 2}, CATALOGUE)
    back = write_values(changed, {"bloom_bits": 0, "min_level_to_compress": -1}, CATALOGUE)
    assert back == options_fixture()


def test_the_list_per_level_follows_the_compressor() -> None:
    file = write_values(options_fixture(), {"min_level_to_compress": 5}, CATALOGUE)
    changed = write_values(file, {"compression_type": "zstd"}, CATALOGUE)
    assert changed.get("CF", "compression_per_level") == ":".join(["kNoCompression"] * 5 + ["kZSTD"] * 2)


def test_a_list_of_no_compression_does_not_outlive_a_new_compressor() -> None:
    values: dict[str, Value] = {"compression_type": "none", "min_level_to_compress": 2}
    file = write_values(options_fixture(), values, CATALOGUE)
    assert write_values(file, {"compression_type": "zstd"}, CATALOGUE).get("CF", "compression_per_level") is None


def test_a_level_above_the_tree_is_refused() -> None:
    with pytest.raises(OptionError, match="min_level_to_compress=8 is above num_levels=7"):
        write_values(options_fixture(), {"min_level_to_compress": 8}, CATALOGUE)


def test_an_option_outside_the_catalogue_is_refused() -> None:
    with pytest.raises(OptionError, match="option speed is not in the catalogue"):
        write_values(options_fixture(), {"speed": 11}, CATALOGUE)
