"""Compiled code where no folder for it can be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import lsmtune

SCRIPT = """
import numpy as np
from numba import njit

from lsmtune.lsm_model import _compiled, _simulation
from lsmtune.lsm_model._simulation_tiered import merge_runs
from lsmtune.lsm_model._simulation_tree import TREE

trees = np.zeros(1, TREE)
tree = trees[0]
tree["run_count"] = 3
tree["runs"]["keys"][:3], tree["runs"]["job"][:3] = (1.0, 2.0, 4.0), (0, 7, 7)
tree["jobs"][0]["number"], tree["jobs"][0]["keys"] = 7, 5.0
merge_runs(tree, tree["jobs"][0])
print(tree["runs"]["keys"][: tree["run_count"]].tolist())

def beside(x):
    return x

beside.__code__ = beside.__code__.replace(co_filename=_compiled.__file__)
try:
    njit(cache=True)(beside)
except RuntimeError as error:
    print("no locator available" in str(error))
"""


def test_code_is_compiled_where_no_folder_can_keep_it(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file is no folder, for root neither")
    copied = Path(
        shutil.copytree(
            Path(lsmtune.__file__).parent, tmp_path / "lsmtune", ignore=shutil.ignore_patterns("__pycache__")
        )
    )
    (copied / "lsm_model" / "__pycache__").write_text("")
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"), str(blocked))
    environment = {**os.environ, **nowhere, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[1.0, 5.0]", "True"]
