"""The OPTIONS file that a study exports, as the real engine takes it."""

import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from export_builders import ABLATION_GAINS, build, options_of, plain, prepared, result

from lsmtune.backends.rocksdb import OptionsFile, effective_values, open_with, read_values
from lsmtune.errors import ExportError, UsageError
from lsmtune.exporters import export
from lsmtune.model import Value
from lsmtune.study import Prepared

TUNED: dict[str, Value] = {
    "write_buffer_size": 128 << 20,
    "target_file_size_base": 32 << 20,
    "max_bytes_for_level_multiplier": 8.0,
    "compaction_style": "level",
    "compression_type": "zstd",
    "bottommost_compression": "zlib",
    "min_level_to_compress": 2,
    "bloom_bits": 10,
    "subcompactions": 3,
    "enable_pipelined_write": False,
}


@pytest.fixture
def study(tmp_path: Path) -> Prepared:
    return prepared(tmp_path)


def values_in(text: str, study: Prepared) -> dict[str, Value]:
    return read_values(OptionsFile.parse(text, "exported"), options_of(study), study.build.version)


def header(text: str) -> str:
    return " ".join(line.removeprefix("#").strip() for line in text.partition("[Version]")[0].splitlines())


def users_study(folder: Path, text: str) -> Prepared:
    (folder / "OPTIONS-000007").write_text(text)
    return prepared(folder, 'options_file = "OPTIONS-000007"\noptions.cache_size = "512MiB"\n')


def users_file() -> str:
    """A file as an older engine or a person wrote it: few keys, one that lsmtune does not know, folders of its own."""
    return "\n".join(
        [
            "# settings of the shop, do not touch",
            "[Version]",
            "  rocksdb_version=7.8.3",
            "  options_file_version=1.1",
            "[DBOptions]",
            "  max_background_jobs=3",
            "  wal_dir=/srv/shop/wal",
            "  listeners={ErrorHandlerListener:ErrorHandlerListener}",
            "  bgerror_resume_retry_interval=2000000",
            '[CFOptions "default"]',
            "  write_buffer_size=33554432",
            "  max_successive_merges=7",
            '[TableOptions/BlockBasedTable "default"]',
            "  block_size=8192",
            "",
        ]
    )


def test_a_study_at_a_64th_exports_its_final_values_at_full_size(study: Prepared) -> None:
    text = export("options-file", result(study, TUNED), study.build)
    assert study.facts().scale == Fraction(1, 64)
    assert values_in(text, study).items() >= TUNED.items()


def test_the_engine_uses_exactly_what_was_exported(study: Prepared, tmp_path: Path) -> None:
    file = tmp_path / "exported"
    file.write_text(export("options-file", result(study, TUNED), study.build))
    database = tmp_path / "db"
    command = [str(study.build.path), "--benchmarks=levelstats", f"--db={database}", f"--options_file={file}"]
    subprocess.run(command, check=True, capture_output=True)
    (written,) = (path.read_text() for path in database.glob("OPTIONS-*"))
    used = effective_values(written, options_of(study), study.build.version, Fraction(1))
    assert used.items() >= TUNED.items()


def test_sizes_that_the_engine_derives_from_others_fit_the_tuned_ones(study: Prepared) -> None:
    text = export("options-file", result(study, {"target_file_size_base": 32 << 20}), study.build)
    assert values_in(text, study)["max_compaction_bytes"] == 25 * (32 << 20)


@pytest.mark.parametrize("further", [{}, {"bottommost_compression": "zlib"}])
def test_fifo_compaction_is_exported_with_the_limits_of_its_runs(study: Prepared, further: dict[str, Value]) -> None:
    limits = {"fifo_compaction_max_table_files_size_mb": "512", "fifo_compaction_allow_compaction": "false"}
    workload = replace(study.workload, flags=(*limits.items(), ("ttl_seconds", "3600")))
    final = result(study, {"compaction_style": "fifo", **further})
    file = OptionsFile.parse(export("options-file", final, study.build, workload), "exported")
    kept = ("compaction_options_fifo.max_table_files_size", "compaction_options_fifo.allow_compaction", "ttl")
    assert [file.get("CF", key) for key in kept] == [str(512 << 20), "false", "3600"]


def test_a_file_from_flags_names_no_listener_and_no_folder(study: Prepared) -> None:
    text = export("options-file", result(study, TUNED), study.build)
    file = OptionsFile.parse(text, "exported")
    assert [file.get("DB", key) for key in ("listeners", "wal_dir", "db_log_dir")] == [None, None, None]


