"""The order of the pages in the site, from the links of the pages themselves.

Sphinx wants a table of contents in a directive that GitHub shows as code. So the pages that list others, the READMEs of
the folders, stay plain lists and tables of links, and the directive is added here while a page is read. A page that no
README lists is an error of the build.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

TOP = (
    "docs/README",
    "docs/tutorials/README",
    "docs/how-to/README",
    "docs/reference/README",
    "docs/explanation/README",
    "docs/contribute/README",
    "Evidence </reproductions/README>",
    "CHANGELOG",
)
"""What the first page of the site lists, as its own links are those of a reader in a hurry; one has a short title."""

ELSEWHERE = {
    "docs/contribute/README": (
        "CONTRIBUTING",
        "native/ycsb/README",
        "examples/cluster/README",
        "examples/extending/README",
    )
}
"""Pages that lie outside of the folder of their kind."""

_LINK = re.compile(r"\]\(([^)#:\s]+)\.md(?:#[^)]*)?\)")


def listed(page: str, text: str) -> tuple[str, ...]:
    """Return the pages that one lists, by their paths without an ending, in the order of its links.

    Args:
        page: its own path from the root of the repository, without an ending.
        text: its Markdown.
    """
    path = PurePosixPath(page)
    if page == "README":
        return TOP
    if path.name != "README" or page == "docs/README":
        return ()
    return tuple(dict.fromkeys((*_below(path.parent, text), *ELSEWHERE.get(page, ()))))


def _below(folder: PurePosixPath, text: str) -> Iterator[str]:
    for link in _LINK.findall(text):
        page = PurePosixPath(normpath(folder / link))
        if page != folder / "README" and page.is_relative_to(folder):
            yield str(page)


def add_contents(_app: Any, page: str, source: list[str]) -> None:
    """Add the table of contents to a page that lists others; see `listed`."""
    if pages := listed(page, source[0]):
        lines = "\n".join(each if each.endswith(">") else f"/{each}" for each in pages)
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx of it."""
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
