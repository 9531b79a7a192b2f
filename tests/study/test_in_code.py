"""What an OPTIONS file cannot hold has to be said of a user's own configuration, and is kept with the study."""

from pathlib import Path

import pytest

from lsmtune.backends.registry import catalogue_of, options_of
from lsmtune.errors import ExperimentError, OptionError, UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.model import EngineBuild, Value
from lsmtune.result import InCode, Said, StudyFacts, in_code_words
from lsmtune.study import Prepared, prepare
from lsmtune.study._in_code import own_settings
from lsmtune.testing.fake_builds import install_build

FILL = 'benchmarks = "fillrandom"\n'
READ = 'load = "fillseq"\nbenchmarks = "readrandom"\n'
SCAN = 'load = "fillseq"\nbenchmarks = "seekrandom"\n'
MODIFY = 'load = "fillseq"\nbenchmarks = "updaterandom"\n'
MIXED = 'load = "fillseq"\nbenchmarks = "readwhilewriting"\n'
SPACE = '[space]\noptions = ["write_buffer_size"]\n'
SEARCHED = '[space]\noptions = ["cache_size"]\n'
CACHE = 'cache_size = "512MiB"\ncache_type = "lru_cache"\n'
HOW = 'or "default" for the engine\'s default'
UNSAID = "engine.options says nothing of "
CANNOT = ", which an OPTIONS file cannot hold; write there what your program sets, like "
CACHES = "cache_size and cache_type (the workload reads)"
LIMITER = (
    "rate_limiter_bytes_per_sec (the workload writes, and the file's bytes_per_sync is not 0, as beside a limiter)"
)
OLD_FILTER = "rocksdb.BuiltinBloomFilter"


def file_text(database: str = "", table: str = "") -> str:
    sections = (
        "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1",
        f"[DBOptions]\n  {database}",
        '[CFOptions "default"]\n  compression=kLZ4Compression',
        f'[TableOptions/BlockBasedTable "default"]\n  block_size=16384\n  {table}',
    )
    return "\n".join(sections) + "\n"


def prepared(
    folder: Path, workload: str, own: str = "", *, file: str | None = "", space: str = SPACE, engine: str = ""
) -> Prepared:
    """An experiment on the fake db_bench that starts from an OPTIONS file; with `file` None, from values alone."""
    program = install_build(folder / "bin", "7.8.3")
    (folder / "mine").write_text(file or file_text())
    named = "" if file is None else 'options_file = "mine"\n'
    table = f"[engine.options]\n{own}" if own else ""
    text = (
        f'scale = "1/64"\n[engine]\ndb_bench = "{program}"\n{named}{engine}{table}'
        f'[workload]\nnum = "64M"\n{workload}{space}'
    )
    return prepare(parse_experiment(text, folder / "e.toml"))


@pytest.mark.parametrize(
    ("workload", "file", "space", "missing"),
    [
        pytest.param(READ, "", SPACE, CACHES, id="point reads"),
        pytest.param(SCAN, "", SPACE, CACHES, id="scans"),
        pytest.param(MODIFY, "", SPACE, CACHES, id="read, modify, write"),
        pytest.param(FILL, "", SEARCHED, "cache_size (it is searched)", id="a cache that is searched"),
        pytest.param(FILL, file_text("bytes_per_sync=1048576"), SPACE, LIMITER, id="a limiter that left its trace"),
        pytest.param(
            FILL,
            file_text("bytes_per_sync=0", f"filter_policy={OLD_FILTER}"),
            SPACE,
            f"bloom_bits (no filter can be made of the file's {OLD_FILTER})",
            id="a filter that was lost",
        ),
        pytest.param(
            MIXED,
            file_text("bytes_per_sync=1048576"),
            SPACE,
            f"{CACHES} and of {LIMITER}",
            id="several at once",
        ),
    ],
)
def test_what_matters_and_is_not_said_is_refused_in_a_sentence_with_the_keys(
    tmp_path: Path, workload: str, file: str, space: str, missing: str
) -> None:
    with pytest.raises(UsageError) as refused:
        prepared(tmp_path, workload, file=file, space=space)
    sentence = str(refused.value)
    assert sentence.startswith(UNSAID + missing + CANNOT)
    assert sentence.endswith(HOW)


