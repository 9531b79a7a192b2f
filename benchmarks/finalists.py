"""Say what other choices of the three finalists of a search would hand over, against the three best single runs.

Usage: python benchmarks/finalists.py RUNS.parquet KEPT

Searches of 200 trials (see `finalist_searches`) are made once and kept in the folder KEPT, so that an interrupted call
goes on where it was. Each choice is then made after 60, 100 and 200 trials, from what a study would know: one noisy
run of each trial, and the noise of 5 runs of the reference and one for every four trials.

Handed over: the true gain of the best of the three that truly hold the guard; 1 where none does. A choice that makes
second runs makes them instead of as many of the last trials. The differences are means of the log gain, paired by
search and number of trials; their intervals come from a bootstrap that draws whole searches.
"""

import math
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.special import ndtr

from finalist_searches import RECORDED, Floats, Places, Search, kept_searches, read

SIZES = (60, 100, 200)
DEVISED = {f"{RECORDED}, random": 10, f"{RECORDED}, tpe": 6}
"""First searches of a kind that were looked at while the choices were devised; the others judge them."""

Choice: TypeAlias = Callable[[Search, int], Places]
"""Told a search and how many runs it may use; returns the places of the finalists."""


def best(scores: Floats, most: int = 3) -> Places:
    """Return the places of the largest scores above 0; nan is none."""
    order = np.argsort(-np.where(scores > 0, scores, -np.inf), kind="stable")[:most]
    return order[scores[order] > 0]


def apart(scores: Floats, features: Floats) -> Places:
    """Return the best three that are more than half of the median distance apart; neighbours where there are none."""
    products = features @ features.T
    squares = np.diag(products)
    distances = np.sqrt(np.maximum(0.0, squares[:, None] + squares - 2 * products))
    order, chosen = best(scores, len(scores)), list[int]()
    for place in order:
        if len(chosen) < 3 and (distances[place, chosen] > np.median(distances) / 2).all():
            chosen.append(int(place))
    rest = [int(place) for place in order if place not in chosen]
    return np.array((chosen + rest)[:3], dtype=np.intp)


def held(runs: Floats, bound: float) -> Floats:
    """Return the log gains, nan where the guard is missed."""
    return np.where(runs[:, 1] <= bound, runs[:, 0], np.nan)


def weighed(means: Floats, errors: Floats, bound: float) -> Floats:
    """Return the log gains times the chance that the guard holds, for normal errors of the same shape (n, 2)."""
    if math.isinf(bound):
        return means[:, 0]
    return np.asarray(means[:, 0] * ndtr((bound - means[:, 1]) / np.maximum(errors[:, 1], 1e-9)))


@cache
def left_out(search: Search, trees: bool, number: int) -> tuple[Floats, Floats]:
    """Return what a model of all other trials predicts of each one, and the variance of a run about it, both (n, 2)."""
    first = search.first[:number]
    known = np.isfinite(first[:, 0])
    means, variances = np.full_like(first, np.nan), np.full_like(first, np.nan)
    for column in range(2):
        response = first[known, column]
        if column == 0:  # very slow trials would rule the model, and how slow they are does not matter
            middle = np.median(response)
            response = np.maximum(response, 2 * middle - response.max())
        if np.ptp(response) > 0:
            learn = by_trees if trees else by_process
            means[known, column], variances[known, column] = learn(search.features[:number][known], response)
        else:
            means[known, column], variances[known, column] = response, 0.0
    return means, variances


def by_trees(features: Floats, response: Floats) -> tuple[Floats, Floats]:
    """Predict each response by the trees that did not see it."""
    from sklearn.ensemble import ExtraTreesRegressor

    forest = ExtraTreesRegressor(150, bootstrap=True, oob_score=True, max_features=0.5, random_state=0)
    predicted = forest.fit(features, response).oob_prediction_
    return predicted, np.full(len(response), np.mean((response - predicted) ** 2))


def by_process(features: Floats, response: Floats) -> tuple[Floats, Floats]:
    """Predict each response by a Gaussian process with a linear and a squared exponential covariance.

    Length and noise have the largest likelihood of a grid; leaving one out has a closed form (Rasmussen and Williams
    2006, equation 5.12).
    """
    varied = features[:, features.std(axis=0) > 0]
    rows = (varied - varied.mean(axis=0)) / varied.std(axis=0)
    count, width = rows.shape
    products, centred = rows @ rows.T, response - response.mean()
    squares = np.diag(products)
    distances = np.maximum(0.0, squares[:, None] + squares - 2 * products)
    found: list[tuple[float, float, Floats]] = []
    for length in (0.5, 1.0, 2.0):
        values, vectors = np.linalg.eigh(np.exp(-distances / (4 * width * length**2)) + products / width)
        loads = (vectors.T @ centred) ** 2
        for noise in np.logspace(-2, 2, 17):
            spectrum = np.maximum(values, 0.0) + noise
            scale = float((loads / spectrum).mean())
            likelihood = -count * math.log(scale) - float(np.log(spectrum).sum())
            found.append((likelihood, scale, (vectors / spectrum) @ vectors.T))
    _, scale, inverse = max(found, key=lambda each: each[0])
    own = np.diag(inverse)
    return response - (inverse @ centred) / own, scale / own


