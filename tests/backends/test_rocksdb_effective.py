"""Effective configurations: read back from the engine, compared with what was asked."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from rocksdb_builders import CATALOGUE, fixture, options_fixture, script

from lsmtune.backends.rocksdb import (
    OptionsFile,
    discover,
    effective_values,
    find_db_bench,
    open_with,
    overridden,
    write_values,
)
from lsmtune.errors import EngineError, UsageError
from lsmtune.model import EngineBuild, Value
from lsmtune.space import catalogue, default_of

FULL = Fraction(1)
SCALE = Fraction(1, 64)
MIB = 2**20


@pytest.fixture(scope="module")
def build() -> EngineBuild:
    return discover(find_db_bench())


def effective_at(scale: Fraction, **written: str) -> dict[str, Value]:
    """Effective values of the fixture's OPTIONS with these values of the column family written into it."""
    file = options_fixture()
    for key, value in written.items():
        file = file.set("CF", key, value)
    return effective_values(file.text(), CATALOGUE, "7.8.3", scale)


def reasons(asked: dict[str, Value], effective: dict[str, Value], scale: Fraction = FULL) -> dict[str, str]:
    return {each.option: each.reason for each in overridden(asked, effective, CATALOGUE, scale)}


def test_sizes_come_back_at_full_size_and_counts_as_they_are() -> None:
    values = effective_at(SCALE)
    assert values["write_buffer_size"] == 32 * MIB
    assert isinstance(values["write_buffer_size"], int)
    assert values["num_levels"] == 7
    assert values["compression_type"] == "snappy"


def test_values_with_a_meaning_of_their_own_are_not_scaled() -> None:
    assert effective_at(SCALE, max_compaction_bytes="0")["max_compaction_bytes"] == 0


def test_a_write_buffer_limit_that_the_engine_does_not_show_is_left_out() -> None:
    assert "db_write_buffer_size" not in effective_at(FULL)


def test_what_was_asked_and_used_is_not_overridden() -> None:
    asked: dict[str, Value] = {"write_buffer_size": 32 * MIB, "num_levels": 7, "max_bytes_for_level_multiplier": 10}
    assert overridden(asked, effective_at(SCALE), CATALOGUE, SCALE) == ()


@pytest.mark.parametrize("asked", [3_000_001, 3_000_029, 64 * MIB + 1, 100_000_007])
@pytest.mark.parametrize("scale", [SCALE, Fraction(1, 7), Fraction(3, 10), FULL])
def test_the_rounding_of_the_scale_is_no_override(asked: int, scale: Fraction) -> None:
    effective = effective_at(scale, hard_pending_compaction_bytes_limit=str(round(asked * scale)))
    assert overridden({"hard_pending_compaction_bytes_limit": asked}, effective, CATALOGUE, scale) == ()


def test_a_size_held_up_by_its_floor_is_no_override() -> None:
    effective = effective_at(SCALE, write_buffer_size="65536")
    assert effective["write_buffer_size"] == 4 * MIB
    assert overridden({"write_buffer_size": MIB}, effective, CATALOGUE, SCALE) == ()


def test_six_decimals_are_enough() -> None:
    effective = effective_at(FULL, max_bytes_for_level_multiplier="7.123457")
    assert overridden({"max_bytes_for_level_multiplier": 7.123456789}, effective, CATALOGUE, FULL) == ()


def test_an_override_shows_both_values_at_full_size() -> None:
    (found,) = overridden({"write_buffer_size": 64 * MIB}, effective_at(SCALE), CATALOGUE, SCALE)
    assert (found.option, found.asked, found.effective) == ("write_buffer_size", 64 * MIB, 32 * MIB)


def test_a_rule_that_does_not_fit_gives_no_reason() -> None:
    asked: dict[str, Value] = {"write_buffer_size": 64 * MIB, "level0_stop_writes_trigger": 36}
    assert reasons(asked, effective_at(FULL)) == {"write_buffer_size": "", "level0_stop_writes_trigger": ""}


