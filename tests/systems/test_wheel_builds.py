"""A core installation from the wheel, in an environment of its own: it builds the driver, and tunes with it."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPERIMENT = """
[engine]
name = "leveldb"

[workload]
tool = "ycsb"
benchmarks = "load"
num = "20k"

[space]
options = ["write_buffer_size", "block_size"]

[search]
noise_runs = 3

[host]
disturbed = "use"
min_free = "16MiB"
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with lsmtune and the libraries of its core, from the registry of the user's pip."""
    folder = tmp_path_factory.mktemp("environment")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    pip = folder / "venv" / "bin" / "pip"
    subprocess.run([pip, "install", "-q", "--disable-pip-version-check", str(wheel)], check=True)
    return folder / "venv"


def test_an_installed_lsmtune_builds_its_driver_and_tunes_with_it(environment: Path, tmp_path: Path) -> None:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("LSMTUNE_", "PYTHON"))}
    variables |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": f"{environment}/bin:{os.environ['PATH']}"}

    def lsmtune(*words: str) -> str:
        answer = subprocess.run(
            ["lsmtune", *words], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    driver = tmp_path / "cache" / "lsmtune" / "driver" / "lsmtune-ycsb"
    assert lsmtune("build", "driver") == f"{driver} is built\n"
    assert lsmtune("build", "driver") == f"{driver} is built already\n"
    said = subprocess.run([driver, "--version"], capture_output=True, text=True, check=True).stdout
    assert "rocksdb " in said
    assert "leveldb " in said
    assert "left out" not in said
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    lsmtune("tune", "experiment.toml", "--study", "study", "--budget", "30 runs", "--quiet")
    assert "ycsb" in lsmtune("show", "study")
    lsmtune("export", "study", "--output", "tuned", "--unstable", "--guard-undecided")
    assert (tmp_path / "tuned").stat().st_size
