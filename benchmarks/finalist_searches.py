"""The searches that `finalists.py` judges: trials with their noisy runs, second runs, and the truth.

On an emulator of recorded runs (objective: the settled rate; space guarded at 1.10x), and on smooth surfaces without
guards, one of them flat.
"""

import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value
from lsmtune.sampler_benchmark import Question, SamplerBenchmark, benchmark_sampler
from lsmtune.samplers import Sampler, Trial, make_sampler
from lsmtune.space import Space
from lsmtune.study import startup_runs
from lsmtune.testing import Surface, fake_space

TRIALS, REPEATS, SEEDS = 200, 60, 10
RATE, GUARDED, ALLOWED = "throughput_settled_ops_s", "space_bytes", 1.10
RECORDED = "recorded"
SURFACES = {
    "1.60x, noise 5 %": (0.6, 0.05),
    "1.60x, noise 10 %": (0.6, 0.10),
    "1.05x, noise 5 %": (0.05, 0.05),
    "1.05x, noise 10 %": (0.05, 0.10),
    "flat, noise 5 %": (0.0, 0.05),
}
SEARCHES = [
    *((RECORDED, name) for name in ("random", "tpe", "smac")),
    *((what, "random") for what in SURFACES),
    ("1.60x, noise 5 %", "tpe"),
]

Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Search:
    """One search: n trials with their run, another one that might be made, and the truth.

    Attributes:
        features: what a model sees of each configuration, shape (n, p).
        first, second: log gain, and log ratio of the guarded indicator, shape (n, 2); nan for a run that was stopped.
        true: the same without noise.
        noise: what repeats of the reference add to both, shape (m, 2).
        bound: largest log ratio that the guard allows.
    """

    features: Floats
    first: Floats
    second: Floats
    true: Floats
    noise: Floats
    bound: float

    def spread(self, number: int) -> Floats:
        """Return the noise as a study knows it after so many trials, shape (2,)."""
        return np.asarray(np.std(self.noise[: 5 + number // 4], axis=0, ddof=1))

    def handed_over(self, chosen: Places) -> float:
        """Return the true log gain of the best of the chosen ones that hold the guard; 0 where none does."""
        gains = np.where(self.true[chosen, 1] <= self.bound, self.true[chosen, 0], 0.0)
        return float(max(0.0, *gains)) if len(chosen) else 0.0


def features_of(space: Space, configurations: Sequence[dict[str, Value]]) -> Floats:
    """Return the place of each configuration in the unit cube; a choice has one column for each value."""
    rows = []
    for values in configurations:
        known, row = {**space.reference, **space.canonical(values)}, list[float]()
        for axis in space.dimensions:
            if any(isinstance(choice, bool | str) for choice in axis.choices):
                row += [float(known[axis.name] == choice) for choice in axis.choices]
            else:
                row.append(axis.to_unit(known[axis.name]))
        rows.append(row)
    return np.array(rows)


def recorded(source: Path) -> Question:
    """Return the question on the recorded runs; trials stop at twice the best one's time, as they do by default."""
    guards = ((GUARDED, f"{ALLOWED:.2f}x"),)
    return SamplerBenchmark(source, ((RATE, 1.0),), guards, TRIALS, 1, beat=2.0).question()


def search_recorded(question: Question, name: str, seed: int) -> Search:
    """Search the emulator; the sampler that is asked last was told all trials."""
    startup, made = startup_runs(question.space), list[Sampler]()

    def make() -> Sampler:
        made[:] = [make_sampler(name, question.space, seed, startup)]
        return made[0]

    benchmark_sampler(question, name, make, seed, TRIALS + 1)
    trials = made[0].trials
    first = [
        (np.nan, np.nan) if each.response is None else (-each.response, math.log(each.ratios[GUARDED]))
        for each in trials
    ]
    columns = [question.emulator.indicators.index(each) for each in (RATE, GUARDED)]
    values = [dict(each.values) for each in trials]
    true = question.emulator.log_ratios(values)[:, columns]
    draws = [question.emulator.noise(np.random.default_rng([seed, i, 7]))[columns] for i in range(REPEATS + TRIALS)]
    noise, second = np.array(draws[:REPEATS]), true + np.array(draws[REPEATS:])
    return Search(features_of(question.space, values), np.array(first), second, true, noise, math.log(ALLOWED))


def search_surface(gain: float, noise: float, name: str, seed: int) -> Search:
    """Search a surface without guards."""
    surface, space, rng = Surface(gain), fake_space(), np.random.default_rng(seed)
    startup, base = startup_runs(space), surface.indicators({})[RATE]
    trials, true = list[Trial](), list[float]()
    for _ in range(TRIALS):
        sampler = make_sampler(name, space, seed, startup)
        for trial in trials:
            sampler.tell(trial)
        values = sampler.ask()
        true.append(math.log(surface.indicators(values)[RATE] / base))
        trials.append(Trial(values, -true[-1] - noise * float(rng.standard_normal())))
    shown = [np.nan if each.response is None else -each.response for each in trials]
    second = np.array(true) + noise * rng.standard_normal(TRIALS)
    first, again, truth, repeats = (
        np.column_stack([each, np.zeros(len(each))])
        for each in (shown, second, true, noise * rng.standard_normal(REPEATS))
    )
    return Search(features_of(space, [dict(each.values) for each in trials]), first, again, truth, repeats, math.inf)


def make_kept(source: Path, jobs: Sequence[tuple[str, str, int, Path]]) -> None:
    """Make the searches that are not kept yet."""
    question = recorded(source) if any(each[0] == RECORDED for each in jobs) else None
    for what, name, seed, file in jobs:
        found = search_surface(*SURFACES[what], name, seed) if what in SURFACES else None
        if question is not None and what == RECORDED:
            found = search_recorded(question, name, seed)
        assert found is not None
        with file.open("wb") as opened:
            np.savez(opened, **asdict(found))


def read(file: Path) -> Search:
    """Read a search that is kept."""
    with np.load(file) as kept:
        features, first, second, true, noise = (kept[n] for n in ("features", "first", "second", "true", "noise"))
        return Search(features, first, second, true, noise, float(kept["bound"]))


def kept_searches(source: Path, folder: Path) -> dict[str, list[Path]]:
    """Return the files of all searches by what was searched, those that are not kept made in two processes."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        (what, name, seed): folder / f"{what.replace(', ', '-').replace(' ', '_')}-{name}-{seed}.npz"
        for what, name in SEARCHES
        for seed in range(1, SEEDS + 1)
    }
    missing = [(*key, file) for key, file in files.items() if not file.exists()]
    if missing:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            list(pool.map(partial(make_kept, source), [missing[::2], missing[1::2]]))
    return {
        f"{what}, {name}": [file for key, file in files.items() if key[:2] == (what, name)] for what, name in SEARCHES
    }
