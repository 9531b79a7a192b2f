"""The option catalogue of RocksDB: facts against real output of two versions, and its loader."""

import pickle
import re
from pathlib import Path
from typing import Literal

import pytest

from lsmtune.backends.registry import catalogue_of, engines
from lsmtune.errors import OptionError
from lsmtune.space._catalogue import (
    Catalogue,
    catalogue,
    changed_defaults,
    default_of,
    missing_flags,
    mutability_of,
    read_catalogue,
)
from lsmtune.space._expression import Expression
from lsmtune.space._option import Format, Kind, Mutability, Option

FIXTURES = Path(__file__).parents[1] / "fixtures"
VERSIONS = ("7.8.3", "11.8.1")
FLAG = re.compile(r"^    -(\w+) \(.*?\)\s+type: \w+\s+default: (.*?)$", re.DOTALL | re.MULTILINE)
SECTIONS = {"DB": "[DBOptions]", "CF": '[CFOptions "default"]', "Table": '[TableOptions/BlockBasedTable "default"]'}

GOOD = """
version = 1
engine = "rocksdb"

[options.style]
section = "CF"
kind = "choice"
db_bench_default = "level"
choices = ["level", "universal"]
mutability = "restart"
format = "files"
summary = "A."
price = "B."

[options.size]
flag = ""
key = "the_size"
section = "CF"
kind = "int"
unit = "B"
db_bench_default = { "7.8" = "64MiB", "9.0" = 1024 }
range = ["8MiB", "512MiB"]
mutability = "online"
format = "tree"
special = { "0" = "off" }
condition = { style = ["level"] }
summary = "A."
price = "B."
"""


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def printed_defaults(version: str) -> dict[str, str]:
    """Return default by flag, as ``db_bench --help`` of a version prints it."""
    text = (FIXTURES / f"db_bench-{version}" / "help.txt").read_text()
    return {match[1]: match[2].strip() for match in FLAG.finditer(text)}


def written_keys(version: str, section: str) -> set[str]:
    """Return the keys of a section of the version's OPTIONS file, nested ones with a dot."""
    text = (FIXTURES / f"db_bench-{version}" / "OPTIONS-000007.ini").read_text()
    lines = text.split(SECTIONS[section], 1)[1].split("\n[", 1)[0].splitlines()
    keys = set()
    for key, _, value in (line.strip().partition("=") for line in lines if "=" in line):
        keys.add(key)
        if value.startswith("{"):
            keys |= {f"{key}.{inner.partition('=')[0]}" for inner in value.strip("{}").split(";")}
    return keys


def rocksdb_options() -> list[Option]:
    return list(catalogue().options.values())


every_option = pytest.mark.parametrize("option", rocksdb_options(), ids=lambda option: option.name)
every_version = pytest.mark.parametrize("version", VERSIONS)


@every_version
def test_every_flag_of_the_catalogue_is_known_to_the_binary(version: str) -> None:
    of_version = catalogue().for_version(numbers(version))

    assert missing_flags(of_version, printed_defaults(version)) == ()


@every_version
def test_every_db_bench_default_is_the_one_that_the_binary_prints(version: str) -> None:
    of_version = catalogue().for_version(numbers(version))

    assert changed_defaults(of_version, numbers(version), printed_defaults(version)) == ()


@every_version
def test_every_key_stands_in_the_options_file_that_the_version_writes(version: str) -> None:
    written_only_when_set = {"compression_per_level"}
    of_version = catalogue().for_version(numbers(version)).options.values()
    absent = [
        option.key
        for option in of_version
        if option.key is not None and option.key not in written_keys(version, option.section)
    ]

    assert set(absent) == written_only_when_set


@every_version
def test_every_choice_is_spelled_as_the_options_file_spells_the_default(version: str) -> None:
    text = (FIXTURES / f"db_bench-{version}" / "OPTIONS-000007.ini").read_text()
    for option in catalogue().for_version(numbers(version)).options.values():
        if option.kind is not Kind.CHOICE or option.key is None:
            continue
        written = re.search(rf"^  {option.key}=(.*)$", text, re.MULTILINE)

        assert written is not None
        assert written[1] in option.key_values.values(), option.name
        assert set(option.key_values) == set(option.choices), option.name


