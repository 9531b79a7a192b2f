"""`lsmtune export --for`: a finished study for a system that embeds RocksDB."""

import shutil
import tomllib
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

import lsmtune as published

STUDIES = Path(__file__).parents[1] / "data" / "studies"


@pytest.fixture
def study(tmp_path: Path) -> str:
    return str(shutil.copytree(STUDIES / "tune-pruned", tmp_path / "tuned"))


@pytest.mark.filterwarnings("ignore::lsmtune.errors.LsmtuneWarning")  # the db_bench here may be another
def test_a_finished_study_is_written_for_a_target_and_from_python_the_same(lsmtune: Lsmtune, study: str) -> None:
    code, out, err = lsmtune("export", study, "--for", "tikv@8.5")
    assert code == 0, err
    assert tomllib.loads(out)["rocksdb"]["defaultcf"]["write-buffer-size"] == "256MiB"
    assert published.load(study).export_for("tikv") == out


def test_a_file_is_written_where_one_is_named(lsmtune: Lsmtune, study: str, tmp_path: Path) -> None:
    code, out, err = lsmtune("export", study, "--for", "kvrocks", "--output", str(tmp_path / "kvrocks.conf"))
    assert (code, out) == (0, ""), err
    assert "rocksdb.write_buffer_size 256" in (tmp_path / "kvrocks.conf").read_text().splitlines()
    assert "rocksdb.compression lz4" in (tmp_path / "kvrocks.conf").read_text().splitlines()