def test_what_cannot_be_read_back_is_not_judged() -> None:
    assert overridden({"cache_size": 5, "unknown": 5}, effective_at(FULL), CATALOGUE, FULL) == ()


def test_an_unreadable_options_text_is_refused() -> None:
    with pytest.raises(UsageError, match="the engine's OPTIONS file has no"):
        effective_values("", CATALOGUE, "7.8.3", FULL)


REWRITES: list[tuple[dict[str, Value], str, str]] = [
    ({"write_buffer_size": 2**36 + 1}, "write_buffer_size", "64 GiB"),
    ({"max_write_buffer_number": 1}, "max_write_buffer_number", "at least 2"),
    ({"min_write_buffer_number_to_merge": 4}, "min_write_buffer_number_to_merge", "below max_write_buffer_number"),
    ({"level0_file_num_compaction_trigger": 30}, "level0_slowdown_writes_trigger", "at least level0_file_num"),
    ({"level0_slowdown_writes_trigger": 60}, "level0_stop_writes_trigger", "at least level0_slowdown"),
    ({"soft_pending_compaction_bytes_limit": 2**60}, "soft_pending_compaction_bytes_limit", "at most hard"),
    ({"soft_pending_compaction_bytes_limit": 0}, "soft_pending_compaction_bytes_limit", "0 means hard"),
    ({"max_compaction_bytes": 0}, "max_compaction_bytes", "25 x target_file_size_base"),
    ({"memtable_bloom_size_ratio": 0.5}, "memtable_bloom_size_ratio", "0.25"),
    ({"max_bytes_for_level_multiplier": 0.0}, "max_bytes_for_level_multiplier", "at least 1"),
    ({"num_levels": 1}, "num_levels", "at least 2"),
    ({"universal_size_ratio": 0}, "universal_size_ratio", "leaves RocksDB's default"),
    ({"delayed_write_rate": 0}, "delayed_write_rate", "16 MiB/s"),
    ({"open_files": 5}, "open_files", "within 20"),
    ({"bloom_bits": 0}, "bloom_bits", "no filter"),
    ({"min_level_to_compress": 2, "compression_type": "none"}, "min_level_to_compress", "without a compressor"),
]


@pytest.mark.parametrize(("asked", "name", "reason"), REWRITES)
def test_the_engine_rewrites_and_the_reason_is_known(
    build: EngineBuild, asked: dict[str, Value], name: str, reason: str
) -> None:
    defaults: dict[str, Value] = {"level0_slowdown_writes_trigger": 20, "level0_stop_writes_trigger": 36}
    values = defaults | asked
    text = open_with(build, None, [f"--{option}={value}" for option, value in values.items()])
    found = reasons(values, effective_values(text, CATALOGUE, build.version, FULL))
    assert reason in found.get(name, "not overridden")


def test_dynamic_level_bytes_are_for_level_compaction(build: EngineBuild) -> None:
    flags = ["--compaction_style=1", "--level_compaction_dynamic_level_bytes=1"]
    asked: dict[str, Value] = {"compaction_style": "universal", "level_compaction_dynamic_level_bytes": True}
    effective = effective_values(open_with(build, None, flags), CATALOGUE, build.version, FULL)
    assert reasons(asked, effective) == {"level_compaction_dynamic_level_bytes": "only level compaction has it"}


def test_flags_are_expanded_into_an_options_text(build: EngineBuild) -> None:
    text = open_with(build, None, ["--write_buffer_size=1048576", "--bloom_bits=10", "--min_level_to_compress=3"])
    values = effective_values(text, CATALOGUE, build.version, FULL)
    expected = {"write_buffer_size": MIB, "bloom_bits": 10, "min_level_to_compress": 3}
    assert {name: values[name] for name in expected} == expected


