"""What docs/contribute/adding-an-engine.md quotes is what the files say."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUOTED = re.compile(r"^<!-- from (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "docs" / "contribute" / "adding-an-engine.md").read_text("utf-8")


def test_the_page_quotes_all_that_a_backend_consists_of() -> None:
    files = {path for path, _ in QUOTED.findall(PAGE)}
    folder = "tests/backends/invented"
    assert files == {f"{folder}/{name}" for name in ("catalogue.toml", "presets.toml", "bench.py", "backend.py")}


@pytest.mark.parametrize(("path", "text"), QUOTED.findall(PAGE))
def test_a_quotation_is_equal_to_its_file(path: str, text: str) -> None:
    assert lines_of(text) in lines_of((ROOT / path).read_text("utf-8"))


def lines_of(text: str) -> str:
    """Return a text without blank lines and indentation, which the page's format decides."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