def test_each_missing_key_is_shown_as_it_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='like cache_size = "512MiB" and cache_type = "lru_cache", or "default"'):
        prepared(tmp_path, READ)


@pytest.mark.parametrize(
    ("workload", "file"),
    [
        pytest.param(FILL, file_text("bytes_per_sync=0"), id="a fill looks for nothing"),
        pytest.param(FILL, "", id="a key that the file lacks is at its default"),
        pytest.param(READ, file_text("bytes_per_sync=1048576", "no_block_cache=true"), id="the file has no cache"),
        pytest.param(FILL, file_text("", "filter_policy=bloomfilter:10:false"), id="a filter by its name"),
        pytest.param(FILL, file_text("", "filter_policy={id=ribbonfilter:9.9;}"), id="another filter by its name"),
        pytest.param(FILL, file_text("", "filter_policy=nullptr"), id="no filter"),
    ],
)
def test_what_cannot_matter_need_not_be_said(tmp_path: Path, workload: str, file: str) -> None:
    assert prepared(tmp_path, workload, file=file).rules.reference == "options_file"


def test_a_file_with_what_is_said_beside_it_is_one_baseline_and_the_reference(tmp_path: Path) -> None:
    study = prepared(tmp_path, READ, CACHE + 'write_buffer_size = "32MiB"\n')
    assert list(study.rules.baselines) == ["db_bench", "rocksdb", "options_file"]
    assert study.rules.reference == "options_file"
    assert study.rules.start.values == {
        "cache_size": 512 << 20,
        "cache_type": "lru_cache",
        "write_buffer_size": 32 << 20,
    }
    assert study.rules.start.options_file == file_text()
    assert study.space.reference["block_size"] == 16384


def test_a_fixed_cache_is_said_too(tmp_path: Path) -> None:
    fixed = f"{SPACE}[space.fixed]\n{CACHE}"
    assert prepared(tmp_path, READ, space=fixed).rules.start.values["cache_size"] == 512 << 20


def test_default_is_the_engines_default_in_numbers(tmp_path: Path) -> None:
    study = prepared(tmp_path, READ, 'cache_size = "default"\ncache_type = "default"\n')
    assert study.rules.start.values == {"cache_size": 8 << 20, "cache_type": "lru_cache"}
    assert in_code_words(study.in_code) == (
        "cache_size 8 MiB (128 KiB at scale) and cache_type lru_cache, the engine's default, as stated; "
        "row_cache_size 0 B, the engine's default, as nothing was stated"
    )


def test_what_was_said_and_what_was_not_is_kept_with_the_study(tmp_path: Path) -> None:
    study = prepared(tmp_path, MIXED, CACHE)
    kept = StudyFacts.from_json(study.facts().to_json()).in_code
    assert kept == study.in_code
    assert kept[0] == InCode("cache_size", 512 << 20, 8 << 20, "B", Said.VALUE)
    said = {each.option: each.said for each in kept}
    assert said == {
        "cache_size": Said.VALUE,
        "cache_type": Said.VALUE,
        "row_cache_size": Said.NOTHING,
        "rate_limiter_bytes_per_sec": Said.NOTHING,
        "db_write_buffer_size": Said.NOTHING,
    }


def test_a_limit_of_all_memtables_that_the_file_holds_is_not_in_code(tmp_path: Path) -> None:
    study = prepared(tmp_path, FILL, file=file_text("db_write_buffer_size=67108864"))
    assert [each.option for each in study.in_code] == ["rate_limiter_bytes_per_sec"]


def test_values_of_ones_own_have_to_say_the_cache_where_the_workload_reads(tmp_path: Path) -> None:
    own = "block_size = 16384\n"
    with pytest.raises(UsageError, match=r"nothing of cache_size \(the workload reads\), so that the tool's own would"):
        prepared(tmp_path, READ, own, file=None)
    assert prepared(tmp_path, FILL, own, file=None).in_code == ()
    assert prepared(tmp_path, READ, own, file=None, engine='reference = "db_bench"\n').in_code == ()
    study = prepared(tmp_path, READ, f'{own}cache_size = "64MiB"\n', file=None)
    assert (study.rules.reference, in_code_words(study.in_code)) == (
        "options",
        "cache_size 64 MiB (1 MiB at scale), as stated",
    )


