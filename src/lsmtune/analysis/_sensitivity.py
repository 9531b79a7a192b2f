"""Sobol indices of a surrogate: what share of the variation of its predictions does each factor account for?"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.analysis._encoding import FloatArray, active
from lsmtune.analysis._players import Player, eligible, players_of, sort_key
from lsmtune.analysis._sample import IntArray, Predictor, Sample
from lsmtune.analysis._scores import Estimate
from lsmtune.analysis._shadow_features import SHADOWS, null_line
from lsmtune.errors import StatisticsError


@dataclass(frozen=True)
class SobolIndices:
    """Which share of the model's variance a factor accounts for, with bootstrap intervals over base points.

    Attributes:
        player: the factor or bundle.
        first: by itself; estimates scatter around 0 for a factor without effect.
        total: together with all its interactions; never below 0.
        interaction: total - first: only together with others.
    """

    player: Player
    first: Estimate
    total: Estimate
    interaction: Estimate


@dataclass(frozen=True)
class PairIndex:
    """Second-order index of two factors: what they do only together, beyond what each does alone.

    Attributes:
        players: names of the two.
        share: of the model's variance.
    """

    players: tuple[str, str]
    share: Estimate


@dataclass(frozen=True)
class Sensitivity:
    """Sobol indices of all factors. They are shares of the variance of *the model*; for the data see `share_of_data`.

    Attributes:
        indices: in the order of the factors; bundles, never their members alone, as indices need independent parts.
        pairs: of the strongest factors, the largest first.
        variance: of the model's predictions over independent draws of the factors.
        null: upper end of the larger shadow feature's total index; None where there are no shadow features.
        points: number of base points.
    """

    indices: tuple[SobolIndices, ...]
    pairs: tuple[PairIndex, ...]
    variance: float
    null: float | None
    points: int

    def __getitem__(self, name: str) -> SobolIndices:
        """Return the indices of the player of this name."""
        return next(index for index in self.indices if index.player.name == name)


def share_of_data(share: Estimate, r2: float) -> Estimate:
    """Return a share of the model's variance as one of the data: times the held-out R², taken as 0 below 0."""
    factor = max(r2, 0.0)
    return Estimate(share.value * factor, share.low * factor, share.high * factor)


def sobol_indices(
    model: Predictor, sample: Sample, *, seed: int, points: int = 2048, strongest: int = 4
) -> Sensitivity:
    """Estimate first- and total-order Sobol indices of a model, and second-order ones of the strongest factors.

    First order by Saltelli et al. (2010, Comput. Phys. Commun. 181, Table 2 b), total order by Jansen (1999, Comput.
    Phys. Commun. 117; there Table 2 f), closed second order like the first with two columns exchanged. The two base
    matrices are halves of one scrambled Sobol sequence, as Saltelli advises. Factors are drawn independently from
    their observed values; a conditional factor from the runs in which it is active, a bundle as whole rows.

    Do not trust it where the model predicts badly: a share of the variance of a bad model says nothing of the engine.
    The interval is of the estimate for this model, not of the model; permutation importance has the interval over runs.
    Factors outside of bundles are drawn independently, so where the runs had them vary together the shares differ.

    Args:
        model: with `predict`, learned from `sample`.
        sample: gives factors, bundles and the distribution of the values.
        seed: of the draws and the bootstrap.
        points: base points, a power of two; the model predicts (players + 2) times as many, and for the pairs more.
        strongest: number of factors of which all pairs are looked at; shadow features are left out.

    Raises:
        StatisticsError: `points` is not a power of two, or the model predicts the same everywhere.
    """
    if points < 2 or points & (points - 1):
        raise StatisticsError(f"{points} base points are not a power of two; give one such as 2048")
    players = players_of(sample.factors, sample.bundles, alone=False)
    rows_a, rows_b = _base_rows(sample, players, points, seed)
    design = _Design(sample, players, rows_a, rows_b)
    singles = [(place,) for place in range(len(players))]
    at_a, at_b, exchanged = design.predict(model, singles)
    if np.ptp(np.concatenate([at_a, at_b])) == 0:
        raise StatisticsError("the model predicts the same for all values, so nothing accounts for its variance")
    estimator = _Estimator(at_a, at_b, np.random.default_rng(seed))
    first, total = estimator.first(exchanged), estimator.total(exchanged)
    indices = tuple(
        SobolIndices(player, *(estimator.estimate(part[:, place]) for part in (first, total, total - first)))
        for place, player in enumerate(players)
    )
    ranked = [int(place) for place in np.argsort(-total[0]) if players[place].name not in SHADOWS][:strongest]
    pairs = _pairs(design, model, estimator, first, list(combinations(sorted(ranked), 2)))
    null = null_line({index.player.name: index.total.high for index in indices})
    return Sensitivity(indices, pairs, estimator.variance, null, points)


