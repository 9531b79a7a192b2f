"""Exports for systems that embed RocksDB: complete tables, exact units, evidence, and nothing dropped in silence."""

from dataclasses import replace
from pathlib import Path

import export_builders
import pytest
from export_builders import ABLATION_GAINS, prepared, result
from target_builders import TUNED, code_of, context, planned, study, unusual

from lsmtune.errors import UsageError
from lsmtune.exporters import ExportContext, check_target, export, export_for, find_target, target_names
from lsmtune.exporters.targets import Target, plan
from lsmtune.exporters.targets._table import numbers
from lsmtune.exporters.targets._values import UNITS, written
from lsmtune.model import EngineBuild, Value
from lsmtune.space import Format, Mutability, catalogue, library_values, mutability_of
from lsmtune.study import Prepared

TARGETS = target_names()
OF_EACH_VERSION = [f"{name}@{version}" for name in TARGETS for version in find_target(name).versions]
OPTIONS = catalogue().options
LEVELDB = EngineBuild("leveldb", "1.23", Path("/usr/bin/db_bench"), "0" * 16, False, ("none",), ())


def said(text: str, target: Target) -> str:
    """The comments of a text as one line."""
    lines = (line.strip() for line in text.splitlines() if line.strip().startswith(target.comment))
    return " ".join(" ".join(line.removeprefix(target.comment).strip() for line in lines).split())


def from_file(folder: Path, family: str, table: str = "block_size=4096", cache: str = '"512MiB"') -> Prepared:
    """An experiment on an OPTIONS file with a line for the column family and one for its table, and a block cache."""
    (folder / "OPTIONS-000007").write_text(
        '[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n[CFOptions "default"]\n'
        f'  {family}\n[TableOptions/BlockBasedTable "default"]\n  {table}\n'
    )
    return prepared(folder, f'options_file = "OPTIONS-000007"\noptions.cache_size = {cache}\n')


@pytest.mark.parametrize("name", OF_EACH_VERSION)
def test_every_option_has_a_key_or_is_said_to_be_missing_once(name: str) -> None:
    target = find_target(name)
    told = [option for key in target.keys for option in key.options]
    told += [option for absent in target.absent for option in absent.options]
    assert sorted(told) == sorted(OPTIONS)


@pytest.mark.parametrize("name", OF_EACH_VERSION)
def test_what_a_table_refers_to_is_there(name: str) -> None:
    target = find_target(name)
    assert {key.on for key in target.keys} <= target.objects.keys()
    assert {each.on for each in target.companions if each.line} <= target.objects.keys()
    assert {block.within for block in target.objects.values()} - {""} <= target.objects.keys()
    assert {key.unit for key in target.keys} <= UNITS.keys()
    assert target.defaults.keys() <= OPTIONS.keys()
    assert all(key.line or key.lines for key in target.keys)
    for option in OPTIONS.values():
        default = target.default(option)
        assert default is None or option.name in target.defaults or option.takes(default), option.name


@pytest.mark.parametrize("name", OF_EACH_VERSION)
def test_every_option_that_differs_in_the_target_is_in_the_text(name: str) -> None:
    target = find_target(name)
    values = {each: unusual(option) for each, option in OPTIONS.items() if each in study().catalogue.options}
    made = planned(target, values)
    told = " ".join(remark for setting in made.settings for remark in setting.remarks)
    told += " ".join((*(left.text for left in made.left), *made.as_default))
    assert [each for each in values if f"{each}: " not in told] == []


@pytest.mark.parametrize("name", OF_EACH_VERSION)
def test_every_value_of_every_choice_is_written_or_said_to_be_impossible(name: str) -> None:
    target = find_target(name)
    for option in OPTIONS.values():
        for choice in option.choices:
            made = planned(target, {option.name: choice})
            told = [left.text for left in made.left if left.text.startswith(f"{option.name}: ")]
            told += [each for each in made.as_default if each.startswith(f"{option.name}: ")]
            told += [each.line for each in made.settings if option.name in each.key.options]
            default = target.default(option)
            assert told or choice in (default, study().space.reference.get(option.name)), f"{option.name} = {choice}"


