"""Writes the generated pages of docs/ from the code, or checks that they are current.

Usage: python tools/gen_docs.py [--check]
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from docs_pages import (
    cli_page,
    completion,
    experiment_page,
    indicators_page,
    linter_page,
    manual_page,
    options_page,
    python_page,
    schema_text,
    target_page,
)
from lsmtune.exporters import target_names

DOCS = Path(__file__).parent.parent / "docs"

PAGES: Mapping[str, Callable[[], str]] = {
    "reference/options.md": options_page,
    "reference/options-leveldb.md": lambda: options_page("leveldb"),
    "reference/indicators.md": indicators_page,
    "reference/linter.md": linter_page,
    "reference/experiment-file.md": experiment_page,
    "reference/schema/experiment.schema.json": schema_text,
    "reference/cli.md": cli_page,
    "reference/python-api.md": python_page,
    "share/man/man1/lsmtune.1": manual_page,
    "share/bash-completion/completions/lsmtune": partial(completion, "bash"),
    "share/zsh/site-functions/_lsmtune": partial(completion, "zsh"),
    "share/fish/vendor_completions.d/lsmtune.fish": partial(completion, "fish"),
    **{f"reference/targets/{name}.md": partial(target_page, name) for name in target_names()},
}
"""What is generated, by its place in the folder of the documentation."""


def stale(folder: Path) -> list[str]:
    """Return the pages that are missing or differ from what the code says."""
    return [name for name, make in PAGES.items() if not _is_current(folder / name, make())]


def write(folder: Path) -> None:
    for name, make in PAGES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(), "utf-8")


def main(arguments: Sequence[str], folder: Path = DOCS) -> int:
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python tools/gen_docs.py [--check]\n")
        return 2
    if not arguments:
        write(folder)
        return 0
    found = stale(folder)
    for name in found:
        sys.stderr.write(f"{folder / name} is not current; run python tools/gen_docs.py\n")
    return 1 if found else 0


def _is_current(path: Path, text: str) -> bool:
    return path.exists() and path.read_text("utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
