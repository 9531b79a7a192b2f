"""One word for one thing: the last tables of the glossary hold for pages, messages and help."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from doc_pages import DOCS, ROOT, written

from lsmtune.model import Purpose, Status

GLOSSARY = DOCS / "explanation" / "glossary.md"
_CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`]*`", re.MULTILINE | re.DOTALL)
OLD_FORMATS = {("src/lsmtune/analysis/_runs.py", "contaminated"), ("src/lsmtune/store/_schema.py", "contaminated")}
"""What is read in files of old versions keeps its word."""
MEANS_ELSE = {
    "default": r"\b(?:against|over|beside) the default\b(?! (?:of|sampler)\b)",
    "starting point": r"\bkeep the starting point\b|\b(?:against|over|than) the starting point\b|"
    r"\bstarting points? run\b|\b(?:starting|initial) (?:configurations?|values?)\b",
    "baseline run": r"\bbaselines\b|\b(?:no|another|own|further|third|untuned) baseline\b(?! runs?)|"
    r"\b(?:against|over|than) the baseline\b|\bbaseline (?:configurations?|values?|options?)\b",
    "finding": r"\b[Ww]arn(?:s|ed|ing|ings)?\b",
    "rival": r"\brivals\b|\brival (?:samplers?|builds?|configurations?|arms?|values?)\b",
    "variant": r"\bvariants? of (?:the|an?)\b",
    "arm": r"\barms? of (?:the|a) (?:conditions?|rules?|machines?)\b",
    "step": r"\b(?:next|exact) steps?\b|\bin steps\b|\bone step\b|\bsteps? (?:more|down|further)\b",
    "trial": r"\btrial runs?\b|\btrials? of (?:the|a) (?:sweep|sample|verification|finalists?)\b|\bon trial\b",
    "sample": r"\b(?:between|largest) (?:two )?samples?\b|\b(?:random|small) samples?\b|\bsampled (?:while|every|by)\b|"
    r"\bsamples? of (?:the )?(?:keys|values|blocks|files|runs|records|operations)\b",
}
"""Phrases in which a word means another thing than the glossary says; `finding` is also called otherwise."""
COLUMNS = {"src/lsmtune/store/_rows.py", "src/lsmtune/store/_schema.py"}
"""Their texts are SQL, whose names are a format."""


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


@cache
def messages() -> tuple[tuple[str, str], ...]:
    """Sentences in code, each with its file; users read docstrings in generated pages."""
    found = list[tuple[str, str]]()
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in described)
        found += [
            (str(path.relative_to(ROOT)), text.value)
            for text in texts
            if isinstance(text.value, str) and " " in text.value.strip()  # one word is a name, as a key of JSON
        ]
    return tuple(found)


def meanings() -> dict[str, list[str]]:
    """The words that mean one thing only, each with the phrases that the glossary gives for others."""
    rows = re.findall(
        r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", GLOSSARY.read_text("utf-8").partition("\n## One word")[2], re.MULTILINE
    )
    return {word: re.findall(r'"([^"]+)"', wrong) for word, wrong in rows[2:]}


def means_else(word: str) -> re.Pattern[str]:
    """What finds phrases in which a word means another thing, also where a line ends inside of them."""
    flags = re.NOFLAG if word == "finding" else re.IGNORECASE  # WARN is a level of a LOG
    return re.compile(MEANS_ELSE[word].replace(" ", r"\s+"), flags)


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


def test_every_wrong_use_of_the_glossary_is_found() -> None:
    assert meanings().keys() == MEANS_ELSE.keys()
    for word, phrases in meanings().items():
        assert phrases
        assert [phrase for phrase in phrases if not means_else(word).search(phrase)] == [], word


def test_right_uses_are_let_pass() -> None:
    right = "the default of the build, a baseline run of a starting point, steps under [[steps]], [WARN] in a LOG"
    assert not [word for word in MEANS_ELSE if means_else(word).search(right)]


@pytest.mark.parametrize("word", MEANS_ELSE)
def test_pages_use_a_word_for_one_thing(word: str) -> None:
    found = [
        f"{page.relative_to(ROOT)}: {match[0]!r}"
        for page in written()
        for match in means_else(word).finditer(_CODE.sub("code", _text_of(page)))
    ]
    assert not found


@pytest.mark.parametrize("word", MEANS_ELSE)
def test_messages_use_a_word_for_one_thing(word: str) -> None:
    found = [
        f"{path}: {match[0]!r}"
        for path, text in messages()
        for match in means_else(word).finditer(text)
        if not (word == "finding" and path in COLUMNS)
    ]
    topics = sorted((ROOT / "src" / "lsmtune" / "cli" / "topics").glob("*.md"))
    assert not found
    assert not [path.name for path in topics if means_else(word).search(path.read_text("utf-8"))]


def test_the_glossary_has_every_purpose_and_every_status() -> None:
    text = GLOSSARY.read_text("utf-8")
    for name in (*Purpose, *Status):
        assert f"`{name}`" in text, name


def _text_of(page: Path) -> str:
    text = page.read_text("utf-8")
    return text.partition("\n## One word")[0] if page == GLOSSARY else text