@pytest.mark.parametrize("name", TARGETS)
def test_fifo_compaction_is_never_written_without_a_word_on_what_it_deletes(name: str) -> None:
    made = planned(find_target(name), {"compaction_style": "fifo"})
    is_written = any("compaction_style" in setting.key.options for setting in made.settings)
    assert is_written == any("compaction_options_fifo" in left.text for left in made.left)
    assert is_written or name not in ("rocksjava", "kafka-streams", "tikv", "rust")
    other = planned(find_target(name), {"compaction_style": "universal"})
    assert not any("compaction_options_fifo" in left.text for left in other.left)


@pytest.mark.parametrize("name", TARGETS)
def test_the_text_says_what_was_shown_and_where_the_keys_are_from(name: str) -> None:
    target = find_target(name)
    told = result(study(), TUNED, ablated={"bloom_bits": ABLATION_GAINS})
    text = export_for(name, told, study().build)
    words = said(text, target)
    assert text.endswith("\n")
    assert 'Study "export", 2023-11-14' in words
    assert "against the reference db_bench: improved, 1.40x [1.35, 1.46] n = 6" in words
    assert "Guard space_bytes: held" in words
    assert "bloom_bits: -1 (no filter) -> 12, ablation effect 1.21x [1.18, 1.24] n = 3" in words
    assert f"Keys and defaults: {target.source}." in words
    assert all(note in words for note in target.notes)


def test_where_nothing_was_shown_the_reference_is_written_and_the_text_says_so() -> None:
    text = export_for("kvrocks", result(study(), gains=(0.01, -0.02, 0.01, 0.0, 0.02, -0.01)), study().build)
    assert "Nothing better than the reference db_bench was shown" in said(text, find_target("kvrocks"))
    assert "rocksdb.block_size 4096" in text.splitlines()  # the reference's, where Kvrocks has 16 KiB


@pytest.mark.parametrize("cache_bytes", [8 << 20, 32 << 20])
def test_the_class_for_rocksjava_always_makes_the_cache(cache_bytes: int) -> None:
    lines = code_of(find_target("rocksjava"), {"cache_size": cache_bytes}).splitlines()
    assert f"        table.setBlockCache(own(new LRUCache({cache_bytes}L)));" in lines


def test_a_cache_of_the_size_that_rocksdb_makes_by_itself_is_written_where_its_kind_is_another() -> None:
    values: dict[str, Value] = {"cache_size": 32 << 20, "cache_type": "lru_cache"}
    assert "Cache::new_lru_cache(33554432)" in code_of(find_target("rust"), values)
    assert "block_cache=33554432" in code_of(find_target("go"), values)
    assert "set_block_cache" not in code_of(find_target("rocksdict"), values), "10.4.2 makes an LRU cache"
    assert "set_block_cache" not in code_of(find_target("rust"), {**values, "cache_type": "hyper_clock_cache"})


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("rocksjava", 'database.setProperty("delayed_write_rate", "16777216");'),
        ("kafka-streams", "options.setDelayedWriteRate(16777216L);"),
        ("go", '"delayed_write_rate=16777216",'),
        ("rust", ""),
        ("rocksdict", ""),
    ],
)
def test_beside_a_limiter_rocksdbs_own_rate_of_delayed_writes_is_written_or_said_to_be_impossible(
    name: str, line: str
) -> None:
    target, delayed = find_target(name), {"delayed_write_rate": 16 << 20}
    for limiter, differs in ((100 << 20, True), (16 << 20, False), (0, False)):
        made = planned(target, {**delayed, "rate_limiter_bytes_per_sec": limiter})
        lines = [each.line for each in made.settings if "delayed_write_rate" in each.key.options]
        left = [each.title for each in made.left if each.text.startswith("delayed_write_rate: 8 MiB/s -> 16 MiB/s")]
        assert lines == ([line] if line and differs else []), limiter
        assert left == ([f"{target.title} cannot hold"] if differs and not line else []), limiter


