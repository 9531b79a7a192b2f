"""A file for the Rust crate rocksdb under the real crate: what the engine then runs with is what was meant.

`make test-systems` runs this; `make test` does not, as RocksDB is built for it.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from export_builders import result
from system_loaders import (
    CACHE,
    HERE,
    assert_has_words,
    assert_runs_as_meant,
    built_rocksdb,
    differing,
    everything,
    exported,
    libraries,
    meant,
    newest_options,
    unpacked,
    used,
    words,
    wrong_defaults,
)
from target_builders import TUNED, study

from lsmtune.exporters import export, find_target
from lsmtune.model import Value

TARGET = find_target("rust")
EMPTY = """pub fn tuned_options() -> rocksdb::Options {
    let mut options = rocksdb::Options::default();
    options.create_if_missing(true);
    options
}
"""


@cache
def environment() -> Mapping[str, str]:
    """What makes the crate link the RocksDB that `make rocksdb` built instead of its own of the same version."""
    clang = unpacked("libclang-dev")
    headers = next(clang.glob("usr/lib/llvm-*/lib/clang/*/include/stddef.h")).parent
    rocksdb = built_rocksdb(TARGET.rocksdb)
    snappy = subprocess.run(["cc", "-print-file-name=libsnappy.so"], check=True, capture_output=True, text=True).stdout
    return {
        **os.environ,
        "ROCKSDB_LIB_DIR": str(rocksdb / "lib"),
        "ROCKSDB_INCLUDE_DIR": str(rocksdb / "include"),
        "ROCKSDB_STATIC": "1",
        "SNAPPY_LIB_DIR": str(Path(snappy).parent),  # whose headers that RocksDB was built with
        "LIBCLANG_PATH": str(next(clang.glob("usr/lib/llvm-*/lib/libclang.so")).parent),
        "LD_LIBRARY_PATH": libraries(clang)["LD_LIBRARY_PATH"],
        "BINDGEN_EXTRA_CLANG_ARGS": f"-I{headers}",
        "CARGO_TARGET_DIR": str(CACHE / f"rust-{TARGET.version}"),
        "RUSTFLAGS": "-Dwarnings",
    }


def loaded(text: str, way: str, folder: Path) -> tuple[int, str]:
    """Compile an export with the loader, open a database with it, and return its cache and what its tables are like."""
    project = folder / "project"
    shutil.copytree(HERE / "rust", project)
    (project / "src" / TARGET.file).write_text(text)
    subprocess.run(["cargo", "build", "-q", "-j1"], cwd=project, env=environment(), check=True)
    program = Path(environment()["CARGO_TARGET_DIR"]) / "debug" / "load"
    done = subprocess.run([program, way, str(folder / "db")], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    capacity, properties = done.stdout.splitlines()
    return int(capacity), properties


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_the_exported_function_makes_the_engine_run_with_what_was_meant(
    values: Mapping[str, Value] | None, tmp_path: Path
) -> None:
    asked = everything(TARGET) if values is None else values
    told = loaded(exported(TARGET, asked, whole=values is not None), "code", tmp_path)
    assert_runs_as_meant(TARGET, asked, tmp_path / "db", told, TARGET.rocksdb)


def test_the_crate_loads_the_options_file_of_a_study(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "OPTIONS-000001").write_text(export("options-file", result(study(), TUNED), study().build))
    loaded(EMPTY, "file", tmp_path)
    newest = newest_options(tmp_path / "db")
    assert newest.name != "OPTIONS-000001"
    assert differing(TARGET, used(TARGET, newest), meant(TUNED)) == {}


def test_the_defaults_of_the_table_are_those_of_the_crate(tmp_path: Path) -> None:
    capacity, _ = loaded(EMPTY, "code", tmp_path)
    assert wrong_defaults(TARGET, used(TARGET, newest_options(tmp_path / "db"))) == {}
    assert capacity == 32 << 20


def test_the_crate_knows_every_word_of_the_table(tmp_path: Path) -> None:
    for place, values in enumerate(words(TARGET)):
        loaded(exported(TARGET, values, whole=False), "code", tmp_path / str(place))
        assert_has_words(TARGET, values, tmp_path / str(place) / "db")