def test_the_defaults_of_db_bench_come_back_but_for_known_rewrites(build: EngineBuild) -> None:
    options = tuple(catalogue("rocksdb").options.values())
    defaults = {each.name: default_of(each, "tool", build.version_tuple) for each in options}
    asked = {name: value for name, value in defaults.items() if value is not None}
    effective = effective_values(open_with(build, None, []), options, build.version, FULL)
    unreadable = {"rate_limiter_bytes_per_sec", "cache_size", "cache_type", "row_cache_size", "db_write_buffer_size"}
    assert set(asked) - set(effective) == unreadable & set(asked)
    unexplained = [each for each in overridden(asked, effective, options, FULL) if not each.reason]
    assert unexplained == []


def test_an_options_file_is_taken(build: EngineBuild) -> None:
    file = options_fixture().set("CF", "write_buffer_size", "777777")
    text = open_with(build, file.text(), [])
    assert effective_values(text, CATALOGUE, build.version, FULL)["write_buffer_size"] == 777777


def test_the_engine_takes_what_is_written_into_a_file(build: EngineBuild) -> None:
    values: dict[str, Value] = {
        "max_bytes_for_level_multiplier": 7.5,
        "compression_type": "zstd",
        "compression_level": 5,
        "min_level_to_compress": 2,
        "num_levels": 4,
        "bloom_bits": 10,
        "partition_index_and_filters": True,
        "level_compaction_dynamic_level_bytes": True,
    }
    text = open_with(build, write_values(options_fixture(), values, CATALOGUE).text(), [])
    assert values.items() <= effective_values(text, CATALOGUE, build.version, FULL).items()
    assert OptionsFile.parse(text, "f").get("Table", "index_type") == "kTwoLevelIndexSearch"


def test_folders_of_a_product_are_not_written_to(build: EngineBuild, tmp_path_factory: pytest.TempPathFactory) -> None:
    product = tmp_path_factory.mktemp("product") / "wal"
    open_with(build, options_fixture().set("DB", "wal_dir", str(product)).text(), [])
    assert not product.exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--nonsense=1"], "unknown command line flag 'nonsense'"),
        (["--unordered_write=1"], "unordered_write is incompatible with enable_pipelined_write"),
        (["--compression_type=xpress"], "Xpress is not linked"),
        (["--write_buffer_size=abc"], "illegal value 'abc'"),
    ],
)
def test_the_engine_says_why_it_refuses_flags(build: EngineBuild, flags: list[str], message: str) -> None:
    with pytest.raises(EngineError, match=message) as caught:
        open_with(build, None, flags)
    assert str(caught.value).startswith(f"RocksDB {build.version} refuses these options: ")


def test_the_engine_says_why_it_refuses_a_file(build: EngineBuild) -> None:
    with pytest.raises(EngineError, match="Could not find option: : max_open_filez") as caught:
        open_with(build, fixture("7.8.3", "OPTIONS-000007.ini").replace("max_open_files", "max_open_filez"), [])
    assert "/tmp" not in str(caught.value)


def test_a_failed_assertion_is_named(build: EngineBuild, tmp_path: Path) -> None:
    failed = "db_bench: ./db_bench_tool.cc:4544: void f(): Assertion \\`a <= b' failed."
    aborting = replace(build, path=script(tmp_path, f'echo "{failed}" >&2; kill -ABRT $$'))
    with pytest.raises(EngineError, match="refuses these options: assertion failed: a <= b"):
        open_with(aborting, None, [])


def test_an_engine_that_dies_without_a_word_is_named_by_its_return_code(build: EngineBuild, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="return code -9, no message"):
        open_with(replace(build, path=script(tmp_path, "kill -KILL $$")), None, [])


def test_an_engine_that_writes_no_options_file_is_refused(build: EngineBuild, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="wrote no OPTIONS file"):
        open_with(replace(build, path=script(tmp_path, "true")), None, [])


def test_text_that_is_no_options_file_is_refused_before_the_engine_runs(build: EngineBuild) -> None:
    with pytest.raises(UsageError, match=r"the OPTIONS text:1: .*before the first"):
        open_with(build, "a=b", [])