def test_a_rate_of_delayed_writes_that_is_the_limiters_is_a_number_where_a_target_has_no_limiter() -> None:
    values: dict[str, Value] = {"delayed_write_rate": 0, "rate_limiter_bytes_per_sec": 100 << 20}
    assert "delayed_write_rate=104857600" in code_of(find_target("ceph"), values)
    assert "delayed_write_rate" not in code_of(find_target("go"), values)


def test_what_the_target_does_anyway_is_not_written_but_said() -> None:
    text = export_for("kvrocks", result(study(), {"block_size": 16 << 10}), study().build)
    assert not [line for line in text.splitlines() if line.startswith("rocksdb.block_size")]
    assert "The changes that Kvrocks makes by itself: block_size: 4 KiB -> 16 KiB" in said(text, find_target("kvrocks"))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("rocksjava", "table.setBlockCache(own(new LRUCache(0L)));"),
        ("rust", "table.set_block_cache(&Cache::new_lru_cache(0));"),
        ("go", "block_cache=0"),
        ("kvrocks", ""),  # which makes 4 GiB of 0
    ],
)
def test_no_cache_is_never_one_without_a_bound(name: str, line: str) -> None:
    made = planned(find_target(name), {"cache_size": -1})
    lines = [each.line for each in made.settings if "cache_size" in each.key.options]
    assert lines == ([line] if line else [])
    left = [each.text for each in made.left if each.text.startswith("cache_size: ")]
    assert [each.rpartition("; ")[2] for each in left] == ([] if line else ["it has no way to say cache_size = 0"])


@pytest.mark.parametrize("has_none", [False, True])
def test_a_cache_that_is_left_to_the_options_file_is_rocksdbs_own(has_none: bool, tmp_path: Path) -> None:
    table = f"no_block_cache={str(has_none).lower()}"
    mine = from_file(tmp_path, "compression=kLZ4Compression", table, cache="-1")
    own = library_values(mine.catalogue, mine.build.version_tuple)["cache_size"]
    made = plan(find_target("rocksjava"), ExportContext(result(mine, {}), mine.build))
    (line,) = (each.line for each in made.settings if "cache_size" in each.key.options)
    assert f"Cache({0 if has_none else own}L" in line


def test_a_filter_of_0_bits_is_none() -> None:
    for target in map(find_target, TARGETS):
        zero, none = (
            [each.line for each in planned(target, {"bloom_bits": bits}).settings if "bloom_bits" in each.key.options]
            for bits in (0, -1)
        )
        assert zero == none, target.name


def test_a_value_between_two_whole_units_is_rounded_and_the_text_says_so() -> None:
    text = code_of(find_target("kvrocks"), {"write_buffer_size": (100 << 20) + 4096})
    assert "rocksdb.write_buffer_size 100" in text.splitlines()
    assert "rounded: it takes whole MiB only" in said(text, find_target("kvrocks"))


def test_a_value_that_no_whole_unit_is_near_is_not_written_but_said() -> None:
    made = planned(find_target("kvrocks"), {"write_buffer_size": 1536 << 10})
    assert [left.text for left in made.left if left.text.startswith("write_buffer_size: ")] == [
        "write_buffer_size: 64 MiB -> 1.5 MiB, not tested by itself; it takes whole MiB only, and none is near 1.5 MiB"
    ]


