"""How long each sampler takes for a proposal, against its goal: a run costs seconds, a proposal must not.

    python benchmarks/sampler_speeds.py [repeats]

Goal: 2 s at 30 options and 60 trials. Each proposal is that of a new sampler which is told all trials first, as a study
asks for it. Prints the median and the longest in s, and how long the libraries take to import, in a process of their
own; exit code 1 where a median misses the goal.
"""

import subprocess
import sys
import time
from statistics import median

import numpy as np

from lsmtune.samplers import SAMPLERS, Trial, make_sampler
from lsmtune.space import Dimension, Kind, Space

GOAL_S = 2.0
_OPTIONS, _TRIALS, _STARTUP = 30, 60, 20
_MIB = 2**20


def space() -> Space:
    """Return 30 options: sizes, counts, flags, sizes with a special value, and codecs, one of which has a level."""
    kinds = (
        lambda name: Dimension(name, Kind.INT, 64 * _MIB, "B", low=8 * _MIB, high=512 * _MIB, log=True),
        lambda name: Dimension(name, Kind.INT, 2, low=2, high=16),
        lambda name: Dimension(name, Kind.BOOL, default=False, choices=(False, True)),
        lambda name: Dimension(name, Kind.INT, 0, "B", low=_MIB, high=1024 * _MIB, log=True, specials=(0,)),
        lambda name: Dimension(name, Kind.CHOICE, "snappy", choices=("none", "snappy", "lz4", "zstd")),
    )
    axes = tuple(kinds[number % len(kinds)](f"option_{number}") for number in range(_OPTIONS))
    return Space(axes, {axis.name: axis.default for axis in axes}, (), {"option_6": {"option_4": ("zstd",)}})


def trials(searched: Space) -> list[Trial]:
    """Return random configurations with the responses of a bowl and two parts."""
    rng = np.random.default_rng(0)
    weights, centre = rng.random(_OPTIONS), rng.random(_OPTIONS)
    told = []
    for _ in range(_TRIALS):
        values = searched.from_unit(rng.random(_OPTIONS))
        place = searched.to_unit(values)
        bowl = float((weights * (place - centre) ** 2).sum() / 3)
        told.append(Trial(values, bowl, parts={"waf": bowl, "space_bytes": float(place[0] - place[1])}))
    return told


def seconds(name: str, searched: Space, told: list[Trial], seed: int) -> float:
    """Wall time of a new sampler, all it is told, and one proposal."""
    began = time.perf_counter()
    sampler = make_sampler(name, searched, seed, _STARTUP)
    for trial in told:
        sampler.tell(trial)
    sampler.ask()
    return time.perf_counter() - began


def import_seconds(module: str) -> float:
    """Wall time of a Python process that imports a module."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    return time.perf_counter() - began


def main(repeats: int) -> int:
    """Measure all samplers and print."""
    searched = space()
    told = trials(searched)
    worst = 0.0
    for name in SAMPLERS:
        seconds(name, searched, told, 1)  # imports
        times = [seconds(name, searched, told, seed) for seed in range(2, repeats + 2)]
        worst = max(worst, median(times))
        sys.stdout.write(f"{name:<12} {median(times):.3f} s, at most {max(times):.3f} s, {repeats} proposals\n")
    for module in ("numpy", "optuna", "cmaes", "smac.facade"):
        sys.stdout.write(f"import {module:<12} {median(import_seconds(module) for _ in range(3)):.2f} s\n")
    sys.stdout.write(f"slowest      {worst / GOAL_S:.2f} of {GOAL_S} s\n")
    return 0 if worst <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 9))
