"""Nothing outside `backends/` may ask which tool or engine it has: a backend answers instead.

Looked for on the syntax tree: a name of a tool or an engine in a condition, in a pattern, or as the key of a mapping.
What is left of it is counted by file, so that it can only become less.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import lsmtune
from lsmtune.model import Tool
from lsmtune.space import ENGINES

SOURCE = Path(lsmtune.__file__).parent
NAMES = frozenset({*ENGINES, *(str(tool) for tool in Tool)})
LEFT = {
    "cli/init.py": 2,
    "cli/options.py": 3,
    "nni/_db_bench_trial.py": 1,  # looks for db_bench in a script of the user's
    "report/_about.py": 1,
    "report/_values.py": 3,
    "space/_catalogue.py": 1,
    "study/_builds.py": 1,
    "experiment/_experiment.py": 6,
    "experiment/_checks.py": 2,
    "experiment/_checks_leveldb.py": 2,
    "experiment/_checks_sweep.py": 1,
    "experiment/_checks_ycsb.py": 7,
    "experiment/_parse.py": 1,
    "study/_in_code.py": 3,
    "study/_prepare.py": 1,
    "study/_session.py": 2,
}


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
    """Yield the lines on which a decision names a tool or an engine."""
    for node in ast.walk(decision):
        is_name = isinstance(node, ast.Constant) and node.value in NAMES
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            is_name = node.value.id == "Tool"
        if is_name and isinstance(node, ast.expr):
            yield node.lineno


def found() -> Counter[str]:
    """Return how many names decide in each file outside `backends/` and the fakes of `testing/`."""
    counted: Counter[str] = Counter()
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        if place.parts[0] not in ("backends", "testing"):
            tree = ast.parse(path.read_text("utf-8"))
            counted[str(place)] = len({line for decision in decisions(tree) for line in named(decision)})
    return +counted


def test_no_file_outside_backends_asks_for_a_tool_or_an_engine_beyond_those_that_are_left() -> None:
    assert dict(found()) == LEFT
