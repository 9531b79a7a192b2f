"""Reading an experiment file is cheap: it needs neither the analysis nor what runs a study."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.toml"))
_READ = """
import sys
from pathlib import Path
from lsmtune.experiment import load_experiment
{use}
print(*sys.modules)
"""
_FOREIGN = ("lsmtune.analysis", "lsmtune.study", "lsmtune.result", "lsmtune.store", "pandas", "sklearn")


def modules(use: str) -> set[str]:
    """Return what is imported in a process of its own that makes use of the reader."""
    done = subprocess.run([sys.executable, "-c", _READ.format(use=use)], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("use", [f"load_experiment(Path({str(EXAMPLES[0])!r}))", "import lsmtune; lsmtune.Experiment"])
def test_reading_an_experiment_file_imports_neither_the_analysis_nor_the_study(use: str) -> None:
    loaded = modules(use)
    assert "lsmtune.experiment._parse" in loaded
    assert not loaded.intersection(_FOREIGN)


def test_what_runs_a_study_imports_what_a_file_does_not() -> None:
    assert {"lsmtune.analysis", "lsmtune.study"} <= modules("import lsmtune.study")
