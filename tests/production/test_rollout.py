"""A service held against a study: what it runs of the result, and whether its figures are the study's."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from test_canary import dump, head

from lsmtune import api
from lsmtune.errors import StudyError, UsageError
from lsmtune.model import Value
from lsmtune.production import OptionState, Rollout, check_rollout, rollout_json
from lsmtune.result import Change, summarise
from lsmtune.store import read_study

STUDIES = Path(__file__).parent.parent / "data" / "studies"
FILE = """\
[Version]
  rocksdb_version=7.8.3
[DBOptions]
  max_background_jobs=4
[CFOptions "default"]
  {options}
[CFOptions "other"]
  write_buffer_size=268435456
  max_write_buffer_number=8
  compression=kLZ4Compression
"""
EXPORTED = "write_buffer_size=268435456\n  max_write_buffer_number=8\n  compression=kLZ4Compression"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study that found 256 MiB, 8 memtables and lz4 better than the default."""
    return Path(shutil.copytree(STUDIES / "tune-pruned", tmp_path / "study"))


def service(tmp_path: Path, options: str = EXPORTED, log: str = "") -> Path:
    folder = tmp_path / "db"
    folder.mkdir()
    (folder / "OPTIONS-000005").write_text(FILE.format(options="write_buffer_size=1048576"))
    (folder / "OPTIONS-000012").write_text(FILE.format(options=options))
    if log:
        (folder / "LOG").write_text(log)
    return folder


def states(found: Rollout) -> dict[str, str]:
    return {each.option: str(each.state) for each in found.options}


def test_a_service_that_runs_the_result_is_told_so_from_its_newest_options(tmp_path: Path, study: Path) -> None:
    found = api.check(service(tmp_path), against=study)
    assert found.runs_it
    assert set(states(found).values()) == {"as exported"}
    assert {each.source for each in found.options} == {"OPTIONS-000012"}
    assert found.version == "7.8.3"


def test_of_options_files_that_are_named_the_newest_counts(tmp_path: Path, study: Path) -> None:
    folder = service(tmp_path)
    found = api.check(folder / "OPTIONS-000012", folder / "OPTIONS-000005", against=study)
    assert found.runs_it
    assert {each.source for each in found.options} == {"OPTIONS-000012"}


def test_each_change_is_as_exported_as_before_or_neither(tmp_path: Path, study: Path) -> None:
    folder = service(tmp_path, "write_buffer_size=67108864\n  max_write_buffer_number=8\n  compression=kZSTD")
    found = api.check(folder, against=study)
    assert not found.runs_it
    assert states(found) == {
        "write_buffer_size": OptionState.AS_BEFORE,
        "max_write_buffer_number": OptionState.AS_EXPORTED,
        "compression_type": OptionState.OTHER,
    }


