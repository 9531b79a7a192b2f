"""One word for one thing: the last table of the glossary holds for pages, messages and help."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from doc_pages import DOCS, ROOT, written

from lsmtune.model import Purpose, Status

GLOSSARY = DOCS / "explanation" / "glossary.md"
OLD_FORMATS = {("src/lsmtune/analysis/_runs.py", "contaminated"), ("src/lsmtune/store/_schema.py", "contaminated")}
"""What is read in files of old versions keeps its word."""


def table() -> dict[str, list[str]]:
    """The words of the glossary, each with those that are not to be used for it."""
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \|$", GLOSSARY.read_text("utf-8").partition("\n## One word")[2], re.MULTILINE
    )
    return {word: others.split(", ") for word, others in rows[2:]}


def refused() -> re.Pattern[str]:
    """What finds a word that is not to be used, also where a line ends inside of it."""
    words = (
        re.sub(" ", r"\\s+", re.escape(word).replace(r"\ ", " ")) for others in table().values() for word in others
    )
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


def said(path: Path) -> Iterator[str]:
    """The texts in a file of Python, docstrings among them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_the_table_of_the_glossary_is_read() -> None:
    assert table()["reverted"] == ["taken back", "put back"]
    assert refused().search("was taken\nback")
    assert not refused().search("takes it back")


def test_pages_use_the_words_of_the_glossary() -> None:
    found = [
        f"{page.relative_to(ROOT)}: {match[0]!r}" for page in written() for match in refused().finditer(_text_of(page))
    ]
    assert not found


def test_messages_and_help_use_the_words_of_the_glossary() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]!r}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for text in said(path)
        for match in refused().finditer(text)
        if (str(path.relative_to(ROOT)), match[0]) not in OLD_FORMATS
    ]
    assert not found
    topics = sorted((ROOT / "src" / "lsmtune" / "cli" / "topics").glob("*.md"))
    assert topics
    assert not [path.name for path in topics if refused().search(path.read_text("utf-8"))]


def test_the_glossary_has_every_purpose_and_every_status() -> None:
    text = GLOSSARY.read_text("utf-8")
    for name in (*Purpose, *Status):
        assert f"`{name}`" in text, name


def _text_of(page: Path) -> str:
    text = page.read_text("utf-8")
    return text.partition("\n## One word")[0] if page == GLOSSARY else text
