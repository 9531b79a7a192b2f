"""The memory that a configuration needs, as a card and as JSON."""

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lsmtune.memory_model import Memory
from lsmtune.report._about import bullets
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import listed
from lsmtune.units import format_bytes, format_percent, plural

_BAR_WIDTH = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"


def memory_card(memory: Memory) -> RenderableType:
    """Return the card of a configuration's memory: each part with its share, and how it was calculated."""
    return Group(*_parts(memory))


def memory_json(memory: Memory) -> dict[str, Any]:
    """Return a configuration's memory for machines; sizes in B, shares from 0 to 1, null where it is not known."""
    return {
        "total_bytes": memory.total_bytes,
        "stores": memory.stores,
        "unknown": list(memory.unknown),
        "parts": [
            {
                "name": part.name,
                "bytes": part.bytes,
                "count": part.count,
                "total_bytes": part.total_bytes,
                "share": memory.share(part),
                "formula": part.formula,
                "source": part.source,
            }
            for part in memory.parts
        ],
        "assumptions": list(memory.assumptions),
    }


def _parts(memory: Memory) -> Iterator[RenderableType]:
    said = Text.assemble((format_bytes(memory.total_bytes), "bold"), " resident at its peak")
    if memory.stores > 1:
        said.append(f", with {plural(memory.stores, 'store')} in one process")
    if memory.unknown:
        said.append(
            f", without {listed(list(memory.unknown))}, which the data's size would tell (--data)", style="yellow"
        )
    yield Panel(said, title="lsmtune memory", title_align="left", border_style="yellow" if memory.unknown else "green")
    yield _shares(memory)
    yield Text()
    yield Group(section("How"), bullets([f"{part.name}: {part.formula} [{part.source}]" for part in memory.parts]))
    if memory.assumptions:
        yield Text()
        yield Group(section("Assumed"), bullets(memory.assumptions))


def _shares(memory: Memory) -> Table:
    counted = memory.stores > 1
    table = plain_table(
        "part",
        *(("of one", "stores") if counted else ()),
        "bytes",
        "share",
        "",
        right=(1, 2, 3, 4) if counted else (1, 2),
    )
    for part in sorted(memory.parts, key=lambda part: -(part.total_bytes or 0)):
        share = memory.share(part)
        own = (Text(format_bytes(part.bytes)), Text(str(part.count))) if counted else ()
        total = Text(format_bytes(part.total_bytes))
        table.add_row(Text(part.name), *own, total, Text(format_percent(share)), Text(_bar(share), style="cyan"))
    return table


def _bar(share: float | None) -> str:
    """Return a bar as long as the share; the largest possible one has 20 columns."""
    eighths = round((share or 0.0) * _BAR_WIDTH * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
