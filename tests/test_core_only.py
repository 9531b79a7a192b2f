"""The core by itself: tune, compare, show, export and diagnose load nothing that an extra brings."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from lsmtune.extras import EXTRAS
from lsmtune.testing import fake_db_bench

ROOT = Path(__file__).parents[1]

EXPERIMENT = """
[workload]
benchmarks = "fillrandom"
num = "1M"
value_size = "1KiB"

[space]
options = ["write_buffer_size", "max_background_jobs", "compression_type"]

[search]
noise_runs = 3
cap = 50

[host]
disturbed = "use"
min_free = "16MiB"

[[compare]]
name = "no compression"
set = { compression_type = "none" }
"""

# Runs commands one after the other in one process in which no other library than those of the core can be found.
RUN = r"""
import json, sys
from importlib.abc import MetaPathFinder

refused, commands = map(json.loads, sys.argv[1:3])
asked = []

class Refusing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            asked.append(name.partition(".")[0])
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusing())
from lsmtune.cli import main
from lsmtune.executors import _held

_held._LOOK_S, _held._QUIET_S = 0.01, 0.02  # what stands in for db_bench rests once it is held

codes, wanted = [], []
for words in commands:
    sys.argv = ["lsmtune", *words]
    try:
        main()
    except SystemExit as ended:
        codes.append(ended.code)
    wanted.append(sorted(set(asked)))
    asked.clear()
print(json.dumps({"codes": codes, "wanted": wanted}))
"""


def normal(name: str) -> str:
    """The name of a distribution as all spellings of it have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def core() -> set[str]:
    """The distributions that a core install brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known: set[str] = set()
    waiting = list(project["dependencies"])
    while waiting:
        asked, _, marker = waiting.pop().partition(";")
        name = normal(re.split(r"[^\w.-]", asked.strip(), maxsplit=1)[0])
        if name in known or "extra" in marker:
            continue
        known.add(name)
        try:
            waiting += requires(name) or []
        except PackageNotFoundError:  # for another system or Python
            known.discard(name)
    return known


def beyond_the_core() -> list[str]:
    """The modules of all libraries here that a core install does not bring."""
    brought = core()
    return [
        module
        for module, owners in packages_distributions().items()
        if not {normal(owner) for owner in owners} & (brought | {"lsmtune"})
    ]


def run(refused: list[str], commands: list[tuple[str, ...]], folder: Path) -> tuple[list[int], list[list[str]]]:
    """Run commands without some libraries; return their exit codes and which of these libraries each asked for."""
    words = [sys.executable, "-c", RUN, json.dumps(refused), json.dumps(commands)]
    answer = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    said = json.loads(answer.stdout.splitlines()[-1])
    return said["codes"], said["wanted"]


def test_the_core_tunes_shows_exports_and_diagnoses_without_the_libraries_of_the_extras(tmp_path: Path) -> None:
    refused = beyond_the_core()
    assert {library for libraries in EXTRAS.values() for library in libraries} <= set(refused)
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    (tmp_path / "LOG").write_text("2026/11/23-14:44:25.435455 974 RocksDB version: 7.8.3\n")
    db_bench = ("--db-bench", str(fake_db_bench.install(tmp_path)))
    as_it_is = ("--unstable", "--guard-undecided")
    commands: list[tuple[str, ...]] = [
        ("doctor", "--runs", "0", *db_bench),
        ("tune", "experiment.toml", "--study", "tuned", "--budget", "40 runs", *db_bench),
        ("compare", "experiment.toml", "--study", "compared", *db_bench),
        ("show", "tuned", "--trials", "3", "--runs", "--svg", "card.svg"),
        ("show", "compared", "--json"),
        ("timeline", "tuned"),
        ("export", "tuned", "--output", "OPTIONS", *as_it_is),
        ("export", "tuned", "--for", "kafka-streams", "--output", "Setter.java", *as_it_is),
        ("diagnose", "LOG"),
        ("memory", "--set", "write_buffer_size=256MiB"),
        ("options", "write_buffer_size"),
        ("analyze", "tuned"),
    ]
    codes, wanted = run(refused, commands, tmp_path)
    assert codes == [*(0 for _ in commands[:-1]), 2]
    # Not even asked for; that the last command has asked shows that it would be seen.
    of_extras = {library for libraries in EXTRAS.values() for library in libraries}
    assert [each for each in wanted[:-1] if of_extras & set(each)] == []
    assert of_extras & set(wanted[-1])
    assert (tmp_path / "OPTIONS").read_text().count("write_buffer_size")


def test_a_report_of_a_tuning_needs_no_library_of_the_analysis(tmp_path: Path) -> None:
    """What the extra report brings is enough for it, as that of watch brings no analysis either."""
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    db_bench = ("--db-bench", str(fake_db_bench.install(tmp_path)))
    commands: list[tuple[str, ...]] = [
        ("compare", "experiment.toml", "--study", "compared", *db_bench),
        ("report", "compared"),
        ("report", "compared", "--lite", "--figures", "figures"),
    ]
    refused = [library for extra in ("analysis", "smac", "samplers", "nni", "watch") for library in EXTRAS[extra]]
    codes, _ = run(refused, commands, tmp_path)
    assert codes == [0, 0, 0]
    assert (tmp_path / "compared" / "report.html").stat().st_size > 1_000_000
