"""What is written for a target is read by a parser of its syntax, and has keys of its table with the right values."""

import ast
import configparser
import re
import tomllib
from collections.abc import Mapping

import pytest
import yaml  # type: ignore[import-untyped]  # PyYAML comes with Optuna, its stubs do not
from target_builders import TUNED, code_of, planned

from lsmtune.exporters import find_target, target_names
from lsmtune.exporters.targets import Target

MIB = 1 << 20


def lines_of(target: Target) -> list[str]:
    """The lines that are no comments."""
    lines = (line.strip() for line in code_of(target, TUNED).splitlines())
    return [line for line in lines if line and not line.startswith(target.comment)]


def names_of(target: Target) -> set[str]:
    return {key.name for key in target.keys}


def pairs(text: str, separator: str) -> Mapping[str, str]:
    """Split ``a=b;c={d=e;f=g}`` at the outer level."""
    found, depth, start = {}, 0, 0
    for place, letter in enumerate(text + separator):
        depth += (letter == "{") - (letter == "}")
        if depth == 0 and letter == separator:
            name, _, value = text[start:place].partition("=")
            found[name] = value
            start = place + 1
    assert depth == 0
    return found


def test_kvrocks_lines_are_a_key_of_its_table_and_a_value() -> None:
    target = find_target("kvrocks")
    told = dict(line.split(" ", 1) for line in lines_of(target))
    assert told.keys() <= names_of(target) | {"rocksdb.rate_limiter_auto_tuned"}
    assert told["rocksdb.write_buffer_size"] == "96"
    assert told["rocksdb.block_cache_size"] == "640"
    assert told["rocksdb.block_size"] == "8192"
    assert told["rocksdb.max_bytes_for_level_multiplier"] == "8"
    assert told["rocksdb.compression"] == "zstd"
    assert (told["max-io-mb"], told["rocksdb.rate_limiter_auto_tuned"]) == ("100", "no")
    assert told["rocksdb.cache_index_and_filter_blocks"] == "no"


def test_tikvs_tables_are_toml_with_keys_of_its_table() -> None:
    target = find_target("tikv")
    told = tomllib.loads(code_of(target, TUNED))
    assert told["storage"]["block-cache"] == {"capacity": "640MiB"}
    family = told["rocksdb"].pop("defaultcf")
    assert family.keys() | told["rocksdb"].keys() <= names_of(target)
    assert family["write-buffer-size"] == "96MiB"
    assert family["compression-per-level"] == ["no", "no", *["zstd"] * 5]
    assert family["bottommost-level-compression"] == "zlib"
    assert family["compaction-pri"] == "oldest-smallest-seq-first"
    assert family["bloom-filter-bits-per-key"] == 12
    assert told["rocksdb"]["rate-bytes-per-sec"] == "100MiB"
    assert told["rocksdb"]["max-open-files"] == 500


@pytest.mark.parametrize(("levels", "words"), [(5, ["no", "no", *["zstd"] * 5]), (7, ["no", "no", *["zstd"] * 5])])
def test_tikvs_list_of_compressors_has_seven_however_many_levels_there_are(levels: int, words: list[str]) -> None:
    told = tomllib.loads(code_of(find_target("tikv"), {**TUNED, "num_levels": levels}))
    assert told["rocksdb"]["defaultcf"]["compression-per-level"] == words


def test_tikvs_list_cannot_hold_an_eighth_level() -> None:
    made = planned(find_target("tikv"), {**TUNED, "num_levels": 8})
    left = {each.text.partition(":")[0]: each.text for each in made.left}
    assert left["compression_type"].endswith("its list has 7 levels, and num_levels is 8")
    assert "compression-per-level" not in code_of(find_target("tikv"), {**TUNED, "num_levels": 8})


def test_arangodbs_section_has_keys_of_its_table() -> None:
    target = find_target("arangodb")
    parser = configparser.ConfigParser(strict=True)
    parser.read_string(code_of(target, TUNED))
    told = dict(parser["rocksdb"])
    assert told.keys() <= names_of(target)
    assert told["write-buffer-size"] == str(96 * MIB)
    assert told["table-block-size"] == "8192"
    assert told["pending-compactions-slowdown-trigger"] == str(64 << 30)


