"""Golden files: what a report looks like, kept as text; `pytest --rewrite-golden` writes them anew."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ("cli_fixtures", "executor_fixtures")

# A shell's background job ignores Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests run the db_bench in PATH, whatever make rocksdb built for this user; set LSMTUNE_DB_BENCH to test another.
_INSTALLED = shutil.which("db_bench")
if _INSTALLED is not None:
    os.environ.setdefault("LSMTUNE_DB_BENCH", _INSTALLED)

_FOLDER = Path(__file__).parent / "report" / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden files of reports anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of a name, or write it."""

    def check(name: str, text: str) -> None:
        path = _FOLDER / name
        if request.config.getoption("--rewrite-golden", default=False):
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing; write it with `pytest tests/report --rewrite-golden`"
        assert text == path.read_text(encoding="utf-8")

    return check
