"""What a table of runs says of its study: read as it was written, also by older versions, or told in a sentence."""

import errno
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from analysis_builders import synthetic_runs

from lsmtune.analysis import Runs, TableFacts
from lsmtune.codec import MisreadError
from lsmtune.errors import LsmtuneError, UsageError
from lsmtune.model import StudyKind
from lsmtune.testing import fake_table_facts

FULL = replace(
    fake_table_facts("full"),
    engine="rocksdb",
    version="11.8.1",
    scale=Fraction(1, 64),
    keys=78_125,
    kind=StudyKind.SWEEP,
    reference_values={"write_buffer_size": 1 << 26, "compression_type": "lz4", "disable_wal": False},
    elsewhere={"leveldb": "leveldb 1.23"},
    options_file="[Version]\n  rocksdb_version=11.8.1\n",
)


@pytest.mark.parametrize("facts", [FULL, fake_table_facts("least")])
def test_what_was_written_is_read(facts: TableFacts) -> None:
    assert TableFacts.from_words(facts.words()) == facts
    assert all(isinstance(word, str) for word in facts.words().values())


def test_tables_from_before_kinds_and_options_files_are_read_without_one() -> None:
    words = FULL.words()
    del words["kind"], words["elsewhere"], words["options_file"]
    assert TableFacts.from_words(words) == replace(FULL, kind=None, elsewhere={}, options_file=None)


def test_the_experiment_is_read_whole() -> None:
    assert FULL.asked.workload().benchmarks == ("fillrandom",)


@pytest.mark.parametrize(
    ("name", "word"),
    [("cores", "many"), ("scale", "1/0"), ("keys", "1e6"), ("kind", "party"), ("reference_values", "{")],
)
def test_a_wrong_word_is_told(name: str, word: str) -> None:
    with pytest.raises(MisreadError):
        TableFacts.from_words({**FULL.words(), name: word})


def test_a_table_that_lacks_a_fact_is_told_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    synthetic_runs(lambda columns: 0.0 * columns["multiplier"], n=5, seed=1).write(path)
    table = pq.read_table(path)
    explained = json.loads(table.schema.metadata[b"lsmtune"])
    del explained["facts"]["engine"]
    pq.write_table(table.replace_schema_metadata({b"lsmtune": json.dumps(explained).encode()}), path)
    with pytest.raises(UsageError, match=rf"{path} cannot be read as a table of runs: of its facts, .*engine") as told:
        Runs.read(path)
    assert "\n" not in str(told.value)


def test_a_table_is_written_where_text_names_the_file(tmp_path: Path) -> None:
    runs = synthetic_runs(lambda columns: 0.0 * columns["multiplier"], n=5, seed=1)
    name = f"{tmp_path}/runs.parquet"
    runs.write(name)
    assert Runs.read(Path(name)).frame.equals(runs.frame)
    with pytest.raises(UsageError):
        runs.write(f"{tmp_path}/runs.txt")


@pytest.mark.parametrize("name", ["runs.parquet", "runs.csv"])
def test_an_earlier_table_stays_where_the_disk_is_full(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, path = synthetic_runs(lambda columns: 0.0 * columns["multiplier"], n=5, seed=1), tmp_path / name
    runs.write(path)
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(LsmtuneError, match=f"{name} cannot be .*; free some space, and the same command") as told:
        runs.write(path)
    assert not isinstance(told.value, UsageError)
    assert [(each, each.read_bytes()) for each in tmp_path.iterdir()] == [(path, before)]
