"""Golden files: what a report looks like, kept as text; `pytest --rewrite-golden` writes them anew."""

import math
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

# Before numpy is loaded: with as many threads in each worker as there are cores they mostly wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from lsmtune.backends import fingerprint
from lsmtune.backends.db_bench import backend
from lsmtune.backends.rocksdb import discover
from lsmtune.executors import Limits, LocalExecutor, Watcher, _local
from lsmtune.indicators import INDICATORS
from lsmtune.model import EngineBuild, Outcome, Run, Status
from lsmtune.store import _database

pytest_plugins = ("build_fixtures", "cli_fixtures", "executor_fixtures")

# A shell's background job ignores Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests wait for no measurement on this host, nor one worker of theirs for another: none depends on a quiet machine.
_LOCK = f"lsmtune-tests-{os.getuid()}-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.lock"
os.environ["LSMTUNE_HOST_LOCK"] = str(Path(tempfile.gettempdir()) / _LOCK)

# Tests run the db_bench in PATH, whatever make rocksdb built for this user; set LSMTUNE_DB_BENCH to test another.
_INSTALLED = shutil.which("db_bench")
if _INSTALLED is not None:
    os.environ.setdefault("LSMTUNE_DB_BENCH", _INSTALLED)

# And the driver that `make native` built here.
_BUILT = Path(__file__).parents[1] / "native" / "ycsb" / "build" / "lsmtune-ycsb"
if _BUILT.is_file():
    os.environ.setdefault("LSMTUNE_DRIVER", str(_BUILT))


# What takes longest (2026-11-29): begun last, it would be waited for when nothing else is left.
_LONGEST = (
    "docs/test_doc_commands.py",
    "production/test_tutorial.py",
    "watch/test_watch_browser.py",
    "hosts/test_cluster_faults.py",
    "hosts/test_cluster.py",
    "study/test_tune_honesty.py",
    "cli/test_cli_max_rate.py",
    "api/test_api_examples.py",
    "cli/test_cli_rates_on_engine.py",
    "reproductions/test_repeat.py",
    "hosts/test_hosts_tutorial.py",
    "samplers/test_sampler_promises.py",
    "test_notebooks.py",
    "lsm_model/test_tree.py",
    "cli/test_cli_compare_builds.py",
    "api/test_api.py",
    "cli/test_cli_ycsb.py",
    "cli/test_cli_reproduce.py",
    "sampler_benchmark/test_sampler_benchmark.py",
    "html/test_html_browser.py",
    "production/test_trace_import.py",
    "html/test_html_story.py",
    "html/test_html_sweep.py",
    "study/test_tune_resume.py",
    "watch/test_watch_follow.py",
    "watch/test_watch_gate.py",
    "test_core_only.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest; pytest-xdist gives out files in this order."""
    places = {Path(__file__).parent / name: place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden files anew")
    parser.addoption("--noisy", type=int, metavar="SEED", help="run real engines on a machine that is noisier than any")


_OF_TERMINALS = (
    *("COLUMNS", "LINES", "TERMINAL_WIDTH", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE"),
)


@pytest.fixture(autouse=True, scope="session")
def asked_of_pytest_alone() -> Iterator[None]:
    """What a shell or a CI wants of colours and widths is for the output of pytest, not for that of lsmtune."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _OF_TERMINALS:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True, scope="module")
def unsynced(request: pytest.FixtureRequest) -> Iterator[None]:
    """What tests write need not survive a loss of power; those of the store show that studies would."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.parent.name != "store":
            patch.setattr(_database, "_SYNCHRONOUS", "OFF")
            patch.setattr(os, "fsync", lambda descriptor: None)
        yield


_FOUND_OUT: dict[str, EngineBuild] = {}


@pytest.fixture(autouse=True, scope="session")
def discovered_once() -> Iterator[None]:
    """What a db_bench is takes ten tiny runs to find out: a worker finds it out once, wherever the same one is."""

    def once(path: Path) -> EngineBuild:
        same = fingerprint(path, "librocksdb")
        if same not in _FOUND_OUT:
            _FOUND_OUT[same] = discover(path)
        return replace(_FOUND_OUT[same], path=path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "discover", once)
        yield


_OK_OR_DISTURBED = (Status.OK, Status.DISTURBED)


@pytest.fixture(autouse=True)
def noisy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``--noisy SEED``: what real engines measure is scattered, now and then by a lot, and often disturbed.

    No test may fail for it. Indicators that others on the host cannot change keep their values, and so do all of a
    program whose numbers are its own (tests marked ``steady``).
    """
    seed = request.config.getoption("--noisy", default=None)
    if seed is None:
        return
    rng = random.Random(f"{seed} {request.node.nodeid}")
    spread = rng.choice((0.05, 0.3, 1.0))  # of the logarithm
    disturbed = rng.choice((0.0, 0.3, 1.0))
    is_steady = request.node.get_closest_marker("steady") is not None

    def is_kept(name: str) -> bool:
        known = INDICATORS.get(name.partition("@")[0])
        return is_steady or (known is not None and known.steady)

    def scattered(value: float | None) -> float | None:
        if value is None:
            return None
        if value == 0:
            return float(rng.random() < 0.1)
        return value * rng.lognormvariate(0, spread) * (5 if rng.random() < 0.1 else 1)

    def run(self: LocalExecutor, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        outcome = real(self, run, limits, watch)
        if outcome.status not in _OK_OR_DISTURBED or outcome.measurement is None:
            return outcome
        given = outcome.measurement.indicators
        measured = {name: value if is_kept(name) else scattered(value) for name, value in given.items()}
        took_s = scattered(outcome.elapsed_s) or 0.0
        outcome = replace(outcome, elapsed_s=took_s, measurement=replace(outcome.measurement, indicators=measured))
        if math.isfinite(_local._JUDGED_S) and rng.random() < disturbed:
            return replace(outcome, status=Status.DISTURBED, reason="others used 97 % of the processors")
        return replace(outcome, status=Status.OK, reason="")

    real = LocalExecutor.run
    monkeypatch.setattr(LocalExecutor, "run", run)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of a name beside the test, or write it."""

    def check(name: str, text: str) -> None:
        path = request.path.parent / "golden" / name
        if request.config.getoption("--rewrite-golden", default=False):
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing; write it with `pytest {path.parent.parent} --rewrite-golden`"
        assert text == path.read_text(encoding="utf-8")

    return check