class _Design:
    """Saltelli's matrices A, B and A with columns of B; rows of the sample stand in for values."""

    def __init__(self, sample: Sample, players: tuple[Player, ...], rows_a: IntArray, rows_b: IntArray) -> None:
        self._sample, self.players, self._rows_a, self._rows_b = sample, players, rows_a, rows_b

    def predict(
        self, model: Predictor, exchanges: Sequence[tuple[int, ...]]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return predictions at A, at B, and at A with some columns of B, shape (points, len(exchanges))."""
        points = self._rows_a.shape[1]
        blocks = [self._rows_a, self._rows_b]
        for exchange in exchanges:
            rows = self._rows_a.copy()
            rows[list(exchange)] = self._rows_b[list(exchange)]
            blocks.append(rows)
        predictions = model.predict(self._columns(np.concatenate(blocks, axis=1))).reshape(-1, points)
        return predictions[0], predictions[1], predictions[2:].T

    def _columns(self, rows: IntArray) -> dict[str, npt.NDArray[Any]]:
        return {
            name: self._sample.columns[name][rows[place]]
            for place, player in enumerate(self.players)
            for name in player.members
        }


class _Estimator:
    """The estimators on all base points (row 0 of each result) and on resampled ones (the further rows)."""

    _DRAWS = 500

    def __init__(self, at_a: FloatArray, at_b: FloatArray, rng: np.random.Generator) -> None:
        points = len(at_a)
        drawn = rng.multinomial(points, np.full(points, 1 / points), size=self._DRAWS)
        self._weights = np.vstack([np.ones(points), drawn]) / points
        # Centring changes no index and keeps a large mean from drowning the products.
        mean = (at_a + at_b).mean() / 2
        self._a, self._centred_b = at_a, at_b - mean
        first, second = (self._weights @ ((at_a - mean) ** power + self._centred_b**power) / 2 for power in (1, 2))
        self._variances = (second - first**2)[:, None]

    @property
    def variance(self) -> float:
        """Variance of the predictions at all base points."""
        return float(self._variances[0, 0])

    def first(self, exchanged: FloatArray) -> FloatArray:
        """First-order or closed indices, shape (1 + draws, columns of `exchanged`)."""
        return np.asarray(self._weights @ (self._centred_b[:, None] * (exchanged - self._a[:, None])) / self._variances)

    def total(self, exchanged: FloatArray) -> FloatArray:
        """Total indices, shape (1 + draws, columns of `exchanged`)."""
        return np.asarray(self._weights @ (self._a[:, None] - exchanged) ** 2 / 2 / self._variances)

    def estimate(self, drawn: FloatArray) -> Estimate:
        """Return the estimate and its percentile interval."""
        return Estimate.of(drawn[0], drawn[1:])


def _pairs(
    design: _Design, model: Predictor, estimator: _Estimator, first: FloatArray, exchanges: list[tuple[int, int]]
) -> tuple[PairIndex, ...]:
    """Second-order index of each pair: its closed index less the first-order ones."""
    if not exchanges:
        return ()
    *_, exchanged = design.predict(model, exchanges)
    closed = estimator.first(exchanged)
    pairs = [
        PairIndex(
            (design.players[one].name, design.players[other].name),
            estimator.estimate(closed[:, place] - first[:, one] - first[:, other]),
        )
        for place, (one, other) in enumerate(exchanges)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.share.value))


def _base_rows(sample: Sample, players: tuple[Player, ...], points: int, seed: int) -> tuple[IntArray, IntArray]:
    """Draw for each player rows of the sample whose values it takes, twice, each of shape (players, points)."""
    sequence = scipy.stats.qmc.Sobol(2 * len(players), rng=np.random.default_rng(seed))
    unit = sequence.random_base2(points.bit_length() - 1).T
    activity = active(sample.factors, sample.columns)
    rows = np.empty((2 * len(players), points), dtype=np.intp)
    for place, player in enumerate(players):
        source = np.flatnonzero(eligible(player, sample.factors, activity))
        source = source if len(source) else np.arange(len(sample))
        # In the order of their values, so that the even spread of the sequence carries over to them.
        keys = [sort_key(sample.factor(name), sample.columns[name][source]) for name in reversed(player.members)]
        ordered = source[np.lexsort(keys)]
        for half in (place, place + len(players)):
            rows[half] = ordered[(unit[half] * len(ordered)).astype(np.intp)]
    return rows[: len(players)], rows[len(players) :]
