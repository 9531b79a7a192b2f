"""Fails when a Python file has more than 600 lines or a function more than 60, docstring included; shows the longest.

Usage: python tools/check_lengths.py [FOLDER ...]
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

MOST_LINES_OF_FILE = 600
MOST_LINES_OF_FUNCTION = 60
FOLDERS = ("src", "tests", "tools", "benchmarks")
_SHOWN = 5


class Length(NamedTuple):
    """How many lines something has, and where it is."""

    lines: int
    place: str


def files_in(folders: Sequence[Path]) -> list[Path]:
    """Return the Python files of folders, in order."""
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def file_length(path: Path) -> Length:
    return Length(len(path.read_text().splitlines()), str(path))


def function_lengths(path: Path) -> Iterator[Length]:
    """Yield the length of each function from its ``def``, decorators left out, to its last line."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield Length(node.end_lineno - node.lineno + 1, f"{path}:{node.lineno} {node.name}")


def report(what: str, lengths: Sequence[Length], most: int) -> bool:
    """Print the longest, and all that are too long; return whether none is."""
    ordered = sorted(lengths, reverse=True)
    too_long = [length for length in ordered if length.lines > most]
    sys.stdout.write(f"{len(lengths)} {what}, at most {most} lines each; the longest:\n")
    for length in ordered[: max(_SHOWN, len(too_long))]:
        sys.stdout.write(f"  {length.lines:4} {length.place}{'  TOO LONG' if length in too_long else ''}\n")
    return not too_long


def main(arguments: Sequence[str]) -> int:
    paths = files_in([Path(folder) for folder in arguments or FOLDERS])
    if not paths:
        sys.stderr.write("no Python file found; run this in the project's folder\n")
        return 1
    files = report("files", [file_length(path) for path in paths], MOST_LINES_OF_FILE)
    functions = [length for path in paths for length in function_lengths(path)]
    return 0 if report("functions", functions, MOST_LINES_OF_FUNCTION) and files else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