def test_flinks_lines_are_yaml_with_keys_of_its_table() -> None:
    target = find_target("flink")
    told = yaml.safe_load(code_of(target, TUNED))
    beside = {"state.backend.rocksdb.memory.managed", "state.backend.rocksdb.bloom-filter.bits-per-key"}
    assert told.keys() <= names_of(target) | beside
    assert told["state.backend.rocksdb.writebuffer.size"] == "96mb"
    assert (
        told["state.backend.rocksdb.compression.per.level"].split(";")
        == ["NO_COMPRESSION"] * 2 + ["ZSTD_COMPRESSION"] * 5
    )
    assert told["state.backend.rocksdb.use-bloom-filter"] is True
    assert told["state.backend.rocksdb.bloom-filter.bits-per-key"] == 12.0
    assert told["state.backend.rocksdb.memory.managed"] is False


def test_myrocks_variables_and_the_string_have_keys_of_its_table() -> None:
    target = find_target("myrocks")
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.read_string(code_of(target, TUNED))
    told = {name.removeprefix("rocksdb_"): value for name, value in parser["mariadb"].items()}
    family = pairs(told.pop("default_cf_options").strip('"'), ";")
    table = pairs(family["block_based_table_factory"][1:-1], ";")
    assert told.keys() | table.keys() | family.keys() - {"block_based_table_factory"} <= names_of(target)
    assert told["block_cache_size"] == str(640 * MIB)
    assert told["rate_limiter_bytes_per_sec"] == str(100 * MIB)
    assert family["write_buffer_size"] == str(96 * MIB)
    assert family["compression"] == "kZSTD"
    assert family["compression_per_level"] == ":".join(["kNoCompression"] * 2 + ["kZSTD"] * 5)
    assert table["filter_policy"] == "bloomfilter:12:false"


def test_cephs_annex_has_keys_of_its_table() -> None:
    target = find_target("ceph")
    parser = configparser.ConfigParser(strict=True)
    parser.read_string("[osd]\n" + code_of(target, TUNED))
    told = dict(parser["osd"])
    annex = pairs(told.pop("bluestore_rocksdb_options_annex"), ",")
    assert annex.keys() | told.keys() <= names_of(target)
    assert annex["write_buffer_size"] == str(96 * MIB)
    assert annex["compaction_pri"] == "kOldestSmallestSeqFirst"
    assert told["rocksdb_bloom_bits_per_key"] == "12"
    assert told["rocksdb_block_size"] == "8192"


@pytest.mark.parametrize("name", ["rocksjava", "kafka-streams", "rust", "go", "set-options"])
def test_code_is_balanced_and_names_only_what_its_table_has(name: str) -> None:
    target = find_target(name)
    text = "\n".join(lines_of(target))
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    for opening, closing in ("()", "[]", "{}"):
        assert outside.count(opening) == outside.count(closing)
    frame = {*re.findall(r"\w+", target.before + target.after)}
    frame |= {word for block in target.objects.values() for word in re.findall(r"\w+", block.open + block.close)}
    called = set(re.findall(r"(?:\.|\b)(set_?\w+)\(", outside))
    assert called - frame <= names_of(target) | {"set_index_type", "setIndexType"}
    quoted = set(re.findall(r'(?:\{|setProperty\(|^)"(\w+)["=]', text, re.MULTILINE))
    assert quoted - frame <= names_of(target)


def test_every_line_of_code_that_sets_a_value_has_the_value_that_was_meant() -> None:
    meant = {
        "rocksjava": ('family.setProperty("write_buffer_size", "100663296");', "table.setBlockSize(8192L);"),
        "kafka-streams": ("options.setWriteBufferSize(100663296L);", "return new LRUCache(671088640L);"),
        "rust": ("options.set_write_buffer_size(100663296);", "table.set_bloom_filter(12.0, false);"),
        "go": (
            '"write_buffer_size=100663296",',
            "options.SetRateLimiter(grocksdb.NewRateLimiter(104857600, 100*1000, 10))",
        ),
        "set-options": ('{"write_buffer_size", "100663296"},', '{"max_open_files", "500"},'),
        "rocksdict": ("options.set_write_buffer_size(100663296)", "table.set_block_cache(Cache(671088640))"),
    }
    for name, lines in meant.items():
        assert set(lines) <= set(lines_of(find_target(name))), name


def test_python_imports_what_it_uses_and_nothing_else() -> None:
    tree = ast.parse(code_of(find_target("rocksdict"), TUNED))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported == used & imported
    assert {"Options", "BlockBasedOptions", "Cache", "DBCompressionType"} <= imported


@pytest.mark.parametrize("name", target_names())
def test_no_field_of_a_template_is_left_unfilled(name: str) -> None:
    assert (
        re.findall(
            r"\{(?:key|value|levels|on|imports|[a-z_]+_(?:size|type|level|bytes|bits))\}",
            code_of(find_target(name), TUNED),
        )
        == []
    )