@pytest.mark.parametrize(
    ("unit", "name", "value", "text"),
    [
        ("MiB", "cache_size", 640 << 20, "640"),
        ("MiB", "cache_size", 0, "0"),
        ("%", "blob_garbage_collection_age_cutoff", 0.29, "29"),
        ("whole", "max_bytes_for_level_multiplier", 8.0, "8"),
        ("IEC", "write_buffer_size", 96 << 20, "96MiB"),
        ("IEC", "write_buffer_size", 100_000, "100000B"),
        ("IEC", "cache_size", 3 << 30, "3GiB"),
        ("flink", "block_size", 8 << 10, "8kb"),
        ("flink", "block_size", 5000, "5000b"),
        ("long", "cache_size", 5 << 30, "5368709120L"),
        ("", "max_bytes_for_level_multiplier", 8.0, "8.0"),
    ],
)
def test_units_are_exact(unit: str, name: str, value: float, text: str) -> None:
    found = written(OPTIONS[name], value, unit, ("true", "false"))
    assert (found.text, found.remark) == (text, "")


def test_the_newest_version_is_taken_unless_one_is_named_and_a_patch_is_no_other_version() -> None:
    assert find_target("set-options").version == "11.8"
    assert find_target("set-options@7.8.3").version == "7.8"
    assert find_target("kafka-streams@4.3.1").rocksdb == "10.1.3"


@pytest.mark.parametrize("words", ["cassandra", "kvrock", "", "@2"])
def test_an_unknown_target_is_refused_with_the_known_ones(words: str) -> None:
    with pytest.raises(UsageError, match="is not a target; choose one of rocksdict, set-options, rocksjava, "):
        find_target(words)


@pytest.mark.parametrize(
    "words", ["kvrocks@1", "kvrocks@", "kvrocks@2", "kvrocks@2.11", "kvrocks@new", "set-options@9.0"]
)
def test_an_unknown_version_is_refused_with_the_known_ones(words: str) -> None:
    with pytest.raises(UsageError, match=r"no keys are known for .* choose one of (kvrocks@2\.10|set-options@11\.8, )"):
        find_target(words)


def test_a_study_of_leveldb_is_refused_with_what_fits_it() -> None:
    with pytest.raises(
        UsageError, match=r"Kvrocks embeds RocksDB, and the study measured .*; choose one of the formats"
    ):
        check_target("kvrocks", LEVELDB)


def test_defaults_follow_the_version_that_the_target_bundles() -> None:
    old, new = find_target("set-options@7.8"), find_target("set-options@11.8")
    dynamic = OPTIONS["level_compaction_dynamic_level_bytes"]
    assert (old.default(dynamic), new.default(dynamic)) == (False, True)
    changed = OPTIONS["format_version"]
    assert (old.default(changed), new.default(changed)) == (5, 7)
    assert find_target("rocksdict").default(changed) == 6, "of 10.4.2"
    assert find_target("tikv").default(OPTIONS["cache_size"]) is None


def test_an_older_version_has_its_own_defaults_and_lacks_what_it_does_not_know() -> None:
    old, new = find_target("ceph@16.2.15"), find_target("ceph")
    assert (old.default(OPTIONS["write_buffer_size"]), new.default(OPTIONS["write_buffer_size"])) == (
        256 << 20,
        16 << 20,
    )
    values: dict[str, Value] = {"enable_blob_files": True, "compaction_pri": "round_robin"}
    assert "enable_blob_files=true" in code_of(new, values)
    text = code_of(old, values)
    assert "enable_blob_files" not in text
    left = {each.text.partition(":")[0]: each.text for each in planned(old, values).left}
    assert "RocksDB 6.8.1 cannot parse it" in left["enable_blob_files"]
    assert "no word for round_robin" in left["compaction_pri"]


def test_each_kvrocks_gets_the_keys_that_it_knows() -> None:
    values: dict[str, Value] = {"subcompactions": 4, "compression_level": 3, "cache_type": "hyper_clock_cache"}
    told = {
        version: [line for line in code_of(find_target(f"kvrocks@{version}"), values).splitlines() if line[:1] == "r"]
        for version in ("2.10.1", "2.9", "2.8", "2.7")
    }
    assert all(("rocksdb.max_subcompactions 4" in lines) == (version == "2.10.1") for version, lines in told.items())
    assert all(("rocksdb.max_sub_compactions 4" in lines) == (version != "2.10.1") for version, lines in told.items())
    assert ["rocksdb.compression_level 3" in lines for lines in told.values()] == [True, True, False, False]
    assert ["rocksdb.block_cache_type hcc" in lines for lines in told.values()] == [True, True, True, False]


