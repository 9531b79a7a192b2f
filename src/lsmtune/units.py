"""Bytes, seconds, counts, ratios: read, keep in base units (B, s, 1), print.

Sizes follow IEC: ``64MiB``, ``64M``, ``64m`` and ``64 MB`` all mean 64 * 2**20 bytes, as in the engines
themselves; counts are decimal: ``64M`` operations are 64 000 000.
"""

import re
from decimal import Decimal
from fractions import Fraction

from lsmtune.errors import QuantityError

LARGEST = 2**63 - 1
"""What engines, and integers of TOML, have bits for."""

_BINARY_EXPONENT = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_BINARY_PREFIXES = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
_DECIMAL_PREFIXES = ("", "k", "M", "G", "T")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE = re.compile(r"^\s*([0-9]{0,400}\.?[0-9]{1,400})\s*([kmgtp]?)(?:i?b)?\s*$", re.IGNORECASE)
_TIME_PART = re.compile(r"([0-9]*\.?[0-9]+)\s*(us|ms|min|s|m|h|d|)\s*")
_COUNT = re.compile(r"^\s*([0-9][0-9_]{0,400}\.?[0-9]{0,400})\s*([kmg]?)\s*$", re.IGNORECASE)
"""Both with as many digits as a float may have, as Python reads no integer of more than 4,300."""
_SCALE = re.compile(r"[+-]?[0-9.]+(/[0-9]+|[eE][+-]?[0-9]{1,2})?")
"""Without a longer exponent, which a fraction would write out."""
_COUNT_FACTOR = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def parse_bytes(text: str | int | float) -> int:
    """Return the bytes that `text` means: ``"64MiB"``, ``"1.5 GiB"``, ``4096``.

    Raises:
        QuantityError: the text is not a size, not a whole number of bytes, or more than 63 bits hold.
    """
    match = _SIZE.match(_written(text))
    if match is None:
        raise QuantityError(f'"{text}" is not a size; write it like "64MiB", "512KiB" or 4096')
    exact = Fraction(match[1]) * 1024 ** _BINARY_EXPONENT[match[2].lower()]
    if exact.denominator != 1:
        raise QuantityError(f'"{text}" is not a whole number of bytes; write it like "1536KiB"')
    return _within_bits(exact, text)


def parse_seconds(text: str | int | float) -> float:
    """Return the seconds that `text` means: ``"20m"``, ``"1h 30m"``, ``"250ms"``, ``5``.

    Raises:
        QuantityError: the text is not a time, is negative, or has more digits than a number.
    """
    stripped = _written(text).strip()
    parts = _TIME_PART.findall(stripped)
    # Beside other parts one without a unit is no time in s: "1h30" means minutes, "10 000s" one number.
    unclear = len(parts) > 1 and not all(unit for _, unit in parts)
    if not parts or unclear or "".join(_TIME_PART.sub("", stripped).split()):
        raise QuantityError(f'"{text}" is not a time; write it like "20m", "90s" or "1h 30m"')
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if seconds > LARGEST:
        raise QuantityError(f'"{text}" is more seconds than a number of 64 bits holds; write a shorter time')
    return seconds


def parse_count(text: str | int | float) -> int:
    """Return the number that `text` means: ``"64M"`` is 64 000 000, ``"1_000"`` is 1000.

    Raises:
        QuantityError: the text is not a whole, non-negative count, or more than 63 bits hold.
    """
    match = _COUNT.match(_written(text))
    if match is None:
        raise QuantityError(f'"{text}" is not a count; write it like 1000000, "1_000_000" or "64M"')
    exact = Fraction(match[1].replace("_", "")) * _COUNT_FACTOR[match[2].lower()]
    if exact.denominator != 1:
        raise QuantityError(f'"{text}" is not a whole count; write it like 1000000 or "64M"')
    return _within_bits(exact, text)


def parse_scale(text: str | int | float) -> Fraction:
    """Return the factor that `text` means, ``"1/64"``, ``0.25`` or ``1``: above 0 and at most 1.

    Raises:
        QuantityError: the text is not such a factor.
    """
    match = _SCALE.fullmatch(str(text).strip())
    try:
        scale = Fraction("" if match is None else match[0])
    except (ValueError, ZeroDivisionError):
        raise QuantityError(f'"{text}" is not a scale; write it like "1/64" or 1') from None
    if not 0 < scale <= 1:
        raise QuantityError(f'scale "{text}" is outside (0, 1]; write it like "1/64" or 1')
    return scale


def format_bytes(size_bytes: float | None) -> str:
    """Print bytes with an IEC prefix: 1048576 -> ``1 MiB``; None -> ``?``."""
    return _with_prefix(size_bytes, 1024.0, _BINARY_PREFIXES, "B")


def format_rate(per_second: float | None, unit: str = "ops/s") -> str:
    """Print a rate; rates in bytes (``B/s``) get IEC prefixes, others decimal ones; None -> ``?``."""
    if unit.startswith("B"):
        return _with_prefix(per_second, 1024.0, _BINARY_PREFIXES, unit)
    return _with_prefix(per_second, 1000.0, _DECIMAL_PREFIXES, unit)


def format_count(count: float | None) -> str:
    """Print a count with thousands separators: 1000000 -> ``1,000,000``; None -> ``?``."""
    return "?" if count is None else f"{count:,.0f}"


def plural(number: int, noun: str) -> str:
    """Count things: ``1 option``, ``3 options``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_seconds(seconds: float | None) -> str:
    """Print a time in its natural unit: 0.00002 -> ``20 us``, 75 -> ``1m 15s``; None -> ``?``."""
    if seconds is None:
        return "?"
    shown = float(f"{seconds:.3g}")  # its unit is chosen for what is shown: no 60 s, no 1e+03 us
    if seconds >= 3599.5:
        minutes = round(seconds / 60)
        return f"{minutes // 60}h {minutes % 60:02d}m"
    if shown >= 60:
        whole = round(seconds)
        return f"{whole // 60}m {whole % 60:02d}s"
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if shown >= factor:
            return f"{shown / factor:.3g} {unit}"
    return "0 s" if seconds == 0 else f"{seconds * 1e9:.3g} ns"


def format_ratio(ratio: float | None) -> str:
    """Print a ratio: 1.234 -> ``1.23x``; None -> ``?``."""
    return "?" if ratio is None else f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.3g}x"


def format_percent(share: float | None) -> str:
    """Print a share: 0.0213 -> ``2.1 %``; None -> ``?``."""
    return "?" if share is None else f"{share * 100:.1f} %"


def _written(quantity: str | int | float) -> str:
    """Return a quantity as text, a number without an exponent: 5e-05 -> ``0.00005``."""
    return format(Decimal(str(quantity)), "f") if isinstance(quantity, float) else str(quantity)


def _within_bits(exact: Fraction, text: str | int | float) -> int:
    if exact > LARGEST:
        raise QuantityError(f'"{text}" is more than a number of 64 bits holds; write at most {LARGEST}')
    return int(exact)


def _with_prefix(number: float | None, base: float, prefixes: tuple[str, ...], unit: str) -> str:
    if number is None:
        return "?"
    step = 0
    while abs(float(f"{number:.4g}")) >= base and step < len(prefixes) - 1:
        number /= base
        step += 1
    text = f"{number:.4g}" if abs(number) < 10000 else f"{number:.0f}"
    return f"{text} {prefixes[step]}{unit}"
