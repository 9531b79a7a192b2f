"""What calibrations measure of the device and of merges side by side, and how they read a fill and split a cost."""

import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from lsmtune.errors import RunError

_BLOCK, _BLOCKS = 4 << 20, 64
"""B of each write to the device, and how many there are."""
_SYNCS, _SYNCED = 32, 4096
"""Synced writes that are timed, and B of each."""
_MOST_BESIDE = 8
"""Merges that run side by side at most: a host of many cores is not filled with data."""
_RESULT = re.compile(r"^fillrandom\s*:\s*([\d.]+) micros/op", re.MULTILINE)


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


def speed_beside(folder: Path, cores: int, together: Callable[[Sequence[Path]], float]) -> float:
    """Return the speed of each of as many merges as there are cores, against that of one by itself.

    The merge by itself stands between two that run side by side, so that a host that slows down does not look like a
    crowd.

    Args:
        folder: where each merge gets a folder of its own.
        cores: that the engine may use.
        together: runs a merge in each of some folders at once, and returns their median time.
    """
    beside = min(cores, _MOST_BESIDE)
    if beside < 2:
        return 1.0
    places = [folder / f"beside-{number}" for number in range(beside)]
    for place in places:
        place.mkdir()
    first, alone, second = together(places), together(places[:1]), together(places)
    return min(1.0, alone / ((first + second) / 2))


def time_of_write(printed: str) -> float:
    """Return the median time of a write in us, of the fills that one db_bench made; the first warms up.

    Raises:
        RunError: it printed no result of one.
    """
    times = [float(text) for text in _RESULT.findall(printed)]
    if not times:
        raise RunError(f"db_bench printed no result of a fill: {printed[-200:]}")
    return median(times[1:] or times)


def parts(costs_ns: tuple[float, float], pairs: tuple[int, int]) -> tuple[float, float]:
    """Split costs of a byte at two sizes of a pair into that of an entry and that of each byte, in ns."""
    light, heavy = (cost * pair for cost, pair in zip(costs_ns, pairs, strict=True))
    each = max(0.0, (heavy - light) / (pairs[1] - pairs[0]))
    return max(0.0, light - each * pairs[0]), each
