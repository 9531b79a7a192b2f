"""Where each key of a TOML text stands.

`tomllib` gives values without places. This scanner reads text that `tomllib` has already accepted, so it
only has to find keys; it checks nothing.
"""

import re
import tomllib
from bisect import bisect_left

from lsmtune.backends import KeyPath

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'",
    re.DOTALL,
)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table, key and array item of a valid TOML text."""
    scanner = _Scanner(text)
    scanner.scan()
    return scanner.lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """Return the line of `path`, or of the deepest part of it that is there; 1 where none is."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._newlines = [match.start() for match in re.finditer("\n", text)]
        self._sizes: dict[KeyPath, int] = {}

    def scan(self) -> None:
        table: KeyPath = ()
        while self._next():
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> KeyPath:
        """Read ``[a.b]`` or ``[[a.b]]`` and return the path of the table."""
        depth = 2 if self._text.startswith("[[", self._at) else 1
        self._at += depth
        path: KeyPath = ()
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, self._line())
            if path in self._sizes:
                path = (*path, self._sizes[path] - 1)
        if depth == 2:
            array = path[:-1] if path and isinstance(path[-1], int) else path
            self._sizes[array] = self._sizes.get(array, 0) + 1
            path = (*array, self._sizes[array] - 1)
        self.lines[path] = self._line()
        self._next()
        self._at += depth
        return path

    def _pair(self, table: KeyPath) -> None:
        """Read ``a.b = value``."""
        path = table
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, self._line())
        self.lines[path] = self._line()
        self._take("=")
        self._value(path)

    def _key(self) -> list[str]:
        parts = []
        while True:
            if self._next() in ("'", '"'):
                parts.append(str(tomllib.loads(f"key = {self._match(_STRING)}")["key"]))
            else:
                parts.append(self._match(_BARE_KEY))
            if self._next() != ".":
                return parts
            self._at += 1

    def _value(self, path: KeyPath) -> None:
        match self._next():
            case "'" | '"':
                self._match(_STRING)
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case _:
                self._match(_BARE_VALUE)

    def _array(self, path: KeyPath) -> None:
        self._take("[")
        index = 0
        while self._next() != "]":
            self.lines[(*path, index)] = self._line()
            self._value((*path, index))
            index += 1
            if self._next() == ",":
                self._at += 1
        self._take("]")

    def _inline_table(self, path: KeyPath) -> None:
        self._take("{")
        while self._next() != "}":
            self._pair(path)
            if self._next() == ",":
                self._at += 1
        self._take("}")

    def _next(self) -> str:
        """Skip blanks and comments; return the character there, or nothing at the end."""
        self._match(_BLANK)
        return self._text[self._at : self._at + 1]

    def _take(self, character: str) -> None:
        if self._next() != character:
            raise ValueError(f"expected {character} in line {self._line()}")
        self._at += 1

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise ValueError(f"unreadable text in line {self._line()}")
        self._at = match.end()
        return match[0]

    def _line(self) -> int:
        return bisect_left(self._newlines, self._at) + 1