def test_each_change_stands_with_its_values_and_its_evidence(study: Prepared) -> None:
    effect = {"bloom_bits": ABLATION_GAINS, "subcompactions": (0.1, -0.1, 0.05), "write_buffer_size": (0.1,)}
    text = header(export("options-file", result(study, TUNED, ablated=effect), study.build))
    assert "bloom_bits: -1 (no filter) -> 10, ablation effect 1.21x [1.18, 1.24] n = 3" in text
    assert "subcompactions: 1 -> 3, ablation effect 1.02x [0.79, 1.32] n = 3, not shown to be one" in text
    assert "write_buffer_size: 64 MiB -> 128 MiB, tested by itself with too few pairs to estimate its effect" in text
    assert "bottommost_compression: disabled -> zlib, not tested by itself" in text


def test_the_header_says_study_engine_scale_and_verdict(study: Prepared) -> None:
    text = header(export("options-file", result(study, TUNED, warnings=("the host was noisy",)), study.build))
    assert 'Study "export", 2023-11-14' in text
    assert f"db_bench {study.build.version} at {study.build.path} (SHA-256 {study.build.fingerprint}" in text
    assert "Measured at scale 1/64" in text
    assert "against the reference db_bench: improved, 1.40x [1.35, 1.46] n = 6, in throughput_settled_ops_s" in text
    assert "Guard space_bytes: held" in text
    assert "the host was noisy" in text


def test_a_warning_of_several_lines_cannot_break_out_of_the_comments(study: Prepared) -> None:
    text = export("options-file", result(study, warnings=("it said:\n[DBOptions]\n  no_such_key=1",)), study.build)
    assert all(line.startswith("#") or not line for line in text.partition("[Version]")[0].splitlines())
    assert values_in(text, study)


def test_what_no_options_file_holds_is_said_to_be_set_in_code(study: Prepared) -> None:
    text = header(export("options-file", result(study, {"cache_size": 64 << 20}), study.build))
    assert "cache_size = 64 MiB, BlockBasedTableOptions::block_cache" in text
    assert "rate_limiter_bytes_per_sec" not in text  # without a limit there is nothing to set


def test_what_the_engine_changes_at_full_size_is_named(study: Prepared) -> None:
    text = header(export("options-file", result(study, {"level0_stop_writes_trigger": 8}), study.build))
    assert "level0_stop_writes_trigger: the engine makes 20 of 8" in text


def test_a_value_that_leaves_the_choice_to_the_engine_is_not_called_changed(study: Prepared) -> None:
    text = export("options-file", result(study, {"max_compaction_bytes": 0}), study.build)
    assert "changes these values" not in header(text)


def test_where_nothing_was_shown_the_reference_is_exported_and_the_text_says_so(study: Prepared) -> None:
    text = export("options-file", result(study, gains=(0.01, -0.02, 0.01, 0.0, 0.02, -0.01)), study.build)
    assert "Nothing better than the reference db_bench was shown: this is db_bench itself." in header(text)
    assert "No option differs from the reference db_bench." in header(text)
    default = OptionsFile.parse(open_with(study.build, None, ()), "defaults").without_listeners().without_paths()
    assert text.endswith(default.text())


def test_the_reference_of_rocksdb_brings_its_own_defaults_along(tmp_path: Path) -> None:
    study = prepared(tmp_path, 'reference = "rocksdb"\n')
    values = values_in(export("options-file", result(study, {"bloom_bits": 10}), study.build), study)
    assert values.items() >= {**plain(study.rules.start), "bloom_bits": 10}.items()
    assert values["enable_pipelined_write"] is False


def test_a_study_that_is_not_at_its_end_says_so(study: Prepared) -> None:
    told = result(study, TUNED)
    unfinished = replace(told, decisions=replace(told.decisions, done=False))
    assert "The study has not ended" in header(export("options-file", unfinished, study.build))


def test_a_users_file_keeps_all_but_its_listeners_and_what_was_tuned(tmp_path: Path) -> None:
    study = users_study(tmp_path, users_file())
    text = export("options-file", result(study, {"write_buffer_size": 64 << 20}), study.build)
    kept = users_file().replace("=33554432", "=67108864").splitlines()
    assert text.partition("----\n\n")[2].splitlines() == [line for line in kept if "listeners" not in line]
    assert "write_buffer_size: 32 MiB -> 64 MiB" in header(text)


def test_a_change_that_a_users_file_lacks_is_added_to_it(tmp_path: Path) -> None:
    study = users_study(tmp_path, users_file())
    text = export("options-file", result(study, TUNED), study.build)
    assert values_in(text, study).items() >= {**TUNED, "block_size": 8192, "max_background_jobs": 3}.items()


def test_the_evidence_of_an_earlier_export_is_replaced(tmp_path: Path) -> None:
    first = users_study(tmp_path, users_file())
    earlier = export(
        "options-file", result(first, {"bloom_bits": 10}, ablated={"bloom_bits": ABLATION_GAINS}), first.build
    )
    second = users_study(tmp_path, earlier)
    text = export("options-file", result(second, {"write_buffer_size": 64 << 20}), second.build)
    assert text.count("---- lsmtune export ----") == 1
    assert "ablation effect 1.21x" not in text
    assert "# settings of the shop, do not touch" in text
    assert values_in(text, second)["bloom_bits"] == 10