@every_option
def test_every_option_is_described_in_sentences(option: Option) -> None:
    for sentence in (option.summary, option.price, *filter(None, [option.constraint])):
        assert sentence.endswith(".")
        assert not sentence.endswith("..")
        assert sentence == " ".join(sentence.split())
        assert len(sentence.split()) >= 3


@every_option
def test_every_default_lies_in_the_range_or_is_special(option: Option) -> None:
    if option.low is None or option.high is None:
        assert not option.special
        return
    for value in (*option.db_bench_default.values(), *option.library_default.values()):
        assert not isinstance(value, str)
        assert option.low <= value <= option.high or value in option.special


@every_option
def test_no_special_value_hides_inside_the_range(option: Option) -> None:
    for value in option.special:
        assert option.low is not None
        assert option.high is not None
        assert not isinstance(value, str)
        assert not option.low <= value <= option.high


@every_option
def test_only_sizes_are_scaled_and_ranges_stay_above_the_floor_at_full_size(option: Option) -> None:
    if option.scaled:
        assert option.unit == "B"
        assert option.kind is Kind.INT
    if option.floor is not None:
        assert option.low is None or option.low >= option.floor


def test_wide_ranges_are_logarithmic_and_narrow_ones_are_not_reversed() -> None:
    for option in rocksdb_options():
        if option.low is None or option.high is None:
            continue
        assert option.low < option.high, option.name
        if option.low > 0 and option.high / option.low > 16:
            assert option.log, option.name


def test_only_what_a_search_must_leave_alone_has_no_range() -> None:
    assert [option.name for option in rocksdb_options() if not option.searchable] == [
        "format_version",
        "row_cache_size",
    ]


def test_the_sizes_that_make_the_tree_shrink_and_those_alone_are_scaled() -> None:
    assert {option.name for option in rocksdb_options() if option.scaled} == {
        *("write_buffer_size", "arena_block_size", "db_write_buffer_size", "max_total_wal_size"),
        *("target_file_size_base", "max_bytes_for_level_base", "max_compaction_bytes"),
        *("soft_pending_compaction_bytes_limit", "hard_pending_compaction_bytes_limit"),
        *(
            "cache_size",
            "row_cache_size",
            "blob_file_size",
            "compaction_readahead_size",
            "bytes_per_sync",
            "wal_bytes_per_sync",
        ),
    }


def test_defaults_differ_between_db_bench_and_rocksdb_and_between_versions() -> None:
    option = catalogue().option
    dynamic = option("level_compaction_dynamic_level_bytes")

    assert default_of(dynamic, "tool", (11, 8, 1)) is False
    assert default_of(dynamic, "library", (8, 3)) is False
    assert default_of(dynamic, "library", (8, 4, 0)) is True
    assert default_of(option("cache_size"), "tool", (7, 8, 3)) == 8 * 2**20
    assert default_of(option("cache_size"), "tool", (11, 8, 1)) == 32 * 2**20
    kinds = [default_of(option("cache_type"), "library", version) for version in ((7, 8, 3), (10, 6), (10, 7))]
    assert kinds == ["lru_cache", "lru_cache", "hyper_clock_cache"]
    assert default_of(option("enable_pipelined_write"), "library", (7, 8, 3)) is False
    assert default_of(option("hard_pending_compaction_bytes_limit"), "library", (7, 8, 3)) == 256 * 2**30
    assert default_of(option("delayed_write_rate"), "library", (7, 8, 3)) == 16 * 2**20


def test_a_version_before_the_oldest_known_one_is_taken_for_that() -> None:
    assert default_of(catalogue().option("write_buffer_size"), "tool", (6, 13)) == 64 * 2**20
    old, first = catalogue().for_version((6, 13)), catalogue().for_version((7, 8))
    assert old.options.keys() == first.options.keys()
    assert (old.constraints, old.presets) == (first.constraints, first.presets)


def test_an_option_that_came_later_has_no_default_before_and_is_dropped() -> None:
    late = catalogue().option("universal_max_read_amp")
    old = catalogue().for_version((7, 8, 3))

    assert default_of(late, "tool", (7, 8, 3)) is None
    assert late.name not in old.options
    assert late.key not in old.aliases
    assert late.name not in old.preset("all").options
    assert not any(late.name in item.expression for item in old.constraints)
    newest = catalogue().for_version((11, 8, 1))
    assert (newest.options, newest.aliases, newest.presets) == (
        catalogue().options,
        catalogue().aliases,
        catalogue().presets,
    )


