"""Say what it costs to end a search early, for several rules: how much it saves, and how often something is lost.

Usage: python benchmarks/stopping.py RUNS.parquet KEPT

Searches of 200 trials are made once and kept in the folder KEPT, so that an interrupted call goes on where it was: on
an emulator of the recorded runs (objective: the settled rate; space guarded at 1.10x), and on two smooth surfaces whose
truth is known. Searches of a flat surface and of one with a rare good region are drawn, as no sampler can tell their
points apart before it has found the region. Each rule is then asked after every trial from the 40th on, or from 20
trials after the startup. The noise that it is told comes from 5 runs of the reference and one for every four trials.

Saved: share of the trials that were not made. Lost: share of the searches in which the best of the three leading
trials, as fresh runs would find it, is by more than 3 % worse than after all trials; gained: better by more than 3 %,
which happens since single noisy trials decide which three lead.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from lsmtune.sampler_benchmark import Question, SamplerBenchmark, benchmark_sampler
from lsmtune.samplers import Sampler, Trial, make_sampler
from lsmtune.stats import STOP_WINDOW, chance_of_more
from lsmtune.study import startup_runs
from lsmtune.testing import Surface, fake_space

TRIALS, EFFECT, REPEATS = 200, 0.03, 60
RATE = "throughput_settled_ops_s"
SURFACES = {"smooth, 1.60x": Surface(0.6), "smooth, 1.05x": Surface(0.05)}
SURFACE_NOISE = 0.05
RECORDED = "recorded"
SEARCHES = {
    (RECORDED, "random"): 10,
    (RECORDED, "tpe"): 10,
    (RECORDED, "smac"): 10,
    ("smooth, 1.60x", "random"): 10,
    ("smooth, 1.60x", "tpe"): 10,
    ("smooth, 1.05x", "random"): 10,
    ("smooth, 1.05x", "tpe"): 10,
}
DRAWN_STARTUP, DRAWN_SEARCHES = 20, 100

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Search:
    """One search: by trial what it showed (nan: nothing, or a guard missed) and its true log gain; the noise drawn."""

    shown: Floats
    true: Floats
    noise: Floats
    startup: int

    def handed_over(self) -> Floats:
        """Return the true log gain of the best of the three leading trials after each trial."""
        found, shown = [], np.where(self.shown > 0, self.shown, -np.inf)
        for number in range(1, len(shown) + 1):
            best = np.argsort(-shown[:number], kind="stable")[:3]
            best = best[np.isfinite(shown[best])]
            found.append(float(self.true[best].max()) if best.size else 0.0)
        return np.array(found)


Rule: TypeAlias = Callable[[Floats, float, int, int], bool]
"""Told what was shown, the noise, how many trials may follow and the startup; says whether to end."""


def by_chance(shown: Floats, noise: float, further: int, startup: int) -> bool:
    """The rule of ``search.stop``."""
    chance = chance_of_more(shown.tolist(), noise, further, EFFECT, startup)
    return chance is not None and chance <= 0.1


def by_expectation(shown: Floats, noise: float, further: int, _: int) -> bool:
    """The expected gain of normal draws like the last 20 over the best, both shrunk by the noise, is below 3 %."""
    known = shown[-STOP_WINDOW:][np.isfinite(shown[-STOP_WINDOW:])]
    if len(known) < 6:
        return False
    middle = float(np.median(known))
    truth = max(0.0, ((float(np.quantile(known, 0.9)) - middle) / 1.2816) ** 2 - noise**2)
    kept = truth / (truth + noise**2)
    best = max(0.0, middle + kept * (float(np.nanmax(shown)) - middle))
    spread, draws = kept * math.sqrt(truth + noise**2), max(1.0, further * len(known) / STOP_WINDOW)
    if spread == 0:
        return middle - best < math.log1p(EFFECT)
    places = np.linspace(best, max(best, middle + 6 * spread), 400)
    beyond = 1 - ndtr((places - middle) / spread) ** draws
    return float(np.trapezoid(beyond, places)) < math.log1p(EFFECT)


def by_patience(shown: Floats, _: float, __: int, startup: int) -> bool:
    """The best one is 50 trials old."""
    return len(shown) >= startup + 50 and bool(np.isfinite(shown).any()) and int(np.nanargmax(shown)) < len(shown) - 50


def blindly(after: int, shown: Floats, _: float, __: int, ___: int) -> bool:
    """So many trials were made: what a rule has to be better than."""
    return len(shown) >= after


RULES: dict[str, Rule] = {
    "chance": by_chance,
    "expected gain": by_expectation,
    "patience 50": by_patience,
    "blindly at 100": partial(blindly, 100),
    "blindly at 160": partial(blindly, 160),
}


def end_of(search: Search, rule: Rule) -> int:
    """Return after how many trials a rule ends a search."""
    for number in range(search.startup + STOP_WINDOW, TRIALS):
        noise = float(np.std(search.noise[: min(len(search.noise), 5 + number // 4)], ddof=1))
        if rule(search.shown[:number], noise, TRIALS - number, search.startup):
            return number
    return TRIALS


def recorded(source: Path) -> Question:
    """Return the question on the recorded runs; trials stop at twice the best one's time, as they do by default."""
    return SamplerBenchmark(source, ((RATE, 1.0),), (("space_bytes", "1.10x"),), TRIALS, 1, beat=2.0).question()