def test_a_value_above_what_the_target_takes_is_not_written_but_said() -> None:
    made = planned(find_target("kvrocks"), {"max_bytes_for_level_base": 4 << 30})
    assert not [each for each in made.settings if "max_bytes_for_level_base" in each.key.options]
    (text,) = (left.text for left in made.left if left.text.startswith("max_bytes_for_level_base: "))
    assert text.endswith("; it takes at most 2147483647")


def test_what_kvrocks_conf_and_kvrocks_have_otherwise_is_always_written() -> None:
    lines = code_of(find_target("kvrocks"), {"max_background_jobs": 8}).splitlines()
    assert {"rocksdb.max_background_jobs 8", "rocksdb.max_background_compactions -1"} <= set(lines)


def test_what_an_older_rocksdb_of_the_target_would_not_open_with_is_left_out_and_named() -> None:
    both: dict[str, Value] = {"memtablerep": "vector", "allow_concurrent_memtable_write": True}
    why = "; before 10.4 RocksDB does not open: a vector memtable takes one writer at a time"
    for name, older in (("kafka-streams", True), ("ceph", True), ("myrocks", True), ("go", False), ("rust", False)):
        target = find_target(name)
        made = planned(target, both)
        named = [left.text for left in made.left if left.text.startswith("memtablerep: ") and left.text.endswith(why)]
        written_keys = {option for setting in made.settings for option in setting.key.options}
        assert (bool(named), "memtablerep" in written_keys) == (older, not older), name
        alone = planned(target, {**both, "allow_concurrent_memtable_write": False})
        assert "memtablerep" in {option for setting in alone.settings for option in setting.key.options}, name
    assert "allow_concurrent_memtable_write" not in code_of(find_target("myrocks"), both), "off by default there"


@pytest.mark.parametrize("version", ["7.8", "11.8"])
def test_what_can_be_changed_online_is_what_the_catalogue_says_of_that_version(version: str) -> None:
    target = find_target(f"set-options@{version}")
    online = {name for key in target.keys for name in key.options}
    at = numbers(target.rocksdb)
    told = {name for name, option in OPTIONS.items() if mutability_of(option, at) is Mutability.ONLINE}
    assert online == told
    noted = {name for key in target.keys for name in key.options if key.note}
    assert {name for name in online if OPTIONS[name].format is Format.FILES} <= noted


def test_options_are_compared_with_the_reference_where_a_database_runs() -> None:
    values: dict[str, Value] = {"write_buffer_size": 96 << 20, "optimize_filters_for_hits": True, "num_levels": 5}
    made = planned(find_target("set-options"), values)
    assert [each.line for each in made.settings] == ['{"write_buffer_size", "100663296"},']
    titles = {left.text.partition(":")[0]: left.title for left in made.left}
    assert titles.keys() == {"optimize_filters_for_hits", "num_levels"}
    assert "CompactRange" in titles["optimize_filters_for_hits"]
    assert "rebuilt" in titles["num_levels"]