def test_a_relation_that_later_versions_do_not_demand_is_not_among_theirs() -> None:
    before, after = (catalogue().for_version(version).constraints for version in ((10, 3, 2), (10, 4)))
    dropped = [each.expression for each in before if each not in after]
    assert dropped == ["not (memtablerep == 'vector' and allow_concurrent_memtable_write)"]
    assert set(after) < set(before) == set(catalogue().constraints)


def test_an_option_that_what_runs_here_lacks_is_told_from_one_that_does_not_exist() -> None:
    poorer = catalogue().for_version((7, 8, 3)).without(["open_files"])
    for name in ("universal_max_read_amp", "open_files", "max_open_files"):
        with pytest.raises(OptionError, match=f'^"{name}" is an option of rocksdb that what runs here lacks; take it'):
            poorer.option(name)
    with pytest.raises(OptionError, match="is not an option of rocksdb"):
        poorer.option("max_open_filez")


def test_an_option_is_dropped_from_the_version_that_removed_it() -> None:
    gone = read_catalogue(GOOD.replace('key = "the_size"', 'key = "the_size"\nuntil = "9.0"'))

    assert "size" in gone.for_version((8, 11, 3)).options
    assert "size" not in gone.for_version((9, 0, 0)).options


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("compression", "compression_type"),
        ("max_subcompactions", "subcompactions"),
        ("max_open_files", "open_files"),
        ("compression_opts.level", "compression_level"),
        ("allow_mmap_reads", "mmap_read"),
        ("write_buffer_size", "write_buffer_size"),
    ],
)
def test_an_option_is_found_by_its_key_as_well(key: str, name: str) -> None:
    assert catalogue().option(key).name == name


def test_every_alias_leads_to_the_option_that_has_the_key() -> None:
    for key, name in catalogue().aliases.items():
        assert catalogue().options[name].key == key


def test_a_misspelled_option_is_answered_with_the_closest_name() -> None:
    expected = '"write_bufer_size" is not an option of rocksdb; did you mean write_buffer_size?'
    with pytest.raises(OptionError, match=re.escape(expected)):
        catalogue().option("write_bufer_size")


def test_a_name_like_no_other_gets_no_wrong_advice() -> None:
    with pytest.raises(OptionError, match=r'^"zzzz" is not an option of rocksdb; look for it in the catalogue$'):
        catalogue().option("zzzz")


def test_what_two_engines_have_in_common_has_one_unit() -> None:
    units: dict[str, str] = {}
    for engine in engines():
        for name, each in catalogue(engine).options.items():
            assert units.setdefault(name, each.unit) == each.unit, name


def test_leveldb_has_its_options_with_their_presets() -> None:
    known = catalogue("leveldb")
    assert set(known.preset("balanced").options) <= set(known.options)
    assert default_of(known.option("write_buffer_size"), "library", (1, 23)) == 4 * 2**20
    assert not any(each.scaled for each in known.options.values())


def test_an_unknown_engine_has_no_catalogue() -> None:
    with pytest.raises(OptionError, match='no catalogue of options for "oracle"; choose one of leveldb, rocksdb'):
        catalogue_of("oracle")


def test_an_unknown_preset_is_answered_with_all_of_them() -> None:
    with pytest.raises(OptionError, match="choose one of write-heavy, read-heavy, balanced, all, jin2022"):
        catalogue().preset("fast")


def test_presets_name_searchable_options_once_that_a_flag_can_set() -> None:
    for preset in catalogue().presets.values():
        assert len(set(preset.options)) == len(preset.options)
        for name in preset.options:
            assert catalogue().options[name].searchable, name
            assert catalogue().options[name].flag is not None, name
        assert preset.summary.endswith(".")


def test_the_preset_of_jin_2022_is_the_papers_thirty_less_the_two_that_describe_the_workload() -> None:
    preset = catalogue().preset("jin2022")

    assert len(preset.options) == 28
    assert preset.workload_axes == ("compression_ratio", "threads")
    assert {"min_level_to_compress", "mmap_write", "bloom_locality", "max_background_flushes"} <= set(preset.options)


