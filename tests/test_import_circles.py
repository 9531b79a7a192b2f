"""No module of lsmtune imports itself over others when it is loaded; what is imported inside functions comes later."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import lsmtune

SOURCE = Path(lsmtune.__file__).parent


def modules() -> dict[str, Path]:
    """Return the file of each module by its name."""
    named = {}
    for path in SOURCE.rglob("*.py"):
        parts = (SOURCE.name, *path.relative_to(SOURCE).with_suffix("").parts)
        named[".".join(parts).removesuffix(".__init__")] = path
    return named


def imported(tree: ast.Module, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that a file imports when it is loaded."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def graph(known: dict[str, Path]) -> dict[str, set[str]]:
    """Return what each module imports of the others."""
    return {
        name: {other for other in imported(ast.parse(path.read_text("utf-8")), known) if other in known} - {name}
        for name, path in known.items()
    }


def test_no_module_imports_itself_over_others() -> None:
    found = graph(modules())
    assert len(found) > 300
    TopologicalSorter(found).prepare()


def test_a_circle_is_found() -> None:
    found = graph(modules())
    found["lsmtune.errors"].add("lsmtune.cli")
    with pytest.raises(CycleError):
        TopologicalSorter(found).prepare()
