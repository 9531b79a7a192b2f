"""Values as words: indicators, options, ratios and intervals. Only here are base units left."""

import math
from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.indicators import indicator
from lsmtune.model import Value
from lsmtune.stats import Detectable
from lsmtune.units import format_bytes, format_count, format_percent, format_rate, format_seconds

NO_UNITS: Mapping[str, str] = MappingProxyType({})

ADJUSTED = "95 %, adjusted"
"""What stands at the intervals of a verification."""

_LABELS = {
    "throughput_settled_ops_s": "settled throughput",
    "throughput_ops_s": "throughput",
    "throughput_bytes_s": "throughput in bytes",
    "waf": "write amplification",
    "waf_wal": "write amplification with WAL",
    "space_amp": "space amplification",
    "read_amp": "read amplification",
    "space_bytes": "space on disk",
    "space_peak_bytes": "peak space on disk",
    "cpu_s": "processor time",
    "memory_peak_bytes": "peak memory",
    "memory_full_size_bytes": "memory at full size",
    "space_full_size_bytes": "space at full size",
    "space_peak_full_size_bytes": "peak space at full size",
    "space_amp_full_size": "space amplification at full size",
}
_ENDINGS = ("_ops_s", "_bytes_s", "_bytes", "_s")
_FINE = 0.015  # an interval narrower than this needs a third decimal


def label(name: str) -> str:
    """Name an indicator (``name`` or ``name@phase``) in words: ``latency_p99_s`` -> ``p99 latency``."""
    base, _, phase = name.partition("@")
    words = _LABELS.get(base) or _derived_label(base)
    return f"{words} of {phase}" if phase else words


def format_indicator(name: str, value: float | None) -> str:
    """Print a value of an indicator in its unit; None -> ``?``."""
    unit = indicator(name).unit
    if value is None or not math.isfinite(value):
        return "?"
    if unit in ("ops/s", "B/s"):
        return format_rate(value, unit)
    if unit == "s":
        return format_seconds(value)
    if unit == "B":
        return format_bytes(value)
    if unit == "number":
        return f"{value:.6g}"
    return format_count(value) if unit == "count" else f"{value:.3g}"


def estimate_words(name: str, mean: float | None, low: float | None, high: float | None) -> str:
    """Print a mean of an indicator and its interval: ``1.62 [1.58, 1.66]``; None -> ``?``."""
    if mean is None:
        return "?"
    return f"{format_indicator(name, mean)} [{format_indicator(name, low)}, {format_indicator(name, high)}]"


def format_option(value: Value | None, unit: str = "") -> str:
    """Print a value of an option: 67108864 in ``B`` -> ``64 MiB``; None -> ``?``.

    Negative numbers are special values ("automatic", "no limit") and are printed as they are set.
    """
    if value is None:
        return "?"
    if isinstance(value, bool | str):
        return str(value).lower() if isinstance(value, bool) else value
    return _number(value, unit if value >= 0 else "")


def ratio_text(ratio: float | None, low: float | None = None, high: float | None = None) -> str:
    """Print a ratio, with as many decimals as its interval deserves: ``1.24x``; unknown or unbounded -> ``?``."""
    if ratio is None or not math.isfinite(ratio):
        return "?"
    if ratio >= 10:
        return f"{ratio:.3g}x"
    fine = low is not None and high is not None and high - low < _FINE
    return f"{ratio:.3f}x" if fine else f"{ratio:.2f}x"


def with_interval(ratio: float | None, low: float | None, high: float | None) -> str:
    """Print a ratio and its interval for a table: ``1.24x [1.17, 1.31]``."""
    if ratio is None:
        return "?"
    ends = ", ".join(ratio_text(end, low, high).removesuffix("x") for end in (low, high))
    return f"{ratio_text(ratio, low, high)} [{ends}]"


def percent(share: float | None) -> str:
    """Print a share; unknown or unbounded -> ``?``."""
    return format_percent(share) if share is not None and math.isfinite(share) else "?"


def percent_range(share: float | None, low: float, high: float) -> str:
    """Print a share with its interval: ``5.1 % [3.2 %, 12.4 %]``."""
    return f"{percent(share)} [{percent(low)}, {percent(high)}]"


def detectable_gain(seen: Detectable) -> str:
    """Print a smallest detectable gain with its interval."""
    return percent_range(seen.gain, seen.low, seen.high)


def listed(words: list[str]) -> str:
    """Join words: ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def _number(value: int | float, unit: str) -> str:
    if unit == "B":
        return format_bytes(value)
    if unit.startswith("B/") or unit == "ops/s":
        return format_rate(value, unit)
    if unit == "s" and 0 < value < 1:
        return format_seconds(value)
    plain = f"{value:.10g}" if isinstance(value, float) else f"{value}"
    if unit == "level":
        return f"level {plain}"
    return f"{plain} {unit.removesuffix('s') if value == 1 else unit}".rstrip()


def _derived_label(name: str) -> str:
    ending = next((text for text in _ENDINGS if name.endswith(text)), "")
    words = name.removesuffix(ending).split("_")
    if "latency" in words[:-1]:  # latency_p99 -> p99 latency, read_latency_p99 -> p99 read latency
        words = [words[-1], *words[:-1]]
    return " ".join(words)
