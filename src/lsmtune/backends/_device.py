"""What calibrations measure of the device, and how they split a cost, whatever the engine."""

import os
import time
from pathlib import Path
from statistics import median

_BLOCK, _BLOCKS = 4 << 20, 64
"""B of each write to the device, and how many there are."""
_SYNCS, _SYNCED = 32, 4096
"""Synced writes that are timed, and B of each."""


def bandwidth(folder: Path) -> float:
    """Return the B/s that a file of 256 MiB is written and synced with."""
    path, block = folder / "device", os.urandom(_BLOCK)
    with path.open("wb") as file:
        began = time.perf_counter()
        for _ in range(_BLOCKS):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
        took = time.perf_counter() - began
    path.unlink()
    return _BLOCKS * len(block) / took


def sync_us(folder: Path) -> float:
    """Return the median time of a small write at the end of a file and its sync, in us."""
    path, block, times = folder / "log", os.urandom(_SYNCED), []
    with path.open("wb", buffering=0) as file:
        for _ in range(_SYNCS):
            began = time.perf_counter()
            file.write(block)
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    path.unlink()
    return median(times) * 1e6


def parts(costs_ns: tuple[float, float], pairs: tuple[int, int]) -> tuple[float, float]:
    """Split costs of a byte at two sizes of a pair into that of an entry and that of each byte, in ns."""
    light, heavy = (cost * pair for cost, pair in zip(costs_ns, pairs, strict=True))
    each = max(0.0, (heavy - light) / (pairs[1] - pairs[0]))
    return max(0.0, light - each * pairs[0]), each