def shrunken(search: Search, trees: bool, number: int, runs: Floats, made: int) -> tuple[Floats, Floats]:
    """Return means and errors of the truth after `made` runs with mean `runs`, from them and the model, shapes (n, 2).

    The variance about the model beyond the known noise is that of the truth about the model.
    """
    predicted, variances = left_out(search, trees, number)
    noise = search.spread(number) ** 2
    truth = np.maximum(variances - noise, 1e-4 * noise)
    weights = truth / (truth + noise / made + 1e-15)
    return weights * runs + (1 - weights) * predicted, np.sqrt(weights * noise / made)


def single(search: Search, number: int) -> Places:
    """What lsmtune does: the best single runs that hold the guard."""
    return best(held(search.first[:number], search.bound))


def with_margin(search: Search, number: int) -> Places:
    """Single runs, each gain times the chance that its guard truly holds."""
    first = search.first[:number]
    return best(weighed(first, np.broadcast_to(search.spread(number), first.shape), search.bound))


def spread_out(search: Search, number: int) -> Places:
    """Single runs that are no neighbours."""
    return apart(held(search.first[:number], search.bound), search.features[:number])


def third_with_margin(search: Search, number: int) -> Places:
    """The two best single runs, and the best of those that hold the guard by twice the noise."""
    chosen, first = single(search, number)[:2], search.first[:number]
    scores = held(first, search.bound - 2 * search.spread(number)[1])
    scores[chosen] = np.nan
    third = best(scores, 1)
    return np.concatenate([chosen, third]) if len(third) else single(search, number)


def modelled(trees: bool, is_apart: bool, search: Search, number: int) -> Places:
    """Shrunken gains times the chance that the guard holds, neighbours or not."""
    scores = weighed(*shrunken(search, trees, number, search.first[:number], 1), search.bound)
    return apart(scores, search.features[:number]) if is_apart else best(scores)


def twice(again: int, search: Search, number: int) -> Places:
    """The best so many single runs are made again, instead of the last trials; the mean of two decides."""
    made = number - again
    tried = best(held(search.first[:made], search.bound), again)
    scores = np.full(made, np.nan)
    scores[tried] = held((search.first[tried] + search.second[tried]) / 2, search.bound)
    return best(scores)


def modelled_twice(search: Search, number: int) -> Places:
    """Six are chosen by the model and made again; their two runs are shrunken towards it."""
    made = number - 6
    tried = best(weighed(*shrunken(search, False, made, search.first[:made], 1), search.bound), 6)
    means, errors = shrunken(search, False, made, (search.first[:made] + search.second[:made]) / 2, 2)
    scores = np.full(made, np.nan)
    scores[tried] = weighed(means, errors, search.bound)[tried]
    return best(scores)


CHOICES: dict[str, Choice] = {
    "single runs": single,
    "guard by chance": with_margin,
    "no neighbours": spread_out,
    "third with margin": third_with_margin,
    "process": partial(modelled, False, False),
    "process, apart": partial(modelled, False, True),
    "trees": partial(modelled, True, False),
    "six twice": partial(twice, 6),
    "eight twice": partial(twice, 8),
    "process, six twice": modelled_twice,
}


Judged: TypeAlias = dict[str, tuple[list[float], int]]
"""By choice: what a search hands over at each of `SIZES`, and the number of finalists in all."""


def judge(file: Path) -> Judged:
    """Judge each choice on a kept search."""
    search, found = read(file), {}
    for name, choose in CHOICES.items():
        chosen = [choose(search, number) for number in SIZES]
        found[name] = [search.handed_over(each) for each in chosen], sum(map(len, chosen))
    return found


def table(title: str, searches: Sequence[Judged]) -> None:
    """Print what each choice hands over, and by how much that differs from the best single runs."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(searches), size=(4000, len(searches)))
    print(f"{title} ({len(searches)} searches)")
    base = np.array([each["single runs"][0] for each in searches])
    for name in CHOICES:
        gains = np.array([each[name][0] for each in searches])
        apiece = (gains - base).mean(axis=1)
        low, high = np.quantile(apiece[drawn].mean(axis=1), (0.025, 0.975))
        quartiles = " ".join(f"{each:5.2f}" for each in np.exp(np.quantile(gains, (0.25, 0.5, 0.75))))
        count = np.mean([each[name][1] for each in searches]) / len(SIZES)
        shares = " ".join(f"{np.mean(sign * (gains - base) > math.log(1.03)):4.0%}" for sign in (-1, 1))
        middles = " ".join(f"{each:5.2f}" for each in np.exp(np.median(gains, axis=0)))
        print(
            f"  {name:19s} {quartiles}  by size {middles}  nothing {np.mean(gains == 0):4.0%}  finalists {count:.2f}  "
            f"difference {apiece.mean():+.4f} [{low:+.4f}, {high:+.4f}]  worse, better by 3 %: {shares}"
        )


def main(source: Path, folder: Path) -> None:
    """Print the tables, one for each kind of search, then those of several kinds together."""
    kept = kept_searches(source, folder)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = [(title, list(pool.map(judge, files))) for title, files in kept.items()]
    for title, searches in found:
        table(title, searches)
    everything = [each for _, searches in found for each in searches]
    emulated = [each for title, searches in found if title.startswith(RECORDED) for each in searches]
    fresh = [
        each for title, searches in found if title.startswith(RECORDED) for each in searches[DEVISED.get(title, 0) :]
    ]
    table("all recorded", emulated)
    table("recorded, not looked at while the choices were devised", fresh)
    table("all surfaces", everything[len(emulated) :])
    table("all", everything)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
