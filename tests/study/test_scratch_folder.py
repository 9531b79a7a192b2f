"""The folder that host.scratch names has to be there, and its disk is the one that a study describes."""

from pathlib import Path

import pytest

from lsmtune.errors import UsageError
from lsmtune.executors import host_facts
from lsmtune.experiment import parse_experiment
from lsmtune.model import HostFacts
from lsmtune.study import Prepared, open_or_create, prepare
from lsmtune.testing import fake_db_bench

FILL = """
scale = "1/16"
[workload]
benchmarks = "fillrandom"
num = "40M"
[space]
options = ["write_buffer_size"]
[host]
"""


def prepared(folder: Path, scratch: Path) -> Prepared:
    """A tuning whose data lies in a folder of its own."""
    text = f'{FILL}scratch = "{scratch}"\n'
    return prepare(parse_experiment(text, folder / "fill.toml"), fake_db_bench.install(folder))


def test_a_study_neither_starts_nor_goes_on_where_it_is_missing(tmp_path: Path) -> None:
    scratch, folder = tmp_path / "mount" / "data", tmp_path / "study"
    setup, said = prepared(tmp_path, scratch), f"^host.scratch: {scratch} is no folder; mount its disk or make it"
    with pytest.raises(UsageError, match=said):
        open_or_create(setup, folder)
    assert not folder.exists()
    scratch.mkdir(parents=True)
    open_or_create(setup, folder).close()
    scratch.rmdir()
    with pytest.raises(UsageError, match=said):
        open_or_create(setup, folder)
    assert not scratch.exists()


def test_a_study_describes_the_disk_of_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []

    def facts(data: Path) -> HostFacts:
        looked.append(data)
        return host_facts(data)

    monkeypatch.setattr("lsmtune.study._prepare.host_facts", facts)
    setup = prepared(tmp_path, tmp_path / "data")
    setup.description(tmp_path / "study")
    assert looked == [setup.scratch(tmp_path / "study")]
    assert looked[0].parent == tmp_path / "data"
