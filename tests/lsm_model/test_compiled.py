"""Where compiled code is kept, when it is made anew, and that it says so."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lsmtune

SCRIPT = """
import logging

import numpy as np

from lsmtune.lsm_model._compiled import entry
from lsmtune.lsm_model._simulation_tiered import merge_runs
from lsmtune.lsm_model._simulation_tree import TREE

logging.basicConfig(level=logging.INFO)


@entry
def merged(tree):
    merge_runs(tree, tree.jobs[0])


trees = np.zeros(1, TREE)
tree = trees[0]
tree["run_count"] = 3
tree["runs"]["keys"][:3], tree["runs"]["job"][:3] = (1.0, 2.0, 4.0), (0, 7, 7)
tree["jobs"][0]["number"], tree["jobs"][0]["keys"] = 7, 5.0
merged(tree)
print(tree["runs"]["keys"][: tree["run_count"]].tolist())
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package, beside a script that calls a part of it."""
    (tmp_path / "script.py").write_text(SCRIPT)
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(Path(lsmtune.__file__).parent, tmp_path / "lsmtune", ignore=ignored))


def is_compiled_anew(copied: Path, **places: Path) -> bool:
    """Run the script; return whether it said that it compiles."""
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), "/dev/null")
    environment = {**os.environ, **nowhere, **{name: str(place) for name, place in places.items()}}
    environment["PYTHONPATH"] = str(copied.parent)
    argv = [sys.executable, str(copied.parent / "script.py")]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[1.0, 5.0]\n"
    return "compiling the model of the engine, once" in done.stderr


def block(copied: Path) -> None:
    """Let a file stand where the package's folder for compiled code would be, which is no folder, for root neither."""
    (copied / "lsm_model" / "__pycache__").write_text("")


def test_what_was_compiled_is_kept_beside_the_code(copied: Path) -> None:
    assert is_compiled_anew(copied)
    assert not is_compiled_anew(copied)


def test_a_package_that_cannot_be_written_to_keeps_it_in_the_users_cache(copied: Path, tmp_path: Path) -> None:
    block(copied)
    assert is_compiled_anew(copied, XDG_CACHE_HOME=tmp_path / "cache")
    assert list((tmp_path / "cache" / "lsmtune").rglob("*.nbi"))
    assert not is_compiled_anew(copied, XDG_CACHE_HOME=tmp_path / "cache")


def test_it_is_kept_where_numba_is_told_to(copied: Path, tmp_path: Path) -> None:
    assert is_compiled_anew(copied, NUMBA_CACHE_DIR=tmp_path / "named")
    assert not is_compiled_anew(copied, NUMBA_CACHE_DIR=tmp_path / "named")


def test_code_is_compiled_where_no_folder_can_keep_it(copied: Path) -> None:
    block(copied)
    assert is_compiled_anew(copied)


def test_what_calls_a_function_is_compiled_anew_when_that_has_changed(copied: Path) -> None:
    assert is_compiled_anew(copied)
    with (copied / "lsm_model" / "_simulation_tree.py").open("a") as file:
        file.write("# changed\n")
    assert is_compiled_anew(copied)
