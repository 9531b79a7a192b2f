"""The examples in the docstrings of the door for Python give what they say, without an engine or a network."""

import doctest
import importlib
import pkgutil
import shutil
from pathlib import Path

import pytest

import lsmtune
from lsmtune import api

STUDIES = Path(__file__).parents[1] / "data" / "studies"
MODULES = [importlib.import_module(f"{api.__name__}.{module.name}") for module in pkgutil.iter_modules(api.__path__)]
FOUND = {test.name: test for module in MODULES for test in doctest.DocTestFinder().find(module) if test.examples}


@pytest.fixture
def studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder holds the studies of which the examples speak."""
    for name in ("compare", "nni-command", "sweep", "tune-pruned"):
        shutil.copytree(STUDIES / name, tmp_path / "studies" / name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("studies")
@pytest.mark.parametrize("name", FOUND)
def test_an_example_gives_what_it_says(name: str) -> None:
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(FOUND[name], out=told.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(told)


def test_every_function_of_the_door_has_an_example() -> None:
    shown = {name.removeprefix(f"{api.__name__}.").partition(".")[2] for name in FOUND}
    assert set(lsmtune.__all__) - {"Experiment", "__version__"} <= shown
    assert {"Study.runs", "Study.export", "Study.report", "read_experiment"} <= shown
