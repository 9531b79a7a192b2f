"""What is predicted of a configuration, and what a calibration measured, as cards and as JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lsmtune.forecast import Calibration, Prediction, Quantity
from lsmtune.lsm_model.tree import Rules
from lsmtune.model import Value
from lsmtune.report._about import bullets
from lsmtune.report._plain import plain
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_option
from lsmtune.units import format_bytes, format_percent, format_rate

_NAMES = {
    "waf": "write amplification",
    "space_bytes": "space, when nothing is due",
    "space_peak_bytes": "space, at most",
    "memory_peak_bytes": "memory of the process",
    "throughput_settled_ops_s": "rate, its debt included",
    "sustained_ops_s": "rate that it keeps up with",
}
_HEADS = {
    "waf": "WAF",
    "space_bytes": "space",
    "memory_peak_bytes": "memory",
    "throughput_settled_ops_s": "rate",
    "sustained_ops_s": "kept up",
}
_ENGINES = {Rules.ROCKSDB: "RocksDB", Rules.LEVELDB: "LevelDB"}
_BAR_WIDTH = 16


def _held_back_words(prediction: Prediction) -> str:
    return "" if prediction.stalls is None else format_percent(prediction.stalls)


def _hit_words(prediction: Prediction) -> str:
    reads = prediction.reads
    return "" if reads is None or reads.hit_share is None else format_percent(reads.hit_share)


def _device_words(prediction: Prediction) -> str:
    reads = prediction.reads
    return "" if reads is None or reads.device_reads is None else f"{reads.device_reads:.2f}"


_FURTHER: Mapping[str, Callable[[Prediction], str]] = MappingProxyType(
    {"held back": _held_back_words, "cache hits": _hit_words, "device reads": _device_words}
)
"""Columns of a curve beside its quantities, each empty where it is not told."""


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
        "held_back": [{"rate_ops_s": rate, "probability": chance} for rate, chance in prediction.held_back()],
        "level_bytes": list(prediction.levels),
        "lookup_blocks": {"found": plain(there), "missing": plain(missing)},
        "reads": plain(prediction.reads),
        "memory_parts": {part.name: part.total_bytes for part in prediction.memory.parts} if prediction.memory else {},
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
    more = [head for head, told in _FURTHER.items() if told(rows[0][1])]
    heads = (*(_HEADS[each] for each in shown), *more)
    table = plain_table(name, *heads, "", right=tuple(range(len(heads) + 1)))
    most = max(found["waf"].value for _, found in rows)
    for value, found in rows:
        bar = "█" * max(1, round(found["waf"].value / most * _BAR_WIDTH))
        cells = [Text(quantity_words(found[each].name, found[each].value)) for each in shown]
        cells += [Text(_FURTHER[head](found) or "?") for head in more]
        table.add_row(Text(format_option(value, unit)), *cells, Text(bar, style="cyan"))
    left_out = [
        f"anything at {format_option(value, unit)}: {found.unknown[0]}"
        for value, found in curve
        if not found.quantities
    ]
    remarks = _remarks(rows[0][1], left_out)
    return Group(table, Text("The bars show write amplification.", style="dim"), *remarks)


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
    if costs.wal_us or costs.wal_ns:
        table.add_row("of it the log", f"{costs.wal_us:.2f} us + {costs.wal_ns:.2f} ns a byte")
    table.add_row("an entry that is merged", f"{costs.merge_entry_ns:.0f} ns + {costs.merge_ns:.2f} ns a byte")
    table.add_row("an entry that is flushed", f"{costs.flush_entry_ns:.0f} ns + {costs.flush_ns:.2f} ns a byte")
    table.add_row("a flush, a merge, a file", f"{costs.flush_us:.0f} us, {costs.job_us:.0f} us, {costs.file_us:.0f} us")
    for codec, cost_ns in costs.codec_ns.items():
        if cost_ns > 0:
            table.add_row(f"{codec}, half compressible", f"{cost_ns:.2f} ns a byte")
    table.add_row("the device writes", f"{format_bytes(costs.bandwidth)}/s")
    table.add_row("a synced write waits", f"{costs.sync_us:.0f} us")
    table.add_row("a merge beside others on all cores", f"{format_percent(costs.crowded)} of its speed alone")
    said = Text(f"{_ENGINES[costs.rules]} {calibration.version} on {calibration.host_name}, {calibration.cores} cores")
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
    yield from map(Text, reads_sentences(prediction))
    levels = ", ".join(f"L{level} {format_bytes(size)}" for level, size in enumerate(prediction.levels) if size > 0)
    yield Text(f"Levels at the end: {levels}.")
    if prediction.stalls is None and prediction.held_back():
        yield Text()
        yield _held_back(prediction.held_back())
    yield from _remarks(prediction)


def reads_sentences(prediction: Prediction) -> Iterator[str]:
    """Yield what is told of reads: without a cache, with it, and what comes from the device."""
    there, missing = prediction.lookup_blocks
    yield f"A lookup looks into {there:.2f} data blocks, of a key that is not there {missing:.2f}."
    reads = prediction.reads
    if reads is None or reads.hit_share is None:
        return
    of = "" if reads.found is None else f" ({format_percent(reads.found)} of the keys are there)"
    if reads.blocks_scan is not None:
        yield f"A scan looks into {reads.blocks_scan:.2f} data blocks."
    cached = f"the block cache, once warm, has {format_percent(reads.hit_share)} of them"
    yield f"A read of this workload looks into {reads.blocks:.2f}{of}; {cached}."
    lacks = f"It lacks {reads.cache_misses:.2f} blocks a read, indexes and filters included"
    yield f"{lacks}{'' if reads.device_reads is None else f'; {reads.device_reads:.2f} come from the device'}."


def _held_back(chances: Sequence[tuple[float, float]]) -> Table:
    table = plain_table("rate", "held back", "", right=(0, 1))
    for rate, chance in chances:
        bar = "█" * round(chance * _BAR_WIDTH)
        table.add_row(Text(format_rate(rate)), Text(format_percent(chance)), Text(bar, style="cyan"))
    return table


def _quantities(quantities: Sequence[Quantity]) -> Table:
    table = plain_table("indicator", "predicted", "90 %", right=(1, 2))
    for each in quantities:
        low, high = quantity_words(each.name, each.low), quantity_words(each.name, each.high)
        table.add_row(
            Text(quantity_name(each.name)), Text(quantity_words(each.name, each.value)), Text(f"[{low}, {high}]")
        )
    return table


def _remarks(prediction: Prediction, left_out: Sequence[str] = ()) -> Iterator[RenderableType]:
    yield Text()
    times = f"{prediction.extrapolates:,.3g} times their data"
    extrapolated = f"the intervals are from recorded runs of random writes; this is {times}"
    yield Group(section("Assumed"), bullets([extrapolated, *prediction.assumptions]))
    yield Text()
    yield Group(section("Not predicted"), bullets([*left_out, *prediction.unknown]))


def quantity_name(name: str) -> str:
    """Return what a predicted quantity is called."""
    return _NAMES[name]


def quantity_words(name: str, value: float) -> str:
    """Return a value of a predicted quantity with its unit."""
    if name.endswith("_bytes"):
        return format_bytes(value)
    return format_rate(value) if name.endswith("ops_s") else f"{value:.2f}"
