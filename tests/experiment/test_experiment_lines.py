"""The scanner that knows the line of each key."""

import tomllib
from typing import Any

import pytest

from lsmtune.backends import KeyPath
from lsmtune.experiment._lines import key_lines, line_of

TEXT = '''\
# comment = 1
a = 1  # b = 2
"quoted key" = "x # no comment"
c.d = { e = 1, "f" = [1, { g = 2 }] }

[table] # [no]
list = [
  "one",  # 8

  "]",
  [1, 2],
]
text = """
x = 1
\\""" still text
"""
after = 1979-05-27 07:32:00
literal = \'\'\'
y = 2\'\'\'\'
path = 'C:\\'
[table.sub . deep]
empty = []
none = {}
[[many]]
k = 1
[[many]]
k = 2
[many.inner]
z = 3
'''

LINES: dict[KeyPath, int] = {
    ("a",): 2,
    ("quoted key",): 3,
    ("c", "d", "e"): 4,
    ("c", "d", "f", 1, "g"): 4,
    ("table",): 6,
    ("table", "list"): 7,
    ("table", "list", 0): 8,
    ("table", "list", 1): 10,
    ("table", "list", 2, 1): 11,
    ("table", "text"): 13,
    ("table", "after"): 17,
    ("table", "literal"): 18,
    ("table", "path"): 20,
    ("table", "sub", "deep"): 21,
    ("table", "sub", "deep", "none"): 23,
    ("many", 0, "k"): 25,
    ("many", 1): 26,
    ("many", 1, "k"): 27,
    ("many", 1, "inner", "z"): 29,
}


def paths(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    """Every place in a document, as `tomllib` reads it."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return {path} | {inner for key, item in items for inner in paths(item, (*path, key))}


@pytest.mark.parametrize("path", LINES)
def test_each_key_has_its_line(path: KeyPath) -> None:
    assert key_lines(TEXT)[path] == LINES[path]


def test_the_scanner_finds_exactly_the_keys_that_tomllib_finds() -> None:
    assert set(key_lines(TEXT)) == paths(tomllib.loads(TEXT)) - {()}


def test_a_key_that_is_not_there_has_the_line_of_its_table() -> None:
    lines = key_lines("a = 1\n[table]\nb = 2\n")
    assert line_of(lines, ("table", "missing", "deeper")) == 2
    assert line_of(lines, ("missing",)) == 1


def test_an_empty_text_has_no_keys() -> None:
    assert key_lines("") == {}
