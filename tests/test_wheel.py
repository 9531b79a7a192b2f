"""The wheel: what is in it, and that lsmtune runs from it where there is no repository."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lsmtune.testing import fake_db_bench

ROOT = Path(__file__).parents[1]
SOURCES = ("CMakeLists.txt", "engines", "src")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this repository."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel installed into a folder of its own, without what it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "--disable-pip-version-check", "--target", str(folder), str(wheel)], check=True)
    return folder


def lsmtune(installed: Path, tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the installed lsmtune in an empty folder."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return subprocess.run(
        [str(installed / "bin" / "lsmtune"), *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_has_the_sources_of_the_driver_as_they_are_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        here = ROOT / "native" / "ycsb"
        files = [file for part in SOURCES for file in ([here / part] if "." in part else (here / part).rglob("*"))]
        inside = {f"lsmtune/native_builds/ycsb/{file.relative_to(here)}": file for file in files if file.is_file()}
        assert len(inside) > 50
        assert {name for name in names if name.startswith("lsmtune/native_builds/ycsb/")} == set(inside)
        for name, file in inside.items():
            assert packed.read(name) == file.read_bytes()
    of_package = (ROOT / "src" / "lsmtune").rglob("*")
    expected = {
        f"lsmtune/{file.relative_to(ROOT / 'src' / 'lsmtune')}"
        for file in of_package
        if file.is_file() and "__pycache__" not in file.parts
    }
    about = {name for name in names if ".dist-info/" in name}
    shared = {name for name in names if ".data/data/share/" in name}
    assert {name.partition("/data/share/")[2] for name in shared} == {
        str(file.relative_to(ROOT / "docs" / "share"))
        for file in (ROOT / "docs" / "share").rglob("*")
        if file.is_file()
    }
    assert names - about - shared - set(inside) == expected
    assert any(name.endswith("licenses/LICENSE") for name in about)
    assert not [name for name in names if "test_" in Path(name).name or Path(name).name == "conftest.py"]


def test_lsmtune_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    answer = lsmtune(installed, tmp_path, "--help")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "doctor" in answer.stdout
    db_bench = fake_db_bench.install(tmp_path)
    answer = lsmtune(installed, tmp_path, "doctor", "--runs", "0", "--db-bench", str(db_bench))
    assert answer.returncode == 0, answer.stderr
    assert "7.8.3" in answer.stdout


def test_the_driver_is_built_from_the_sources_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    """CMake reads them all; `make test-systems` compiles them, which takes a minute."""
    script = "from lsmtune.native_builds._driver import driver_sources; print(driver_sources())"
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", script]
    answer = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    sources = Path(answer.stdout.strip())
    assert sources == installed / "lsmtune" / "native_builds" / "ycsb"
    cmake = shutil.which("cmake")
    assert cmake is not None
    command = [cmake, "-S", str(sources), "-B", str(tmp_path / "out"), "-DLSMTUNE_TESTS=OFF"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
