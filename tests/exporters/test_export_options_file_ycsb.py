"""The OPTIONS file of a study that was measured with lsmtune's driver, as the real engine takes it there."""

import json
import subprocess
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from export_builders import build as db_bench
from export_builders import options_of, result

from lsmtune.backends.rocksdb import OptionsFile, effective_values, open_with, read_values
from lsmtune.errors import ExportError, UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.exporters import ExportContext, default_format, export, find_target
from lsmtune.exporters.targets import plan
from lsmtune.model import Value
from lsmtune.study import Prepared, prepare

EXPERIMENT = """
name = "export"
scale = "1/8"
[workload]
tool = "ycsb"
benchmarks = ["load", "a"]
num = "1M"
[space]
options = ["write_buffer_size", "bloom_bits", "cache_size", "bottommost_compression"]
[engine]
"""
TUNED: dict[str, Value] = {
    "write_buffer_size": 128 << 20,
    "target_file_size_base": 32 << 20,
    "max_bytes_for_level_multiplier": 8.0,
    "compression_type": "zstd",
    "bottommost_compression": "zlib",
    "bloom_bits": 10,
    "subcompactions": 3,
    "max_background_jobs": 5,
    "block_size": 16384,
}
"""Options of every section of the file."""
USERS = """# settings of the shop
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  max_background_jobs=3
  wal_dir=/srv/shop/wal
[CFOptions "default"]
  write_buffer_size=33554432
  max_successive_merges=7
[TableOptions/BlockBasedTable "default"]
  block_size=8192
"""


@pytest.fixture
def study() -> Prepared:
    return prepared()


@cache
def prepared() -> Prepared:
    """The experiment, prepared once: finding out what the driver is takes a run of it."""
    return prepare(parse_experiment(EXPERIMENT, Path("export.toml")))


def users_study(folder: Path, text: str) -> Prepared:
    (folder / "OPTIONS-000007").write_text(text)
    own = 'options_file = "OPTIONS-000007"\noptions.cache_size = "512MiB"\n'
    return prepare(parse_experiment(EXPERIMENT + own, folder / "export.toml"))


def values_in(text: str, study: Prepared) -> dict[str, Value]:
    return read_values(OptionsFile.parse(text, "exported"), options_of(study), study.build.version)


def header(text: str) -> str:
    return " ".join(line.removeprefix("#").strip() for line in text.partition("[Version]")[0].splitlines())


