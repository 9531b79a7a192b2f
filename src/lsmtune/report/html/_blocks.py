"""What a page is made of, and how the tables of the terminal become part of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.report.html._chart import Chart

_CLASSES = {"green": "good", "red": "bad", "bold": "strong", "yellow": "warn"}


@dataclass(frozen=True)
class Paragraph:
    """A sentence; `look` is a class of the style sheet."""

    text: str
    look: str = ""
    kind: str = "paragraph"


@dataclass(frozen=True)
class Heading:
    """The heading of a part of a section."""

    text: str
    kind: str = "heading"


@dataclass(frozen=True)
class Bullets:
    """Sentences one below the other."""

    items: tuple[str, ...]
    kind: str = "bullets"


@dataclass(frozen=True)
class Listing:
    """Text as it is, in a box."""

    text: str
    label: str
    kind: str = "listing"


@dataclass(frozen=True)
class Cell:
    """A cell of a table; `look` is a class of the style sheet."""

    text: str
    look: str = ""


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        caption: what it shows; may be empty.
        headers: of its columns; empty for a list of names and what is said of them.
        rows: its cells, row by row.
        right: places of the columns that are aligned to the right.
    """

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: frozenset[int] = frozenset()
    kind: str = "grid"


@dataclass(frozen=True)
class Picture:
    """A chart."""

    chart: Chart
    kind: str = "picture"


@dataclass(frozen=True)
class Drawing:
    """A figure that lsmtune has drawn, to be shown as it is; `svg` is an element, see `element_of`."""

    title: str
    alt: str
    svg: str
    kind: str = "drawing"


@dataclass(frozen=True)
class Explorer:
    """What a script brings to life: ``"tradeoff"`` or ``"parallel"``; `chart` stands for it where there is none."""

    name: str
    chart: Chart
    kind: str = "explorer"


@dataclass(frozen=True)
class Fold:
    """Parts that are shown when asked for."""

    title: str
    parts: tuple["Part", ...]
    kind: str = "fold"


@dataclass(frozen=True)
class Printed:
    """Parts that are shown where the page is printed, and not on a screen."""

    parts: tuple["Part", ...]
    kind: str = "printed"


Part: TypeAlias = Paragraph | Heading | Bullets | Listing | Grid | Picture | Drawing | Explorer | Fold | Printed


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes:
        key: its anchor.
        title: its heading.
        parts: what is in it.
        chapter: heading of the chapter that it belongs to; empty on pages without chapters.
    """

    key: str
    title: str
    parts: tuple[Part, ...]
    chapter: str = ""


def charts_in(parts: Iterable[Part]) -> Iterator[Chart]:
    """Yield the charts among parts, those in folds too."""
    for part in parts:
        if isinstance(part, Picture | Explorer):
            yield part.chart
        elif isinstance(part, Fold):
            yield from charts_in(part.parts)


def parts_of(renderable: RenderableType, caption: str = "") -> Iterator[Part]:
    """Yield what a piece of a terminal card becomes on a page; groups are taken apart.

    Args:
        renderable: text, a table, or a group of them.
        caption: of a table that has no title.
    """
    if isinstance(renderable, Text):
        if "bold" in str(renderable.style) and "cyan" in str(renderable.style):
            yield Heading(renderable.plain)
        elif renderable.plain:
            yield Paragraph(renderable.plain, _look(renderable))
    elif isinstance(renderable, Table):
        yield grid_of(renderable, caption)
    elif isinstance(renderable, Group):
        for each in renderable.renderables:
            yield from parts_of(each, caption)


def grid_of(table: Table, caption: str = "") -> Grid:
    """Return a table of the terminal as one of a page, without empty columns."""
    columns = [column for column in table.columns if _plain(column.header) or any(map(_plain, column.cells))]
    cells = [[Cell(_plain(cell), _look(cell)) for cell in column.cells] for column in columns]
    headers = tuple(_plain(column.header) for column in columns)
    return Grid(
        caption=_plain(table.title) if table.title else caption,
        headers=headers if table.show_header and any(headers) else (),
        rows=tuple(zip(*cells, strict=True)),
        right=frozenset(place for place, column in enumerate(columns) if column.justify == "right"),
    )


def rows_of(caption: str, headers: Iterable[str], rows: Iterable[Iterable[str]], right: Iterable[int] = ()) -> Grid:
    """Return a table of words."""
    cells = tuple(tuple(Cell(text) for text in row) for row in rows)
    return Grid(caption, tuple(headers), cells, frozenset(right))


def _plain(content: RenderableType) -> str:
    return content.plain if isinstance(content, Text) else content if isinstance(content, str) else ""


def _look(content: RenderableType) -> str:
    return _CLASSES.get(str(content.style), "") if isinstance(content, Text) else ""
