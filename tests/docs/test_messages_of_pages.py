"""The messages and the states of studies that pages explain are those that lsmtune prints."""

import ast
import re
from functools import cache

from doc_pages import DOCS, ROOT

from lsmtune.report import State

PAGE = DOCS / "how-to" / "troubleshooting.md"
_ROW = re.compile(r"^\| (`[^|]*`) \|", re.MULTILINE)
_DIFFERS = re.compile(
    r"\.\.\.|\"[^\"]*\"|\bdb_bench\b|\bstudy\.sqlite-wal\b|\b\d[\d.,]*\b|\b[A-Z](?![\w'])|\b[A-Z][A-Z_]+\b"
)
"""Parts of a message that stand for others: names in capitals, numbers, what is quoted, the program."""


def messages() -> list[str]:
    """The messages of the page: all that is code in the first cell of a row."""
    return [told for cell in _ROW.findall(PAGE.read_text("utf-8")) for told in re.findall(r"`([^`]*)`", cell)]


def fixed(message: str) -> list[str]:
    """The pieces of a message of two words and more that are the same each time."""
    pieces = (" ".join(piece.split()).strip(" ,:;()[]%") for piece in _DIFFERS.split(message))
    return [piece for piece in pieces if " " in piece]


@cache
def said() -> str:
    """The texts of the source but for docstrings, each on a line; parts that are computed are left out."""
    texts = list[str]()
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts += [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described
        ]
    return "\n".join(" ".join(text.split()) for text in texts)


def test_every_message_of_the_page_is_one_that_lsmtune_prints() -> None:
    assert len(messages()) > 60
    unknown = {told: piece for told in messages() for piece in fixed(told) if piece not in said()}
    assert not unknown


def test_no_message_of_the_page_is_all_that_differs() -> None:
    assert not [told for told in messages() if not fixed(told) and told != "db_bench failed: ..."]


def test_a_message_is_cut_where_it_differs() -> None:
    assert fixed("N keys at scale S are M; at least 1,000 are needed") == ["keys at scale", "at least", "are needed"]
    assert fixed('option "NAME" has a range but is not searched') == ["has a range but is not searched"]


def test_the_page_on_cards_has_every_state_of_a_study_once() -> None:
    page = (DOCS / "how-to" / "read-your-card.md").read_text("utf-8")
    rows = re.findall(r"^\| (\*[^|]*\*) \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE)
    told = [state for cell in rows for state in re.findall(r"\*([^*]*)\*", cell)]
    assert sorted(told) == sorted(map(str, State))
