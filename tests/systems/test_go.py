"""A file for grocksdb under the real module: what the engine then runs with is what was meant.

`make test-systems` runs this; `make test` does not, as RocksDB is built for it.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from system_loaders import (
    CACHE,
    HERE,
    assert_has_words,
    assert_runs_as_meant,
    built_rocksdb,
    everything,
    exported,
    newest_options,
    used,
    words,
    wrong_defaults,
)
from target_builders import TUNED

from lsmtune.exporters import find_target
from lsmtune.model import Value

TARGET = find_target("go")
ROCKSDB = "11.8.1"
"""What is linked. The module was written for 11.1.1, which `make rocksdb` does not build."""
LIBRARIES = "-lrocksdb -lstdc++ -lm -lz -lsnappy -llz4 -lzstd -lbz2"
EMPTY = """package store

import "github.com/linxGnu/grocksdb"

func TunedOptions() (*grocksdb.Options, error) { return grocksdb.NewDefaultOptions(), nil }
"""


def loaded(text: str, folder: Path) -> tuple[int, str]:
    """Compile an export with the loader, open a database with it, and return its cache and what its tables are like."""
    project = folder / "project"
    shutil.copytree(HERE / "go", project)
    (project / "store").mkdir()
    (project / "store" / TARGET.file).write_text(text)
    home = built_rocksdb(ROCKSDB)
    environment = {
        **os.environ,
        "CGO_CFLAGS": f"-I{home / 'include'}",
        "CGO_LDFLAGS": f"-L{home / 'lib'} {LIBRARIES}",
        "GOCACHE": str(CACHE / f"go-{TARGET.version}"),
    }
    build = ["go", "build", "-p", "1", "-tags", "grocksdb_no_link", "-o", "load", "."]
    subprocess.run(build, cwd=project, env=environment, check=True)
    formatted = subprocess.run(["gofmt", "-l", "store"], cwd=project, check=True, capture_output=True, text=True).stdout
    assert formatted == ""
    done = subprocess.run([project / "load", str(folder / "db")], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    capacity, properties = done.stdout.splitlines()
    return int(capacity), properties


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_the_exported_function_makes_the_engine_run_with_what_was_meant(
    values: Mapping[str, Value] | None, tmp_path: Path
) -> None:
    asked = everything(TARGET) if values is None else values
    told = loaded(exported(TARGET, asked, whole=values is not None), tmp_path)
    assert_runs_as_meant(TARGET, asked, tmp_path / "db", told, ROCKSDB)


def test_the_defaults_of_the_table_are_those_of_the_library(tmp_path: Path) -> None:
    capacity, _ = loaded(EMPTY, tmp_path)
    assert wrong_defaults(TARGET, used(TARGET, newest_options(tmp_path / "db"))) == {}
    assert capacity == 32 << 20


def test_the_library_knows_every_word_of_the_table(tmp_path: Path) -> None:
    for place, values in enumerate(words(TARGET)):
        loaded(exported(TARGET, values, whole=False), tmp_path / str(place))
        assert_has_words(TARGET, values, tmp_path / str(place) / "db")