def test_values_over_a_file_are_no_baseline_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(
        ExperimentError, match=r'"options", which are set over engine\.options_file; write "options_file"'
    ):
        prepared(tmp_path, READ, CACHE, engine='reference = "options"\n')


def test_a_value_that_the_build_cannot_set_is_refused_and_its_default_is_not(tmp_path: Path) -> None:
    program = install_build(tmp_path / "old", "7.8.3", flags={"row_cache_size": None})
    swapped = f'db_bench = "{program}"'
    text = (
        f'[engine]\n{swapped}\noptions_file = "mine"\n[engine.options]\n{CACHE}row_cache_size = SAID\n'
        f'[workload]\nnum = "64M"\n{READ}{SPACE}'
    )
    (tmp_path / "mine").write_text(file_text())
    with pytest.raises(
        UsageError, match=r"row_cache_size is 67108864, but db_bench 7\.8\.3 cannot set it and runs with 0"
    ):
        prepare(parse_experiment(text.replace("SAID", '"64MiB"'), tmp_path / "e.toml"))
    study = prepare(parse_experiment(text.replace("SAID", '"default"'), tmp_path / "e.toml"))
    assert "row_cache_size" not in study.rules.start.values
    assert study.in_code[2] == InCode("row_cache_size", 0, 0, "B", Said.DEFAULT)


@pytest.mark.parametrize("version", ["7.8.3", "11.8.1"])
def test_the_drivers_cache_is_lru_whatever_rocksdb_makes_by_itself(tmp_path: Path, version: str) -> None:
    build = EngineBuild("rocksdb", version, tmp_path / "driver", "0" * 16, False, ("none",), (), "ycsb")
    everything = catalogue_of("rocksdb").for_version(build.version_tuple)

    def settled(kind: str) -> dict[str, Value]:
        text = (
            f'[engine.options]\ncache_size = "64MiB"\ncache_type = "{kind}"\n'
            f'[workload]\ntool = "ycsb"\nbenchmarks = ["load", "a"]\nnum = 1000\n{SPACE}'
        )
        experiment = parse_experiment(text, tmp_path / "e.toml")
        return own_settings(experiment, build, everything, options_of(build))

    assert settled("lru_cache") == settled("default") == {"cache_size": 64 << 20}
    with pytest.raises(UsageError, match=r"cache_type is hyper_clock_cache, but .* runs with lru_cache"):
        settled("hyper_clock_cache")


def test_an_option_that_does_not_exist_has_no_default(tmp_path: Path) -> None:
    with pytest.raises((ExperimentError, OptionError), match="cache_sise"):
        prepared(tmp_path, READ, 'cache_sise = "default"\n')


@pytest.mark.parametrize(
    ("cache", "file", "holds"),
    [
        pytest.param(-1, "", True, id="RocksDB's own"),
        pytest.param(-1, file_text("", "no_block_cache=true"), False, id="the file has no cache"),
        pytest.param(-1, None, False, id="no file to leave it to"),
        pytest.param(0, "", False, id="none is asked for"),
    ],
)
def test_index_blocks_can_be_cached_where_the_cache_is_left_to_a_file_that_has_one(
    tmp_path: Path, cache: int, file: str | None, *, holds: bool
) -> None:
    searched = '[space]\noptions = ["cache_index_and_filter_blocks"]\n'
    space = prepared(tmp_path, FILL, f"cache_size = {cache}\n", file=file, space=searched).space
    assert (space.violations({"cache_index_and_filter_blocks": True}) == ()) is holds


LEVELS = "compression_per_level=kNoCompression:kLZ4Compression:kZSTD"
ZSTD = 'compression_type = "zstd"'
CODECS = 'compression_type = { values = ["lz4", "zstd"] }'
PRESET = '[space]\npreset = "write-heavy"\n'
COMPARED = f'{SPACE}[[compare]]\nname = "denser"\nset = {{ {ZSTD} }}\n'
VARIANTS = "".join(
    f'[[sweep.variants.style]]\nname = "{name}"\nset = {{ {values} }}\n'
    for name, values in (("denser", ZSTD), ("smaller", "block_size = 4096"))
)


