"""What is predicted of a configuration, and what a calibration measured, as cards and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lsmtune.forecast import Calibration, Prediction, Quantity
from lsmtune.model import Value
from lsmtune.report._about import bullets
from lsmtune.report._json import plain
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_option
from lsmtune.units import format_bytes, format_percent, format_rate

_NAMES = {
    "waf": "write amplification",
    "space_bytes": "space, when nothing is due",
    "space_peak_bytes": "space, at most",
    "throughput_settled_ops_s": "rate, its debt included",
    "sustained_ops_s": "rate that it keeps up with",
}
_HEADS = {"waf": "WAF", "space_bytes": "space", "throughput_settled_ops_s": "rate", "sustained_ops_s": "kept up"}
_BAR_WIDTH = 16


def prediction_card(prediction: Prediction) -> RenderableType:
    """Return the card of a prediction."""
    return Group(*_parts(prediction))


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction for machines: base units, intervals of 90 %, null where something is not told."""
    there, missing = prediction.lookup_blocks
    return {
        "indicators": {
            each.name: {"value": each.value, "low": each.low, "high": each.high} for each in prediction.quantities
        },
        "stall_probability": prediction.stalls,
        "rate_ops_s": prediction.rate,
        "level_bytes": list(prediction.levels),
        "lookup_blocks": {"found": plain(there), "missing": plain(missing)},
        "extrapolation": plain(prediction.extrapolates),
        "stuck": prediction.is_stuck,
        "unknown": list(prediction.unknown),
        "assumptions": list(prediction.assumptions),
    }


def curve_card(name: str, unit: str, curve: Sequence[tuple[Value, Prediction]]) -> RenderableType:
    """Return a table of predictions over the values of one option."""
    rows = [(value, found) for value, found in curve if found.quantities]
    if not rows:
        return prediction_card(curve[0][1])
    shown = [each for each in _HEADS if any(each == quantity.name for quantity in rows[0][1].quantities)]
    table = plain_table(name, *(_HEADS[each] for each in shown), "", right=tuple(range(len(shown) + 1)))
    most = max(found["waf"].value for _, found in rows)
    for value, found in rows:
        bar = "█" * max(1, round(found["waf"].value / most * _BAR_WIDTH))
        cells = (Text(_text(found[each].name, found[each].value)) for each in shown)
        table.add_row(Text(format_option(value, unit)), *cells, Text(bar, style="cyan"))
    return Group(table, Text("The bars show write amplification.", style="dim"), *_remarks(rows[0][1]))


def curve_json(name: str, curve: Sequence[tuple[Value, Prediction]]) -> dict[str, Any]:
    """Return a curve for machines."""
    return {"option": name, "points": [{"value": value, **prediction_json(found)} for value, found in curve]}


def calibration_card(calibration: Calibration) -> RenderableType:
    """Return what was measured."""
    costs = calibration.costs
    table = plain_table("what", "cost", right=(1,))
    for size, time_us in costs.write_us:
        table.add_row(
            f"a write, memtable of {format_bytes(size)}", f"{time_us:.2f} us + {costs.write_ns:.2f} ns a byte"
        )
    table.add_row("of it the log", f"{costs.wal_us:.2f} us + {costs.wal_ns:.2f} ns a byte")
    table.add_row("an entry that is merged", f"{costs.merge_entry_ns:.0f} ns + {costs.merge_ns:.2f} ns a byte")
    table.add_row("an entry that is flushed", f"{costs.flush_entry_ns:.0f} ns + {costs.flush_ns:.2f} ns a byte")
    table.add_row("a flush, a merge, a file", f"{costs.flush_us:.0f} us, {costs.job_us:.0f} us, {costs.file_us:.0f} us")
    for codec, cost_ns in costs.codec_ns.items():
        if codec != "none":
            table.add_row(f"{codec}, half compressible", f"{cost_ns:.2f} ns a byte")
    table.add_row("the device writes", f"{format_bytes(costs.bandwidth)}/s")
    table.add_row("a synced write waits", f"{costs.sync_us:.0f} us")
    table.add_row("a merge beside others on all cores", f"{format_percent(costs.crowded)} of its speed alone")
    said = Text(f"RocksDB {calibration.version} on {calibration.host_name}, {calibration.cores} cores")
    assumed = f"not measured: {', '.join(costs.assumed)}"
    return Group(
        Panel(said, title="lsmtune calibrate", title_align="left", border_style="green"),
        table,
        *((Text(assumed, style="dim"),) if costs.assumed else ()),
    )


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    """Return what was measured for machines."""
    told: dict[str, Any] = plain(calibration)
    return told


def _parts(prediction: Prediction) -> Iterator[RenderableType]:
    if not prediction.quantities:
        said = Text(prediction.unknown[0])
        yield Panel(said, title="lsmtune predict", title_align="left", border_style="yellow")
        return
    waf = prediction["waf"]
    said = Text.assemble((f"{waf.value:.1f}", "bold"), f" bytes written for each byte [{waf.low:.1f}, {waf.high:.1f}]")
    if prediction.stalls is not None:
        said.append(f"; writes are held back at {format_rate(prediction.rate)} with a probability of ")
        said.append(format_percent(prediction.stalls), style="bold")
    yield Panel(said, title="lsmtune predict", title_align="left", border_style="green")
    yield _quantities(prediction.quantities)
    yield Text()
    there, missing = prediction.lookup_blocks
    yield Text(f"A lookup reads {there:.2f} data blocks without a cache, of a key that is not there {missing:.2f}.")
    levels = ", ".join(f"L{level} {format_bytes(size)}" for level, size in enumerate(prediction.levels) if size > 0)
    yield Text(f"Levels at the end: {levels}.")
    yield from _remarks(prediction)


def _quantities(quantities: Sequence[Quantity]) -> Table:
    table = plain_table("indicator", "predicted", "90 %", right=(1, 2))
    for each in quantities:
        low, high = _text(each.name, each.low), _text(each.name, each.high)
        table.add_row(Text(_NAMES[each.name]), Text(_text(each.name, each.value)), Text(f"[{low}, {high}]"))
    return table


def _remarks(prediction: Prediction) -> Iterator[RenderableType]:
    yield Text()
    times = f"{prediction.extrapolates:,.3g} times their data"
    extrapolated = f"the intervals are from recorded runs of random writes; this is {times}"
    yield Group(section("Taken for granted"), bullets([extrapolated, *prediction.assumptions]))
    yield Text()
    yield Group(section("What is not told"), bullets(list(prediction.unknown)))


def _text(name: str, value: float) -> str:
    if name.endswith("_bytes"):
        return format_bytes(value)
    return format_rate(value) if name.endswith("ops_s") else f"{value:.2f}"