def test_no_workload_parameter_is_an_option() -> None:
    assert {"threads", "compression_ratio", "num", "value_size", "disable_wal"}.isdisjoint(catalogue().options)


def test_the_preset_all_holds_every_searchable_option_with_a_flag() -> None:
    left_out = set(catalogue().options) - set(catalogue().preset("all").options)

    assert left_out == {"bottommost_compression", "format_version", "row_cache_size"}


def test_every_relation_parses_and_names_known_options() -> None:
    for relation in catalogue().constraints:
        names = Expression.parse(relation.expression).names
        assert names
        assert names <= set(catalogue().options), relation.expression
        assert relation.why.endswith(".")


@every_version
@pytest.mark.parametrize("which", ["tool", "library"])
def test_the_defaults_keep_every_relation(version: str, which: Literal["tool", "library"]) -> None:
    of_version = catalogue().for_version(numbers(version))
    values = {name: default_of(option, which, numbers(version)) for name, option in of_version.options.items()}
    known = {name: value for name, value in values.items() if value is not None}

    assert len(known) == len(values)
    for relation in of_version.constraints:
        assert Expression.parse(relation.expression).evaluate(known) is True, relation.expression


def test_what_lives_in_the_content_of_files_needs_a_new_load() -> None:
    for name in ("block_size", "compression_type", "bloom_bits", "min_level_to_compress", "enable_blob_files"):
        assert catalogue().option(name).format is Format.FILES
    assert catalogue().option("write_buffer_size").format is Format.TREE
    assert catalogue().option("cache_size").format is Format.NONE


def test_what_setoptions_cannot_change_needs_a_restart() -> None:
    fixed = ("num_levels", "compaction_style", "compaction_pri", "level_compaction_dynamic_level_bytes")
    for name in (*fixed, "min_write_buffer_number_to_merge", "memtablerep"):
        assert catalogue().option(name).mutability is Mutability.RESTART
    assert catalogue().option("write_buffer_size").mutability is Mutability.ONLINE


def test_what_setoptions_changes_only_since_a_later_version_needs_a_restart_before() -> None:
    late = {name for name, option in catalogue().options.items() if option.online_since is not None}
    assert late == {name for name, option in catalogue().options.items() if option.section == "Table"}
    for name in late:
        option = catalogue().option(name)
        at = [mutability_of(option, version) for version in ((6, 6, 4), (7, 8, 3), (9, 7, 4), (9, 8), (11, 8, 1))]
        assert at == [Mutability.RESTART] * 3 + [Mutability.ONLINE] * 2, name
        assert catalogue().for_version((9, 7, 4)).option(name).mutability is Mutability.RESTART
        assert catalogue().for_version((11, 8, 1)).option(name) == option


def test_a_flag_that_the_binary_lacks_is_named() -> None:
    flags = printed_defaults("7.8.3")
    del flags["subcompactions"]

    missing = missing_flags(catalogue().for_version((7, 8, 3)), flags)

    assert [option.name for option in missing] == ["subcompactions"]


@pytest.mark.parametrize(
    ("flag", "printed", "expected"),
    [
        ("write_buffer_size", "1048576", (64 * 2**20, 2**20)),
        ("compression_type", '"zstd"', ("snappy", "zstd")),
        ("compression_type", "xpress", ("snappy", "xpress")),
        ("compaction_style", "1", ("level", "universal")),
        ("enable_pipelined_write", "false", (True, False)),
        ("max_bytes_for_level_multiplier", "8", (10.0, 8.0)),
        ("num_levels", "many", (7, "many")),
    ],
)
def test_a_default_that_another_build_changed_is_told(flag: str, printed: str, expected: tuple[object, ...]) -> None:
    changed = changed_defaults(catalogue(), (7, 8, 3), {**printed_defaults("7.8.3"), flag: printed})

    assert [(item.option.name, item.catalogue, item.binary) for item in changed] == [(flag, *expected)]


def test_the_catalogue_is_read_once_and_travels_between_processes() -> None:
    assert catalogue() is catalogue()
    assert pickle.loads(pickle.dumps(catalogue())) == catalogue()