@pytest.mark.parametrize(
    ("own", "space"),
    [
        pytest.param("", '[space]\noptions = ["compression_type"]\n', id="searched"),
        pytest.param("", f'{PRESET}options = ["compression_type"]\n', id="named beside a preset"),
        pytest.param("", f"{PRESET}[space.ranges]\n{CODECS}\n", id="of a preset with a range of its own"),
        pytest.param("", f"{SPACE}[space.fixed]\n{ZSTD}\n", id="fixed"),
        pytest.param(f"{ZSTD}\n", SPACE, id="the user's own"),
        pytest.param("", COMPARED, id="compared"),
        pytest.param("", COMPARED.replace("compare", "steps"), id="a step"),
        pytest.param("", '[sweep.options]\ncompression_type = ["lz4", "zstd"]\n', id="swept"),
        pytest.param("", VARIANTS, id="a variant"),
    ],
)
def test_a_compressor_beside_a_list_that_rocksdb_goes_by_is_refused(tmp_path: Path, own: str, space: str) -> None:
    listed = file_text().replace("compression=kLZ4Compression", f"compression=kLZ4Compression\n  {LEVELS}")
    with pytest.raises(UsageError) as error:
        prepared(tmp_path, FILL, own, file=listed, space=space)
    assert str(error.value) == (
        f"{tmp_path / 'mine'} has {LEVELS}, beside which RocksDB does not go by compression_type; take "
        "compression_type out of what is searched and set, or write min_level_to_compress under [engine.options], "
        "which takes the place of that list"
    )


def test_a_compressor_that_a_preset_brings_is_left_out_beside_such_a_list_and_the_user_is_told(tmp_path: Path) -> None:
    listed = file_text().replace("compression=kLZ4Compression", f"compression=kLZ4Compression\n  {LEVELS}")
    study = prepared(tmp_path, FILL, file=listed, space=PRESET).searching()
    whole = prepared(tmp_path, FILL, space=PRESET).searching()
    assert study.space.names == tuple(name for name in whole.space.names if name != "compression_type")
    told = f"compression_type of the preset is not searched: the OPTIONS file has {LEVELS}, which RocksDB goes by"
    assert told in study.introduction(tmp_path)


@pytest.mark.parametrize(
    ("levels", "own", "engine", "space"),
    [
        pytest.param(LEVELS, "", "", SPACE, id="no compressor is chosen"),
        pytest.param(LEVELS, "min_level_to_compress = 2\n", "", COMPARED, id="the first level is said"),
        pytest.param(LEVELS, "", 'reference = "db_bench"\n', COMPARED, id="the file is not what is changed"),
        pytest.param(LEVELS, "", "", COMPARED.replace(" }", ", min_level_to_compress = 2 }"), id="both are set"),
        pytest.param(LEVELS.replace("ZSTD", "LZ4Compression"), "", "", COMPARED, id="a list that is written anew"),
    ],
)
def test_a_compressor_that_a_list_does_not_overrule_is_not_refused(
    tmp_path: Path, levels: str, own: str, engine: str, space: str
) -> None:
    listed = file_text().replace("compression=kLZ4Compression", f"compression=kLZ4Compression\n  {levels}")
    assert prepared(tmp_path, FILL, own, file=listed, engine=engine, space=space).in_code is not None


@pytest.mark.parametrize(
    ("cache", "codes"),
    [("3MiB", ["tiny-cache"]), ("255MiB", ["shrunk-cache"]), ("256MiB", [])],  # blocks of 16 KiB at 1/64
)
def test_a_small_cache_of_the_reference_is_named_before_a_run(tmp_path: Path, cache: str, codes: list[str]) -> None:
    study = prepared(tmp_path, READ, f'cache_size = "{cache}"\ncache_type = "default"\n')
    assert [(each.rule.code, each.about) for each in study.findings()] == [(code, "reference") for code in codes]
