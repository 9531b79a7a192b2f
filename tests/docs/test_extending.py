"""The extensions under examples/extending run, and say what they add."""

import subprocess
import sys

from doc_pages import ROOT

FOLDER = ROOT / "examples" / "extending"
STUDY = "tests/data/studies/tune-pruned"


def run(name: str, *words: str) -> str:
    """Run an example from the root of the repository; return what it prints."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / name), *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_sampler_keeps_its_promises_and_beats_independent_draws() -> None:
    promises, searched = run("sampler.py").splitlines()
    assert "keeps the promises" in promises
    own, drawn = (
        float(part.split()[-1]) for part in (searched.partition(": ")[2].split(", ")[0], searched.split(", ")[2])
    )
    assert own > drawn


def test_the_exporter_writes_every_change_with_its_evidence() -> None:
    text = run("exporter.py", STUDY)
    assert text.startswith("# Improved: ")
    assert "export ROCKSDB_WRITE_BUFFER_SIZE=268435456" in text
    assert text.count("\nexport ") == text.count("# was ") == 3


def test_the_rule_speaks_above_its_threshold_and_is_silent_below() -> None:
    silent, speaks = run("lint_rule.py", STUDY).splitlines()
    assert silent == "many-changes: nothing found, 3 options changed"
    assert speaks.startswith("many-changes: result: the result changes 10 options")


def test_the_page_names_every_example_with_the_command_that_runs_it() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    for path in FOLDER.glob("*.py"):
        assert f"examples/extending/{path.name}" in page