def test_an_entry_is_read_with_its_shorthands() -> None:
    small = read_catalogue(GOOD)
    style, size = small.option("style"), small.option("the_size")

    assert (style.flag, style.key, style.library_default) == ("style", "style", {"7.8": "level"})
    assert (size.flag, size.key, size.low, size.high) == (None, "the_size", 8 * 2**20, 512 * 2**20)
    assert size.db_bench_default == size.library_default == {"7.8": 64 * 2**20, "9.0": 1024}
    assert size.special == {0: "off"}
    assert size.condition == {"style": ("level",)}


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("version = 1", "version = 2", "has format 2, this lsmtune reads 1"),
        ('price = "B."\n\n', 'prize = "B."\n\n', '"prize" is not a field of option "style"; did you mean price'),
        ('\nprice = "B."\n\n', "\n\n", 'option "style" has no field "price"'),
        ('style = ["level"]', 'stile = ["level"]', 'depends on the unknown "stile"; did you mean style'),
        ('style = ["level"]', 'style = ["fifo"]', "depends on style = 'fifo', which style cannot take"),
        ('key = "the_size"', 'key = "style"', 'the key "style", which means another option as well'),
        ('key = "the_size"', 'key = ""', "neither a flag nor a key"),
        ('["8MiB", "512MiB"]', '["8MiB", "1MiB"]', "is above high"),
        ('["8MiB", "512MiB"]', "[0, 4096]\nlog = true", "cannot lie on a logarithmic axis"),
        ('default = "level"', 'default = "fifo"', "cannot take its default or special value 'fifo'"),
        ('choices = ["level", "universal"]', "choices = []", "choices belong to the kind choice"),
        ('section = "CF"\nkind = "choice"', 'section = "cf"\nkind = "choice"', "its section 'cf' is none of"),
        ('"9.0" = 1024', '"new" = 1024', "'new' is not a version"),
        ('kind = "choice"', 'kind = "choice"\nkey_values = { fifo = "2" }', "'fifo' is described but is not among"),
        ('format = "files"', 'format = "files"\nrange = [1, 2]', "a choice has no range"),
        ('format = "files"', 'format = "files"\nscaled = true', "need a number"),
        ('mutability = "restart"', 'mutability = "restart"\nonline_since = "9.8"', "is changed online since 9.8"),
        ('mutability = "online"', 'mutability = "online"\nonline_since = "new"', "'new' is not a version"),
        ("[options.style]", "[options.'the style']", "its name is not an identifier"),
    ],
)
def test_a_contradiction_in_the_data_is_named(good: str, bad: str, message: str) -> None:
    assert good in GOOD
    with pytest.raises(OptionError, match=re.escape(message)):
        read_catalogue(GOOD.replace(good, bad, 1))


def test_a_preset_with_an_unknown_option_is_refused() -> None:
    with pytest.raises(OptionError, match='preset "few" names the unknown option "sizes"; did you mean size'):
        read_catalogue(GOOD, '[presets.few]\nsummary = "Few."\noptions = ["sizes"]')


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("write_buffer_size", 1, True),
        ("write_buffer_size", True, False),
        ("write_buffer_size", 1.5, False),
        ("max_bytes_for_level_multiplier", 8, True),
        ("max_bytes_for_level_multiplier", "8", False),
        ("compression_type", "zstd", True),
        ("compression_type", "lzma", False),
        ("mmap_read", 1, False),
        ("mmap_read", True, True),
    ],
)
def test_an_option_takes_values_of_its_kind_alone(name: str, value: bool | float | str, taken: bool) -> None:
    assert catalogue().option(name).takes(value) is taken


def test_the_first_level_to_compress_has_an_effect_with_every_compressor() -> None:
    compressors = set(catalogue().option("compression_type").choices) - {"none"}
    assert set(catalogue().option("min_level_to_compress").condition["compression_type"]) == compressors


def test_a_range_with_one_end_is_refused() -> None:
    with pytest.raises(OptionError, match="low and high must be given together"):
        Option("x", "x", "x", "DB", Kind.INT, "", {"7.8": 1}, {"7.8": 1}, low=1)


def test_an_empty_catalogue_has_no_presets() -> None:
    with pytest.raises(OptionError, match='"all" is not a preset of rocksdb'):
        Catalogue("rocksdb", {}, {}).preset("all")