def test_families_that_were_not_tuned_are_named(tmp_path: Path) -> None:
    study = users_study(tmp_path, users_file() + '[CFOptions "orders"]\n  write_buffer_size=1048576\n')
    text = export("options-file", result(study, {"bloom_bits": 10}), study.build)
    assert 'column families "orders" were neither tuned nor changed' in header(text)
    assert "  write_buffer_size=1048576" in text.splitlines()


def test_a_file_that_the_engine_refuses_is_an_error_with_its_reason(tmp_path: Path) -> None:
    study = users_study(tmp_path, users_file().replace("max_successive_merges", "no_such_key"))
    with pytest.raises(ExportError, match="no_such_key"):
        export("options-file", result(study, {"bloom_bits": 10}), study.build)


def test_values_that_exclude_each_other_are_an_error(study: Prepared) -> None:
    with pytest.raises(ExportError, match=r"cannot be exported: RocksDB .* refuses"):
        export("options-file", result(study, {"mmap_read": True, "use_direct_reads": True}), study.build)


def test_a_build_that_lacks_an_option_of_the_configuration_is_an_error(study: Prepared) -> None:
    poorer = replace(build(), flags=tuple(flag for flag in build().flags if flag[0] != "bloom_bits"))
    with pytest.raises(ExportError, match=r"has no bloom_bits, .* export with the build of the study"):
        export("options-file", result(study, TUNED), poorer)


def test_another_build_than_the_studys_is_named(study: Prepared) -> None:
    other = replace(study.build, fingerprint="f" * 16)
    text = header(export("options-file", result(study, TUNED), other))
    assert f"Written for another build, for which nothing was measured: db_bench {other.version}" in text


def test_the_header_names_what_the_users_file_cannot_hold_and_was_stated(tmp_path: Path) -> None:
    study = users_study(tmp_path, users_file())
    said = header(export("options-file", result(study, {"bloom_bits": 10}), study.build))
    assert "set in code: cache_size = 512 MiB, BlockBasedTableOptions::block_cache" in said
    assert "to be set in code: cache_size 512 MiB (8 MiB at scale), as stated; " in said


FAMILIES = """
[CFOptions "lock"]
  write_buffer_size=1048576
  max_successive_merges=9
[TableOptions/BlockBasedTable "lock"]
  block_size=16384
[CFOptions "write"]
  write_buffer_size=2097152
"""


def family_study(folder: Path, family: str) -> Prepared:
    (folder / "OPTIONS-000007").write_text(users_file() + FAMILIES)
    lines = f'options_file = "OPTIONS-000007"\ncolumn_family = "{family}"\noptions.cache_size = "512MiB"\n'
    return prepared(folder, lines)


def test_another_column_family_is_tuned_alone_and_goes_back_among_the_others(tmp_path: Path) -> None:
    study = family_study(tmp_path, "lock")
    start = OptionsFile.parse(study.rules.start.options_file or "", "start")
    assert (start.get("CF", "max_successive_merges"), start.get("DB", "max_background_jobs")) == ("9", "3")
    assert start.other_families == ()
    text = export("options-file", result(study, {"write_buffer_size": 128 << 20, "block_size": 4096}), study.build)
    file = OptionsFile.parse(text, "exported")
    assert (file.get("CF", "write_buffer_size"), file.get("Table", "block_size")) == ("33554432", "8192")
    assert file.other_families == ("lock", "write")
    lock, write = file.as_default("lock"), file.as_default("write")
    assert (lock.get("CF", "write_buffer_size"), lock.get("Table", "block_size")) == (str(128 << 20), "4096")
    assert lock.get("CF", "max_successive_merges") == "9"
    assert write.get("CF", "write_buffer_size") == "2097152"
    assert 'Column family "lock" of the OPTIONS file that the study started from was tuned' in header(text)


def test_the_engine_opens_a_file_whose_other_family_was_tuned(tmp_path: Path) -> None:
    study = family_study(tmp_path, "lock")
    text = export("options-file", result(study, {"write_buffer_size": 128 << 20}), study.build)
    assert values_in(open_with(study.build, text, ()), study)["write_buffer_size"] == 33554432  # that of "default"


def test_a_column_family_that_the_file_does_not_have_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'has no column family "lok"; choose one of default, lock, write'):
        family_study(tmp_path, "lok")


def test_a_column_family_needs_an_options_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"engine.column_family names one of an OPTIONS file"):
        prepared(tmp_path, 'column_family = "lock"\n')
