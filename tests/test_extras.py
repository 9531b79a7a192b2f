"""The libraries of the extras: what brings them, and the one sentence where one is missing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.errors import MissingLibraryError
from lsmtune.extras import EXTRAS, extra_of, missing, need

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
STUDY = Path(__file__).parent / "data" / "studies" / "tune-pruned"
EXPERIMENT = """
workload = { benchmarks = "fillrandom", num = "1M" }
space = { preset = "write-heavy" }
sweep = { options = { write_buffer_size = ["32MiB", "64MiB"] } }
"""


def names(requirements: list[str]) -> set[str]:
    """The distributions of some requirements, without those of other extras of lsmtune."""
    found = {each.split(">")[0].split("<")[0] for each in requirements}
    return {name for name in found if not name.startswith("lsmtune[")}


def test_each_extra_of_the_project_brings_what_is_said_of_it() -> None:
    imported = {"coco-experiment": "cocoex", "scikit-learn": "sklearn", "pyyaml": "yaml"}
    extras = {name: names(listed) for name, listed in PROJECT["optional-dependencies"].items() if name != "all"}
    assert {name: {imported.get(each, each) for each in listed} for name, listed in extras.items()} == {
        name: set(libraries) for name, libraries in EXTRAS.items()
    }
    assert PROJECT["optional-dependencies"]["all"] == [f"lsmtune[{','.join(EXTRAS)}]"]


def test_what_is_missing_is_told_by_the_name_that_it_is_installed_under(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingLibraryError) as raised:
        need("lsmtune analyze", *EXTRAS["analysis"])
    expected = "lsmtune analyze needs scikit-learn, which is not installed: pip install 'lsmtune[analysis]'"
    assert str(raised.value) == expected
    need("nothing")


def test_a_library_that_no_extra_brings_has_no_command() -> None:
    assert extra_of("numpy") is None
    with pytest.raises(KeyError):
        missing("lsmtune", "numpy")


@pytest.mark.parametrize(
    ("library", "words", "sentence"),
    [
        ("plotly", ("report", str(STUDY), "-o", "x.html"), "lsmtune report needs plotly, {} 'lsmtune[report]'"),
        ("jinja2", ("report", str(STUDY), "-o", "x.html"), "lsmtune report needs jinja2, {} 'lsmtune[report]'"),
        ("pandas", ("analyze", str(STUDY)), "lsmtune analyze needs pandas, {} 'lsmtune[analysis]'"),
        ("pandas", ("sample", "e.toml"), "lsmtune sample needs pandas, {} 'lsmtune[analysis]'"),
        ("pyarrow", ("sweep", "e.toml"), "lsmtune sweep needs pyarrow, {} 'lsmtune[analysis]'"),
        ("shap", ("reproduce", "e.toml"), "lsmtune reproduce needs shap, {} 'lsmtune[analysis]'"),
        ("pyarrow", ("sweep", "r.parquet"), "a table of runs needs pyarrow, {} 'lsmtune[analysis]'"),
        (
            "matplotlib",
            ("timeline", "s", "-o", "x"),
            "lsmtune timeline --output needs matplotlib, {} 'lsmtune[report]'",
        ),
        (
            "matplotlib",
            ("analyze", str(STUDY), "--figures", "x"),
            "lsmtune analyze --figures needs matplotlib, {} 'lsmtune[report]'",
        ),
        ("cryptography", ("hosts", "keys", "k"), "lsmtune hosts keys needs cryptography, {} 'lsmtune[hosts]'"),
        (
            "distributed",
            ("hosts", "status", "tcp://127.0.0.1:1"),
            "a study on many hosts needs distributed, {} 'lsmtune[hosts]'",
        ),
        (
            "distributed",
            ("hosts", "worker", "tcp://127.0.0.1:1", "--scratch", "s"),
            "lsmtune hosts worker needs distributed, {} 'lsmtune[hosts]'",
        ),
        ("yaml", ("nni", "config.yml"), "a configuration of NNI needs PyYAML, {} 'lsmtune[nni]'"),
        ("starlette", ("watch", "."), "lsmtune watch needs starlette, {} 'lsmtune[watch]'"),
        ("jinja2", ("watch", "."), "lsmtune watch needs jinja2, {} 'lsmtune[report]'"),
    ],
)
def test_a_command_that_needs_a_library_says_so_in_one_sentence(
    lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch, library: str, words: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    Path("config.yml").write_text("trialCommand: [")
    Path("e.toml").write_text(EXPERIMENT)
    code, out, err = lsmtune(*words)
    assert (code, out) == (2, "")
    assert err == f"lsmtune: {sentence.format('which is not installed: pip install')}\n"
    assert not list(Path().glob("x*"))


def test_a_library_that_was_not_asked_for_before_is_told_too(tmp_path: Path) -> None:
    """Where an import is reached that nothing guards: any library of an extra ends in the same sentence."""
    code = (
        "import sys; from lsmtune import api; import lsmtune.cli as cli\n"
        "def load(folder):\n    raise ModuleNotFoundError(\"No module named 'joblib'\", name='joblib.parallel')\n"
        "api.load = load; sys.argv = ['lsmtune', 'show', 'x']; cli.main()"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert answer.returncode == 2
    assert (
        answer.stderr == "lsmtune: lsmtune show needs joblib, which is not installed: pip install 'lsmtune[analysis]'\n"
    )