def test_options_of_the_table_are_changed_online_where_rocksdb_can_and_else_need_a_restart() -> None:
    values: dict[str, Value] = {"block_size": 8 << 10, "bloom_bits": 10, "cache_index_and_filter_blocks": True}
    newer, older = find_target("set-options@11.8"), find_target("set-options@7.8")
    table = "block_size=8192;filter_policy=bloomfilter:10:false;cache_index_and_filter_blocks=true"
    assert f'        {{"block_based_table_factory", "{{{table}}}"}},' in code_of(newer, values).splitlines()
    assert "For files written from now on" in said(code_of(newer, values), newer)
    assert planned(newer, values).left == ()
    assert planned(older, values).settings == ()
    titles = {left.text.partition(":")[0]: left.title for left in planned(older, values).left}
    assert titles.keys() == values.keys()
    assert "CompactRange" in titles["bloom_bits"]
    assert titles["cache_index_and_filter_blocks"].startswith("A restart is needed: ")
    back = code_of(newer, {"partition_index_and_filters": False, "bloom_bits": -1})
    assert '"{filter_policy=nullptr;partition_filters=false;index_type=kBinarySearch}"' in back


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"max_compaction_bytes": 0}, ['{"max_compaction_bytes", "1677721600"},']),
        (
            {"target_file_size_base": 32 << 20},
            ['{"target_file_size_base", "33554432"},', '{"max_compaction_bytes", "838860800"},'],
        ),
        ({"write_buffer_size": 4 << 20}, ['{"write_buffer_size", "4194304"},', '{"arena_block_size", "524288"},']),
        ({"soft_pending_compaction_bytes_limit": 0}, ['{"soft_pending_compaction_bytes_limit", "137438953472"},']),
        ({"delayed_write_rate": 0}, ['{"delayed_write_rate", "16777216"},']),
    ],
)
def test_a_running_database_is_told_the_number_that_opening_would_make_of_0(
    values: dict[str, Value], lines: list[str]
) -> None:
    made = plan(find_target("set-options"), context(values)).settings
    assert [each.line for each in made] == lines
    assert "RocksDB made this number of 0 when it opened the study's database." in made[-1].remarks


def test_a_compressor_that_is_changed_online_goes_into_the_list_of_each_level_that_stands_before_it() -> None:
    told = study()
    levels = {"min_level_to_compress": 2, "num_levels": 5}
    made = result(told, {"compression_type": "zstd"})
    facts = {**made.description.facts, "reference_values": {**made.reference_values, **levels}}
    listed = replace(made, description=replace(made.description, facts=facts))
    lines = [each.line for each in plan(find_target("set-options"), ExportContext(listed, told.build)).settings]
    kinds = ":".join(["kNoCompression"] * 2 + ["kZSTD"] * 3)
    assert lines == ['{"compression", "kZSTD"},', f'{{"compression_per_level", "{kinds}"}},']


@pytest.mark.parametrize(
    ("name", "line"), [("leveldb-cpp", "leveldb::kSnappyCompression"), ("ycsb-properties", "snappy")]
)
def test_what_was_changed_back_to_leveldbs_default_is_written_as_well(name: str, line: str) -> None:
    made, driver = result(study(), {"compression": "snappy"}), replace(LEVELDB, tool="ycsb")
    facts = {**made.description.facts, "reference_values": {"compression": "no"}}
    ended = replace(made, description=replace(made.description, build=driver, facts=facts))
    lines = export(name, ended, driver).splitlines()
    assert [each for each in lines if each.rstrip(";").endswith(f"= {line}") or each.endswith(f"={line}")]


def test_no_filter_of_leveldb_is_no_policy_and_none_of_0_bits() -> None:
    made, driver = result(study(), {"filter_bits": 0}), replace(LEVELDB, tool="ycsb")
    facts = {**made.description.facts, "reference_values": {"filter_bits": 10}}
    ended = replace(made, description=replace(made.description, build=driver, facts=facts))
    lines = export("leveldb-cpp", ended, driver).splitlines()
    assert [each for each in lines if "ilter" in each and not each.startswith("//")] == [
        "options.filter_policy = nullptr;"
    ]


def test_flinks_managed_memory_and_tikvs_flow_control_are_named_where_they_overrule() -> None:
    flink, tikv = find_target("flink"), find_target("tikv")
    unmanaged = "state.backend.rocksdb.memory.managed: false"
    assert unmanaged in code_of(flink, {"cache_size": 640 << 20}).splitlines()
    assert unmanaged in code_of(flink, {"cache_size": 8 << 20, "compression_type": "zstd"}).splitlines()
    text = code_of(tikv, {"level0_slowdown_writes_trigger": 24})
    assert "storage.flow-control, which is on by default, puts l0-files-threshold (20) in its place" in said(text, tikv)


