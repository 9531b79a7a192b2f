"""lsmtune build driver: its sources, what it needs, where it puts the driver, and when it builds anew."""

import os
import threading
from pathlib import Path

import pytest
from build_fixtures import Programs
from cli_fixtures import Lsmtune

from lsmtune.backends.ycsb import ENVIRONMENT_VARIABLE, find_driver
from lsmtune.native_builds import Place, _driver
from lsmtune.native_builds._place import identity_of

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


def built_rocksdb(cache: Path) -> Path:
    """A RocksDB that was built, as far as a driver can tell; return its folder."""
    home = cache / "rocksdb" / "11.8.1"
    for name in ("bin/db_bench", "lib/librocksdb.a"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_bytes(b"")
    return home


def test_a_build_that_is_stopped_while_it_is_put_into_its_place_is_made_again(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_part: Path, _program: Path) -> Path:
        raise KeyboardInterrupt

    programs.put("cmake", CMAKE)
    assert lsmtune("build", "driver")[0] == 0
    (sources / "src" / "main.cc").write_text("int main() { return 1; }\n")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stop)
        assert lsmtune("build", "driver")[0] == 130
    assert lsmtune("build", "driver")[1].endswith("lsmtune-ycsb is built\n")


def test_two_drivers_at_once_leave_one_of_them_with_its_own_stamp(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "lsmtune-ycsb"
    places = {each: Place("the driver", each, f"driver-{each}", program, 0) for each in ("first", "second")}

    def install(name: str) -> None:
        made = tmp_path / name
        made.write_text(name)
        with places[name].locked():
            places[name].install(made)

    other = threading.Thread(target=install, args=("second",))
    replace = Path.replace

    def late(part: Path, target: Path) -> Path:
        if other.ident is None:
            other.start()
            other.join(0.3)  # it waits, or would be done by then
        return replace(part, target)

    monkeypatch.setattr(Path, "replace", late)
    install("first")
    other.join()
    assert (program.read_text(), identity_of(program)) == ("second", "second")
    assert not program.with_name("lsmtune-ycsb.part").exists()


def test_a_rocksdb_that_was_left_half_copied_is_built_before_a_driver_is_linked_with_it(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path
) -> None:
    (built_rocksdb(cache) / "bin" / "db_bench").unlink()
    code, _, err = lsmtune("build", "driver", "--rocksdb", "11.8.1")
    assert code == 2
    assert err.endswith("build it first: lsmtune build rocksdb --version 11.8.1\n")


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
    built_rocksdb(cache)
    assert lsmtune("build", "driver", "--rocksdb", "11.8.1")[0] == 0
    assert f"-DLSMTUNE_ROCKSDB_PREFIX={cache}/rocksdb/11.8.1 " in (cache / "builds" / "driver-11.8.1.log").read_text()
    programs.put("c++", "exit 0")
    assert lsmtune("build", "driver")[1].endswith("lsmtune-ycsb is built\n")


def test_a_driver_is_built_anew_with_a_rocksdb_that_is_for_this_processor_now(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path
) -> None:
    programs.put("cmake", CMAKE)
    home = built_rocksdb(cache)
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
    assert f"the driver cannot be linked with RocksDB {version}; choose one of 11.8.1, " in err
    assert err.endswith(", 7.9.2\n")


def test_a_rocksdb_that_the_driver_would_leave_out_takes_the_place_of_none(
    lsmtune: Lsmtune, programs: Programs, cache: Path, sources: Path
) -> None:
    programs.put("cmake", CMAKE)
    built_rocksdb(cache).rename(cache / "rocksdb" / "6.20.3")
    code, _, err = lsmtune("build", "driver", "--rocksdb", "6.20.3")
    assert code == 2
    assert "the driver cannot be linked with RocksDB 6.20.3; choose one of 11.8.1, " in err
    assert not (cache / "driver").exists()


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
