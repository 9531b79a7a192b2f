"""lsmtune build driver: its sources, what it needs, where it puts the driver, and when it builds anew."""

import os
from pathlib import Path

import pytest
from build_fixtures import Programs
from cli_fixtures import Lsmtune

from lsmtune.backends.ycsb import ENVIRONMENT_VARIABLE, find_driver
from lsmtune.native_builds import _driver

# Plays cmake: what it builds is a driver that answers.
CMAKE = r"""
case $1 in
    --build) printf '#!/bin/sh\necho "lsmtune-ycsb 1"\n' > "$2/lsmtune-ycsb"; chmod +x "$2/lsmtune-ycsb" ;;
    -G) mkdir -p "$6" ;;
esac
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources of a driver, as a wheel brings them."""
    folder = tmp_path / "ycsb"
    for name in ("engines", "src"):
        (folder / name).mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text("")
    (folder / "src" / "main.cc").write_text("int main() {}\n")
    monkeypatch.setattr(_driver, "checkout", lambda: None)
    monkeypatch.setattr(_driver, "__file__", str(tmp_path / "_driver.py"))
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    return folder


def test_a_driver_is_built_once_where_it_is_found_and_anew_from_other_sources(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path
) -> None:
    programs.put("cmake", CMAKE)
    driver = cache / "driver" / "lsmtune-ycsb"
    code, out, _ = lsmtune("build", "driver")
    assert (code, out) == (0, f"{driver} is built\n")
    assert os.access(driver, os.X_OK)
    assert f" -S {sources} " in (cache / "builds" / "driver-distribution.log").read_text()
    assert find_driver() in {driver, _of_checkout()}
    assert lsmtune("build", "driver") == (0, f"{driver} is built already\n", "")
    (sources / "src" / "main.cc").write_text("int main() { return 1; }\n")
    assert lsmtune("build", "driver")[1] == f"{driver} is built\n"


def _of_checkout() -> Path:
    return Path(__file__).parents[2] / "native" / "ycsb" / "build" / "lsmtune-ycsb"


def test_a_driver_of_another_rocksdb_replaces_it_and_that_has_to_be_built_before(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path
) -> None:
    programs.put("cmake", CMAKE)
    programs.put("c++", 'while read -r line; do case $line in "absent rocksdb/db.h") echo "$line";; esac; done')
    code, _, err = lsmtune("build", "driver")
    assert code == 1
    assert "install what Debian calls librocksdb-dev" in err
    code, _, err = lsmtune("build", "driver", "--rocksdb", "11.8.1")
    assert code == 2
    assert err.endswith("build it first: lsmtune build rocksdb --version 11.8.1\n")
    library = cache / "rocksdb" / "11.8.1" / "lib" / "librocksdb.a"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"")
    assert lsmtune("build", "driver", "--rocksdb", "11.8.1")[0] == 0
    assert f"-DLSMTUNE_ROCKSDB_PREFIX={cache}/rocksdb/11.8.1 " in (cache / "builds" / "driver-11.8.1.log").read_text()
    programs.put("c++", "exit 0")
    assert lsmtune("build", "driver")[1].endswith("lsmtune-ycsb is built\n")


def test_a_driver_is_built_anew_with_a_rocksdb_that_is_for_this_processor_now(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path
) -> None:
    programs.put("cmake", CMAKE)
    home = cache / "rocksdb" / "11.8.1"
    for folder in ("bin", "lib"):
        (home / folder).mkdir(parents=True)
    (home / "lib" / "librocksdb.a").write_bytes(b"")
    driver = cache / "driver" / "lsmtune-ycsb"
    for bound in ("", ", this processor"):
        (home / "bin" / "db_bench.built").write_text(f"RocksDB 11.8.1, librocksdb-sys 0.19.0{bound}\n")
        assert lsmtune("build", "driver", "--rocksdb", "11.8.1")[1] == f"{driver} is built\n"
        assert lsmtune("build", "driver", "--rocksdb", "11.8.1")[1] == f"{driver} is built already\n"


@pytest.mark.parametrize("version", ["6.6.4", "99.1.0"])
def test_a_rocksdb_without_a_library_is_not_said_to_be_built_first(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path, version: str
) -> None:
    code, _, err = lsmtune("build", "driver", "--rocksdb", version)
    assert code == 2
    assert f"no library of RocksDB {version} can be built here; choose one of 11.8.1, " in err
    assert err.endswith(", 6.11.4\n")


def test_a_prefix_takes_the_driver_and_the_cache_none(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path, tmp_path: Path
) -> None:
    programs.put("cmake", CMAKE)
    code, out, _ = lsmtune("build", "driver", "--prefix", str(tmp_path / "own"))
    assert (code, out) == (0, f"{tmp_path}/own/bin/lsmtune-ycsb is built\n")
    assert not (cache / "driver").exists()


def test_a_driver_that_does_not_run_is_not_installed(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path
) -> None:
    programs.put("cmake", CMAKE.replace('echo "lsmtune-ycsb 1"', "exit 127"))
    code, _, err = lsmtune("build", "driver")
    assert code == 1
    assert "the driver that was built does not run; log: " in err
    assert not (cache / "driver").exists()


def test_an_installation_without_the_sources_says_so(lsmtune: Lsmtune, programs: Programs, sources: Path) -> None:
    (sources / "CMakeLists.txt").unlink()
    code, _, err = lsmtune("build", "driver")
    assert code == 1
    assert err == f"lsmtune: the sources of the driver are not in {sources}; install lsmtune anew\n"
