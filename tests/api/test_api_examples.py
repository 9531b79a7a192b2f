"""The examples in the docstrings and the pages of the door for Python give what they say, without an engine."""

import doctest
import importlib
import inspect
import pkgutil
import re
import shutil
from pathlib import Path

import pytest

import lsmtune
from lsmtune import api

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "tests" / "data" / "studies"
PAGES = [ROOT / "docs" / name for name in ("reference/python.md", "tutorials/notebook.md")]
MODULES = [importlib.import_module(f"{api.__name__}.{module.name}") for module in pkgutil.iter_modules(api.__path__)]
FOUND = {test.name: test for module in MODULES for test in doctest.DocTestFinder().find(module) if test.examples}


@pytest.fixture
def studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder holds the studies of which the examples speak."""
    for name in ("compare", "nni-command", "sweep", "tune-pruned"):
        shutil.copytree(STUDIES / name, tmp_path / "studies" / name)
    monkeypatch.chdir(tmp_path)


def run(test: doctest.DocTest) -> None:
    """Run the examples of a docstring; what differs is the message."""
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    found = runner.run(test, out=told.append)
    assert found.attempted
    assert not found.failed, "".join(told)


@pytest.mark.usefixtures("studies")
@pytest.mark.parametrize("name", FOUND)
def test_an_example_gives_what_it_says(name: str) -> None:
    run(FOUND[name])


@pytest.mark.usefixtures("studies")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_its_examples_give(page: Path) -> None:
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    run(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0))


def test_every_function_of_the_door_has_an_example() -> None:
    shown = {name.removeprefix(f"{api.__name__}.").partition(".")[2] for name in FOUND}
    assert set(lsmtune.__all__) - {"Experiment", "__version__"} <= shown
    assert {"Study.runs", "Study.export", "Study.report", "read_experiment"} <= shown


def test_the_page_has_every_function_with_its_arguments() -> None:
    rows = re.findall(r"^\| `lsmtune\.(\w+)\(([^)]*)\)` \|", PAGES[0].read_text("utf-8"), re.MULTILINE)
    told = {name: [word for each in given.split(",") if (word := each.strip(" *"))] for name, given in rows}
    functions = {name: found for name in lsmtune.__all__ if inspect.isfunction(found := getattr(lsmtune, name))}
    assert told == {name: list(inspect.signature(function).parameters) for name, function in functions.items()}