def search_recorded(question: Question, name: str, seed: int) -> Search:
    """Search the emulator; the sampler that is asked last was told all trials."""
    startup = startup_runs(question.space)
    made: list[Sampler] = []

    def make() -> Sampler:
        made[:] = [make_sampler(name, question.space, seed, startup)]
        return made[0]

    benchmark_sampler(question, name, make, seed, TRIALS + 1)
    trials = made[0].trials
    noise = [question.judge(question.emulator.noise(np.random.default_rng([seed, i, 7])))[0] for i in range(REPEATS)]
    return Search(_shown(trials), question.true_gains([each.values for each in trials]), np.array(noise), startup)


def search_surface(surface: Surface, name: str, seed: int) -> Search:
    """Search a surface without guards."""
    space, rng, true = fake_space(), np.random.default_rng(seed), []
    trials: list[Trial] = []
    startup = startup_runs(space)
    for _ in range(TRIALS):
        sampler = make_sampler(name, space, seed, startup)
        for trial in trials:
            sampler.tell(trial)
        values = sampler.ask()
        true.append(math.log(surface.indicators(values)[RATE] / surface.indicators({})[RATE]))
        trials.append(Trial(values, -true[-1] - SURFACE_NOISE * float(rng.standard_normal())))
    noise = SURFACE_NOISE * rng.standard_normal(REPEATS)
    return Search(_shown(trials), np.maximum(0.0, true), noise, startup)


def drawn(noise: float, share: float, seed: int) -> Search:
    """Draw a search of a flat surface with a region of 1.35x in this share of the space."""
    rng = np.random.default_rng([seed, TRIALS])
    true = np.where(rng.random(TRIALS) < share, math.log(1.35), 0.0)
    shown = true + noise * rng.standard_normal(TRIALS)
    return Search(shown, true, noise * rng.standard_normal(REPEATS), DRAWN_STARTUP)


def _shown(trials: Sequence[Trial]) -> Floats:
    return np.array([np.nan if each.response is None or each.violation > 0 else -each.response for each in trials])


def make_kept(source: Path, jobs: Sequence[tuple[str, str, int, Path]]) -> None:
    """Make the searches that are not kept yet."""
    question = recorded(source) if any(each[0] == RECORDED for each in jobs) else None
    for what, name, seed, file in jobs:
        found = search_surface(SURFACES[what], name, seed) if what in SURFACES else None
        if question is not None and what == RECORDED:
            found = search_recorded(question, name, seed)
        assert found is not None
        with file.open("wb") as opened:
            np.savez(opened, shown=found.shown, true=found.true, noise=found.noise, startup=found.startup)


def read(file: Path) -> Search:
    """Read a search that is kept."""
    with np.load(file) as kept:
        return Search(kept["shown"], kept["true"], kept["noise"], int(kept["startup"]))


def all_searches(source: Path, folder: Path) -> Iterator[tuple[str, list[Search]]]:
    """Yield the searches by what was searched, those that are not kept made in two processes."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        (what, name, seed): folder / f"{what.replace(', ', '-')}-{name}-{seed}.npz"
        for (what, name), number in SEARCHES.items()
        for seed in range(1, number + 1)
    }
    missing = [(*key, file) for key, file in files.items() if not file.exists()]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(make_kept, source), [missing[::2], missing[1::2]]))
    for what, name in SEARCHES:
        yield f"{what}, {name}", [read(file) for key, file in files.items() if key[:2] == (what, name)]
    for title, noise, share in (
        ("flat, noise 7 %", 0.07, 0.0),
        ("flat, noise 15 %", 0.15, 0.0),
        ("1.35x in 1 % of it", 0.07, 0.01),
        ("1.35x in 3 % of it", 0.07, 0.03),
    ):
        yield title, [drawn(noise, share, seed) for seed in range(DRAWN_SEARCHES)]


def main(source: Path, folder: Path) -> None:
    """Print the table."""
    headers = f"{'saved':>6s} {'lost':>6s} {'gained':>6s}"
    print(f"{'searched':22s} {'n':>3s}  {'rule':14s} {'ends at [from, to]':>18s} {headers}")
    for title, searches in all_searches(source, folder):
        handed = [search.handed_over() for search in searches]
        for name, rule in RULES.items():
            ends = [end_of(search, rule) for search in searches]
            left = np.array([gains[-1] - gains[end - 1] for gains, end in zip(handed, ends, strict=True)])
            lost, gained = (np.mean(sign * left > math.log1p(EFFECT)) for sign in (1, -1))
            told = f"{np.median(ends):.0f} [{min(ends)}, {max(ends)}]"
            shares = " ".join(f"{share:6.0%}" for share in (1 - np.mean(ends) / TRIALS, lost, gained))
            print(f"{title:22s} {len(ends):3d}  {name:14s} {told:>18s} {shares}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