def test_values_that_are_words_are_what_the_engine_makes_of_them(tmp_path: Path, study: Path) -> None:
    """RocksDB derives some options that are 0 when it opens a database, and writes what it derived."""
    changes = (
        Change("max_compaction_bytes", 1 << 30, 0, None),
        Change("universal_size_ratio", 5, 0, None),
        Change("arena_block_size", 0, 2 << 20, None),
        Change("soft_pending_compaction_bytes_limit", 64 << 30, 0, None),
    )
    lines = (
        *("write_buffer_size=67108864", "target_file_size_base=67108864", "max_compaction_bytes=1677721600"),
        *("arena_block_size=1048576", "compaction_options_universal={size_ratio=1;}"),
        *("soft_pending_compaction_bytes_limit=68719476736", "hard_pending_compaction_bytes_limit=137438953472"),
    )
    folder = service(tmp_path, "\n  ".join(lines))
    with read_study(study) as opened:
        result = replace(summarise(opened, leaders=0), changes=changes)
        found = check_rollout([folder], opened, result)
    assert states(found) == {
        "max_compaction_bytes": OptionState.AS_EXPORTED,
        "universal_size_ratio": OptionState.AS_EXPORTED,
        "arena_block_size": OptionState.AS_BEFORE,
        "soft_pending_compaction_bytes_limit": OptionState.AS_BEFORE,
    }
    assert [each.exported for each in found.options] == [1677721600, 1, 2 << 20, 137438953472]


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        ("filter_policy=nullptr", {"bloom_bits": 0}),
        ("compression=kZSTD", {"compression_type": "zstd", "min_level_to_compress": 0}),
        (
            "compression=kNoCompression\n  compression_per_level=kNoCompression:kNoCompression",
            {"compression_type": "none", "min_level_to_compress": 1},
        ),
        ("delayed_write_rate=104857600", {"delayed_write_rate": 0}),
    ],
)
def test_values_that_do_the_same_are_the_same(
    tmp_path: Path, study: Path, lines: str, changes: dict[str, Value]
) -> None:
    """A filter of 0 bits is none, a list of one compressor is no list, and beside a limiter 0 is its rate."""
    sections = ("DBOptions", 'CFOptions "default"', 'TableOptions/BlockBasedTable "default"')
    text = "".join(f"[{section}]\n  {lines}\n" for section in sections)
    folder = service(tmp_path)
    (folder / "OPTIONS-000012").write_text(f"[Version]\n  rocksdb_version=7.8.3\n{text}")
    with read_study(study) as opened:
        told = summarise(opened, leaders=0)
        facts = {**told.description.facts, "reference_values": {"rate_limiter_bytes_per_sec": 100 << 20}}
        result = replace(
            told,
            changes=tuple(Change(name, 5, value, None) for name, value in changes.items()),
            description=replace(told.description, facts=facts),
        )
        assert check_rollout([folder], opened, result).runs_it


def test_a_list_of_compressors_that_is_missing_is_told_also_where_nothing_is_compressed(
    tmp_path: Path, study: Path
) -> None:
    changes = (Change("compression_type", "none", "zstd", None), Change("min_level_to_compress", -1, 2, None))
    folder = service(tmp_path, "compression=kNoCompression")
    with read_study(study) as opened:
        found = check_rollout([folder], opened, replace(summarise(opened, leaders=0), changes=changes))
    assert set(states(found).values()) == {OptionState.AS_BEFORE}


def test_another_column_family_can_be_meant(tmp_path: Path, study: Path) -> None:
    folder = service(tmp_path, "write_buffer_size=67108864")
    assert api.check(folder, against=study, family="other").runs_it
    with pytest.raises(UsageError, match=r'has no column family "ohter"; choose one of default, other'):
        api.check(folder, against=study, family="ohter")


def test_a_log_alone_leaves_the_configuration_open_and_says_so(tmp_path: Path, study: Path) -> None:
    (tmp_path / "LOG").write_text(head(0, 64, "A") + dump(1000, 1000, 6, 0.01))
    found = api.check(tmp_path / "LOG", against=study)
    assert set(states(found).values()) == {"not told"}
    assert any("no OPTIONS file was given" in each for each in found.missing)


def test_a_folder_without_a_log_tells_what_it_can(tmp_path: Path, study: Path) -> None:
    found = api.check(service(tmp_path), against=study)
    assert (found.runs_it, found.figures) == (True, ())
    assert any(each.startswith("No figures: ") for each in found.missing)


def test_a_log_may_lie_beside_the_folder_of_the_database(tmp_path: Path, study: Path) -> None:
    """As db_log_dir puts it."""
    log = tmp_path / "db_LOG"
    log.write_text(head(0, 64, "A") + dump(1000, 1000, 6, 0.01))
    found = api.check(service(tmp_path), log, against=study)
    assert (found.runs_it, found.missing) == (True, ())


def test_a_folder_that_is_no_database_is_refused(tmp_path: Path, study: Path) -> None:
    with pytest.raises(UsageError, match="has no LOG, so it is no folder of a database"):
        api.check(tmp_path, against=study)
    with pytest.raises(StudyError):
        api.check(tmp_path, against=tmp_path / "gone")


def test_a_study_of_a_command_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="writes no OPTIONS files"):
        api.check(service(tmp_path), against=STUDIES / "nni-command")


def test_json_has_each_change_with_its_state(tmp_path: Path, study: Path) -> None:
    document = json.loads(json.dumps(rollout_json(api.check(service(tmp_path), against=study))))
    assert document["runs_it"] is True
    assert {each["state"] for each in document["options"]} == {"as exported"}
