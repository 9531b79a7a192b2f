"""The page of the Python interface: a directive for each name, which the site fills from the docstrings."""

import inspect

import lsmtune
from docs_pages._markdown import generated, page, paragraph

_INTRO = (
    "Every function and class of `import lsmtune`, with its arguments. The site has the text of the docstrings here; "
    "elsewhere `help(lsmtune.tune)` prints the same. [Python](python.md) shows how they are used together."
)


def python_page() -> str:
    """Return the page that lists the names of the door."""
    return page(
        "# Python interface",
        generated("src/lsmtune/__init__.py"),
        paragraph(_INTRO),
        *(_entry(name) for name in sorted(lsmtune.__all__, key=str.lower) if name != "__version__"),
        "## Exceptions",
        _directive("automodule:: lsmtune.errors", "members", "show-inheritance"),
    )


def _entry(name: str) -> str:
    if inspect.isclass(getattr(lsmtune, name)):
        return f"## {name}\n\n{_directive(f'autoclass:: lsmtune.{name}', 'members')}"
    return f"## {name}\n\n{_directive(f'autofunction:: lsmtune.{name}')}"


def _directive(words: str, *options: str) -> str:
    return "\n".join(("```{eval-rst}", f".. {words}", *(f"   :{option}:" for option in options), "```"))
