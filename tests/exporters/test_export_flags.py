"""The flag file that a study exports, as the real db_bench takes it."""

import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from export_builders import ABLATION_GAINS, options_of, prepared, result

from lsmtune.backends.rocksdb import effective_values
from lsmtune.errors import ExportError
from lsmtune.experiment import parse_experiment
from lsmtune.exporters import export
from lsmtune.lint import RULES
from lsmtune.model import Value
from lsmtune.result import Meaning
from lsmtune.study import Prepared, prepare

TUNED: dict[str, Value] = {"write_buffer_size": 128 << 20, "compression_type": "zstd", "bloom_bits": 10}


@pytest.fixture
def study(tmp_path: Path) -> Prepared:
    return prepared(tmp_path)


def flags(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_db_bench_takes_the_text_as_a_flag_file_and_uses_its_values(study: Prepared, tmp_path: Path) -> None:
    file = tmp_path / "tuned.flags"
    file.write_text(export("flags", result(study, TUNED), study.build, study.workload))
    database = tmp_path / "db"
    command = [str(study.build.path), f"--flagfile={file}", "--benchmarks=levelstats", f"--db={database}"]
    subprocess.run(command, check=True, capture_output=True)
    (written,) = (path.read_text() for path in database.glob("OPTIONS-*"))
    used = effective_values(written, options_of(study), study.build.version, Fraction(1))
    assert used.items() >= TUNED.items()


def test_only_what_differs_from_the_defaults_is_written_at_full_size(study: Prepared) -> None:
    text = export("flags", result(study, TUNED), study.build)
    assert flags(text) == ["--bloom_bits=10", "--compression_type=zstd", "--write_buffer_size=134217728"]


def test_evidence_stands_above_its_flag(study: Prepared) -> None:
    lines = export("flags", result(study, TUNED, ablated={"bloom_bits": ABLATION_GAINS}), study.build).splitlines()
    place = lines.index("--bloom_bits=10")
    assert lines[place - 1] == "# bloom_bits: -1 (no filter) -> 10, ablation effect 1.21x [1.18, 1.24] n = 3"


def test_the_command_of_the_workload_is_at_full_size(study: Prepared) -> None:
    text = export("flags", result(study, TUNED), study.build, study.workload)
    (command,) = (line for line in text.splitlines() if "--num=" in line)
    asked = {"--benchmarks=fillrandom,flush,waitforcompaction,levelstats,stats", "--num=64000000"}
    assert asked | {"--value_size=1024", "--flagfile=tuned.flags"} <= set(command.split())


def test_a_workload_that_reads_is_loaded_first(tmp_path: Path) -> None:
    text = (
        '[workload]\nbenchmarks = "readrandom"\nload = "fillseq"\nnum = 1000\n[space]\noptions = ["bloom_bits"]\n'
        "[search]\nfinalists = 1\n"
    )
    study = prepare(parse_experiment(text, tmp_path / "reads.toml"))
    told = export("flags", result(study, {"bloom_bits": 10}), study.build, study.workload)
    load, read = (line for line in told.splitlines() if "--num=1000" in line)
    assert "--benchmarks=fillseq,flush,waitforcompaction" in load.split()
    assert "--use_existing_db=1" in read.split()


def test_an_option_without_a_flag_is_said_to_need_the_options_file(study: Prepared) -> None:
    text = export("flags", result(study, {"bottommost_compression": "zstd"}), study.build)
    assert flags(text) == []
    assert "it has no flag and needs the format options-file" in " ".join(text.replace("#", " ").split())


def test_values_of_the_reference_are_told_apart_from_changes(tmp_path: Path) -> None:
    study = prepared(tmp_path, 'reference = "rocksdb"\n')
    lines = export("flags", result(study, {"bloom_bits": 10}), study.build).splitlines()
    place = lines.index("--enable_pipelined_write=false")
    assert lines[place - 1] == "# enable_pipelined_write: false, as in the reference rocksdb"


def test_a_change_back_to_the_default_of_db_bench_is_a_flag_as_well(tmp_path: Path) -> None:
    study = prepared(tmp_path, 'reference = "rocksdb"\n')
    lines = export("flags", result(study, {"enable_pipelined_write": True}), study.build).splitlines()
    place = lines.index("--enable_pipelined_write=true")
    assert lines[place - 1] == "# enable_pipelined_write: false -> true, not tested by itself"


def test_a_study_from_an_options_file_gives_its_known_values_and_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(
        "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n  max_background_jobs=3\n"
        '[CFOptions "default"]\n  compression=kLZ4Compression\n[TableOptions/BlockBasedTable "default"]\n'
    )
    study = prepared(tmp_path, 'options_file = "mine"\noptions.cache_size = "default"\n')
    text = export("flags", result(study, {"bloom_bits": 10}), study.build)
    expected = {"--max_background_jobs=3", "--compression_type=lz4", "--bloom_bits=10"}
    assert expected | {"--enable_pipelined_write=false"} <= set(flags(text))
    assert "use the format options-file for all of it" in " ".join(text.replace("#", " ").split())


def test_what_of_an_options_file_lsmtune_cannot_translate_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(
        "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
        '[CFOptions "default"]\n[TableOptions/BlockBasedTable "default"]\n  filter_policy=ribbonfilter:10:0\n'
    )
    study = prepared(tmp_path, 'options_file = "mine"\noptions.cache_size = "default"\n')
    text = export("flags", result(study, {"block_size": 8192}), study.build)
    said = " ".join(text.replace("#", " ").split())
    assert "bloom_bits: the OPTIONS file of the study has filter_policy=ribbonfilter:10:0, which lsmtune cannot" in said
    assert not [flag for flag in flags(text) if flag.startswith("--bloom_bits")]


def test_where_nothing_was_shown_defaults_need_no_flag_and_the_text_says_why(study: Prepared) -> None:
    text = export("flags", result(study, gains=(0.01, -0.02, 0.01, 0.0, 0.02, -0.01)), study.build)
    assert flags(text) == []
    assert "Nothing better than the reference db_bench was shown" in text


def test_flags_that_the_engine_refuses_are_an_error(study: Prepared) -> None:
    with pytest.raises(ExportError, match="cannot be exported"):
        export("flags", result(study, {"mmap_read": True, "use_direct_reads": True}), study.build)


def test_an_improvement_that_holds_for_less_is_written_as_such(study: Prepared) -> None:
    finding = RULES["memtable-sized-data"].says("the data (1 MiB) fits the memtables (2 MiB)")
    found = replace(result(study, TUNED), meaning=Meaning(reference=(finding,)))
    sentence = "# That is an improvement on data that fits the memtables, and no claim beyond that."
    assert sentence in export("flags", found, study.build).splitlines()
    assert sentence not in export("flags", result(study, TUNED), study.build)
