"""Nothing outside `backends/` may ask which tool or engine it has: a backend answers instead.

Looked for on the syntax tree: a name of a tool or an engine in a condition, in a pattern, or as the key of a mapping.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lsmtune
from lsmtune.backends.registry import BACKENDS

SOURCE = Path(lsmtune.__file__).parent
NAMES = frozenset(name for names in BACKENDS for name in names)


def decisions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what decides: conditions, comparisons, patterns, keys."""
    for node in ast.walk(tree):
        match node:
            case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
                yield node.test
            case ast.comprehension():
                yield from node.ifs
            case ast.BoolOp() | ast.Compare():
                yield node
            case ast.match_case():
                yield node.pattern
            case ast.Dict():
                yield from (key for key in node.keys if key is not None)


def named(decision: ast.AST) -> Iterator[int]:
    """Yield the lines on which a decision names a tool or an engine, alone or as the first word of a text."""
    for node in ast.walk(decision):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            first = node.value.split(" ")[0].removesuffix(".")
            if first in NAMES and node.value.strip(" .") == first:
                yield node.lineno


def found_in(text: str) -> list[int]:
    """Return the lines of a program on which a name decides."""
    return sorted({line for decision in decisions(ast.parse(text)) for line in named(decision)})


@pytest.mark.parametrize(
    "text",
    [
        'if engine == "rocksdb":\n    pass',
        'x = 1 if tool in ("ycsb", "db_bench") else 2',
        'x = [each for each in y if each == "leveldb"]',
        'x = {"db_bench": 1}',
        'match x:\n    case "leveldb":\n        pass',
        'assert facts.startswith("rocksdb ")',
    ],
)
def test_a_name_that_decides_is_seen(text: str) -> None:
    assert found_in(text) == [1] or found_in(text) == [2]


def test_no_file_outside_backends_asks_for_a_tool_or_an_engine() -> None:
    asking = {}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        if place.parts[0] not in ("backends", "testing") and (lines := found_in(path.read_text("utf-8"))):
            asking[str(place)] = lines
    assert asking == {}