def test_the_driver_opens_the_file_and_uses_exactly_what_was_exported(study: Prepared, tmp_path: Path) -> None:
    file = tmp_path / "exported"
    file.write_text(export("options-file", result(study, TUNED), study.build))
    database = tmp_path / "db"
    words = ["--engine", "rocksdb", "--db", str(database), "--phases", "load", "-p", "recordcount=1"]
    command = [str(study.build.path), *words, "--options-file", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    (written,) = (path.read_text() for path in database.glob("OPTIONS-*"))
    used = effective_values(written, options_of(study), study.build.version, Fraction(1))
    assert used.items() >= TUNED.items()


def test_db_bench_makes_the_same_of_the_file_as_the_driver(study: Prepared) -> None:
    text = export("options-file", result(study, TUNED), study.build)
    of_driver, of_db_bench = (open_with(build, text, ()) for build in (study.build, db_bench()))
    assert values_in(of_driver, study) == values_in(of_db_bench, study)
    assert values_in(of_driver, study).items() >= TUNED.items()


def test_the_file_is_complete_and_has_no_listeners_and_no_folders(study: Prepared) -> None:
    text = export("options-file", result(study, {"target_file_size_base": 32 << 20}), study.build)
    file = OptionsFile.parse(text, "exported")
    assert values_in(text, study)["max_compaction_bytes"] == 25 * (32 << 20)  # RocksDB derives it
    assert file.get("DB", "max_manifest_file_size") == str(1 << 30)  # no option that lsmtune knows
    assert [file.get("DB", key) for key in ("listeners", "wal_dir", "db_log_dir")] == [None, None, None]
    assert values_in(text, study)["enable_pipelined_write"] is False  # as a library, not as in db_bench


def test_the_header_names_the_driver_and_what_is_set_in_code(study: Prepared) -> None:
    text = header(export("options-file", result(study, {"cache_size": 64 << 20}), study.build))
    program = f"lsmtune-ycsb on rocksdb {study.build.version}"
    assert f"Measured with {program} at {study.build.path}" in text
    assert f"Everything else is what {program} writes, RocksDB's defaults." in text
    assert "cache_size = 64 MiB, BlockBasedTableOptions::block_cache" in text


def test_no_block_cache_is_written_into_the_file(study: Prepared) -> None:
    text = export("options-file", result(study, {"cache_size": 0}), study.build)
    assert OptionsFile.parse(text, "exported").get("Table", "no_block_cache") == "true"


def test_what_the_engine_changes_at_full_size_is_named(study: Prepared) -> None:
    text = header(export("options-file", result(study, {"level0_stop_writes_trigger": 8}), study.build))
    assert "level0_stop_writes_trigger: the engine makes 20 of 8" in text


def test_a_users_file_keeps_all_but_what_was_tuned(tmp_path: Path) -> None:
    study = users_study(tmp_path, USERS)
    text = export("options-file", result(study, {"write_buffer_size": 64 << 20}), study.build)
    assert text.partition("----\n\n")[2] == USERS.replace("=33554432", "=67108864")
    assert not Path("/srv/shop").exists()


def test_a_file_or_values_that_the_engine_refuses_are_an_error_with_its_reason(study: Prepared, tmp_path: Path) -> None:
    users = users_study(tmp_path, USERS.replace("max_successive_merges", "no_such_key"))
    with pytest.raises(ExportError, match=r"refuses these options: the OPTIONS file .*no_such_key.*lsmtune-ycsb on"):
        export("options-file", result(users, {"bloom_bits": 10}), users.build)
    with pytest.raises(ExportError, match=r"cannot be exported: RocksDB .* refuses these options"):
        export("options-file", result(study, {"mmap_read": True, "use_direct_reads": True}), study.build)


def test_the_document_for_programs_has_the_effective_values(study: Prepared) -> None:
    told = json.loads(export("json", result(study, {**TUNED, "max_compaction_bytes": 0}), study.build))
    assert told["values"].items() >= {**TUNED, "max_compaction_bytes": 25 * (32 << 20)}.items()


def test_it_is_what_a_study_of_rocksdb_exports_by_default(study: Prepared) -> None:
    assert default_format(study.build) == "options-file"
    with pytest.raises(
        UsageError, match='"flags" is not for rocksdb as measured with ycsb; choose one of options-file'
    ):
        export("flags", result(study), study.build)


def test_a_rate_of_delayed_writes_that_nothing_states_is_the_limiters_in_a_target_as_well(tmp_path: Path) -> None:
    limited: dict[str, Value] = {"rate_limiter_bytes_per_sec": 100 << 20}
    stating = users_study(tmp_path, USERS.replace("max_background_jobs=3", "delayed_write_rate=16777216"))
    streams = find_target("kafka-streams")

    def written(study: Prepared, values: dict[str, Value]) -> list[str]:
        made = plan(streams, ExportContext(result(study, values), study.build))
        return [each.line for each in made.settings if "delayed_write_rate" in each.key.options]

    line = "options.setDelayedWriteRate(16777216L);"
    assert written(prepared(), limited) == []
    assert written(prepared(), {**limited, "delayed_write_rate": 16 << 20}) == [line]
    assert written(stating, limited) == [line]


def test_the_drivers_kind_of_cache_is_written_where_a_target_makes_another(study: Prepared) -> None:
    newest = replace(study.build, version="11.8.1")
    told = ExportContext(result(study, {"cache_size": 32 << 20}), newest)
    (line,) = (each.line for each in plan(find_target("rust"), told).settings if "cache_type" in each.key.options)
    assert line == "table.set_block_cache(&Cache::new_lru_cache(33554432));"
    said = header(export("options-file", result(study, {"cache_size": 32 << 20}), study.build))
    assert "cache_type = lru_cache, BlockBasedTableOptions::block_cache" in said


def test_the_header_names_what_the_users_file_cannot_hold_and_was_stated(tmp_path: Path) -> None:
    study = users_study(tmp_path, USERS)
    said = header(export("options-file", result(study, {"write_buffer_size": 64 << 20}), study.build))
    assert "set in code: cache_size = 512 MiB, BlockBasedTableOptions::block_cache" in said
    assert (
        "Measured beside your OPTIONS file, as the experiment states it, to be set in code: cache_size 512 MiB " in said
    )
    assert "(64 MiB at scale), as stated; cache_type lru_cache, row_cache_size 0 B, " in said
    assert "the engine's default, as nothing was stated." in said