def test_a_study_from_an_options_file_says_that_the_rest_of_the_file_is_missing(tmp_path: Path) -> None:
    mine = from_file(tmp_path, "write_buffer_size=33554432")
    text = export_for("kvrocks", result(mine, {"block_size": 8 << 10}), mine.build)
    assert "what lsmtune does not know of it is missing here" in said(text, find_target("kvrocks"))
    assert "rocksdb.write_buffer_size 32" in text.splitlines()


@pytest.mark.parametrize("policy", ["ribbonfilter:10:0", "bloomfilter:9.9:false"])
def test_a_filter_that_no_number_of_bits_means_is_left_to_the_user_and_is_never_no_filter(
    policy: str, tmp_path: Path
) -> None:
    mine = from_file(tmp_path, "compression=kLZ4Compression", f"filter_policy={policy}")
    as_it_was, tuned = (
        ExportContext(result(mine, values), mine.build) for values in ({"block_size": 8 << 10}, {"bloom_bits": 12})
    )
    text = f"bloom_bits: the OPTIONS file of the study has filter_policy={policy}, which lsmtune cannot translate"
    for target in map(find_target, TARGETS):
        made = plan(target, as_it_was)
        assert not [each.line for each in made.settings if "bloom_bits" in each.key.options], target.name
        named = [(left.title, left.text) for left in made.left if left.text.startswith("bloom_bits: ")]
        assert named == ([] if target.of_reference else [("To be set by hand", text)]), target.name
        assert not [left.text for left in plan(target, tuned).left if "cannot translate" in left.text], target.name


def test_a_list_of_compressors_that_no_first_level_means_is_left_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = export_builders.EXPERIMENT.replace("[space]\n", '[space]\nexclude = ["compression_type"]\n')
    monkeypatch.setattr(export_builders, "EXPERIMENT", searched)
    levels = "compression_per_level=kNoCompression:kLZ4Compression:kZSTD"
    mine = from_file(tmp_path, f"compression=kLZ4Compression\n  {levels}")
    told = ExportContext(result(mine, {"block_size": 8 << 10}), mine.build)
    by_hand = f"min_level_to_compress: the OPTIONS file of the study has {levels}, which lsmtune cannot translate"
    for name in ("flink", "ceph"):
        made = plan(find_target(name), told)
        assert [left.text for left in made.left if left.title == "To be set by hand"] == [by_hand]
        assert not [each.line for each in made.settings if "min_level_to_compress" in each.key.options]
    (together,) = (left.text for left in plan(find_target("flink"), told).left if "compression_type: " in left.text)
    assert together.endswith("; its key also holds min_level_to_compress, which lsmtune cannot translate")


def test_a_change_that_the_engine_overrules_is_named() -> None:
    text = export_for("kvrocks", result(study(), {"level0_stop_writes_trigger": 8}), study().build)
    assert "level0_stop_writes_trigger: the engine makes 20 of 8" in said(text, find_target("kvrocks"))


def test_a_context_without_changes_of_the_study_writes_what_was_measured() -> None:
    told = {setting.key.name for setting in plan(find_target("kafka-streams"), context({})).settings}
    assert {"setCompactionStyle", "setCompressionType", "setWriteBufferSize"} <= told


@pytest.mark.parametrize("name", TARGETS)
def test_the_page_of_targets_has_their_versions(name: str) -> None:
    target = find_target(name)
    bundled = ", ".join({"?": "not known"}.get(each, each) for each in target.versions.values())
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "targets.md").read_text("utf-8")
    assert f"| [`{name}`](../reference/targets/{name}.md) | {', '.join(target.versions)} | {bundled} |" in page
