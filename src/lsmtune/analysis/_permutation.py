"""Importance by permutation: how much worse are predictions of unseen runs without knowing a factor?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._encoding import FloatArray, active
from lsmtune.analysis._players import Player, eligible, players_of
from lsmtune.analysis._sample import Folds, Sample
from lsmtune.analysis._scores import Estimate, r_squared
from lsmtune.analysis._shadow_features import null_line
from lsmtune.analysis._threads import side_by_side
from lsmtune.errors import StatisticsError

_ROWS_PER_PLAYER = 10_000
_REPEATS = (5, 10)
_ALPHA = 0.01
"""Largest p value of a factor that matters. The folds judge each other's chance patterns: where one held-out fold shows
a pattern, the rest of the runs has it too, so a factor without effect passes a nominal 2.5 % in 4 to 5 % of studies."""
_LEAST = 0.001
"""Smallest loss of a factor that matters. With thousands of runs such patterns of chance are told from 0: of 24 factors
without effect, 2 came out at 0.0001 and 0.0004 with 2,000 runs. A thousandth of the variance is worth no change."""


@dataclass(frozen=True)
class PermutationImportance:
    """What knowing a factor is worth for the prediction of unseen runs.

    Attributes:
        player: the factor or bundle.
        loss: increase of the held-out mean squared error over the variance of the response: by how much R² falls.
            Near 0, of either sign, for a factor without effect. The interval is the bootstrap over configurations.
        p_value: one-sided, of "it has no effect": share of bootstrap draws in which nothing is lost. Not adjusted for
            the number of factors.
        n: runs.
        n_eligible: runs in which it is active, the only ones in which it was permuted. The loss still speaks of all
            runs, so an option that is seldom active cannot matter much.
        matters: the p value is at most 0.01, so the interval is above 0, and the loss is above 0.001 and above the
            upper end of the larger shadow feature (see `null_line`).
    """

    player: Player
    loss: Estimate
    p_value: float
    n: int
    n_eligible: int
    matters: bool


@dataclass(frozen=True)
class Permutation:
    """Permutation importance of all factors.

    Attributes:
        importances: in the order of the factors, a bundle before its members.
        null: upper end of the larger shadow feature; None where there are no shadow features.
        r2: of the held-out predictions.
        repeats: permutations of each factor in each fold.
    """

    importances: tuple[PermutationImportance, ...]
    null: float | None
    r2: float
    repeats: int

    def __getitem__(self, name: str) -> PermutationImportance:
        """Return the importance of the player of this name; of a member of a bundle, the tied one."""
        return next(importance for importance in self.importances if importance.player.name == name)


def permutation_importance(
    folds: Folds,
    *,
    seed: int | Sequence[int],
    repeats: int | None = None,
    draws: int = 1000,
    names: Collection[str] | None = None,
) -> Permutation:
    """Measure importance as the loss of held-out accuracy when the values of a factor are shuffled.

    Breiman (2001), Machine Learning 45, section 10, on held-out folds as Fisher, Rudin and Dominici (2019), JMLR 20,
    call model reliance. Shuffling happens among the held-out runs in which the factor is active; the factors of a
    bundle move together, as rows. The interval resamples configurations with all their losses (percentile bootstrap,
    Efron and Tibshirani 1993, chapter 13) and does not fit again.

    Do not trust it where the model predicts badly (R² near 0: nothing is lost by shuffling), nor for a factor whose
    value another one tells (each alone is then cheap to lose; bundles are the answer where a constraint is the cause).
    The interval leaves out that other runs would have given another model: it is too narrow for small samples.

    Args:
        folds: models with the runs that they did not see.
        seed: of shuffling and bootstrap.
        repeats: permutations of each factor in each fold; None takes 5 to 10, more where there are fewer runs.
        draws: of the bootstrap.
        names: of the players to measure; None takes all.

    Raises:
        StatisticsError: the response is constant.
    """
    sample = folds.sample
    if np.ptp(sample.response) == 0:
        raise StatisticsError(f"all {len(sample)} responses are equal, so no factor can matter; look at the indicator")
    if repeats is None:
        repeats = int(np.clip(_ROWS_PER_PLAYER // len(sample), *_REPEATS))
    players = tuple(
        player for player in players_of(sample.factors, sample.bundles) if names is None or player.name in names
    )
    rng = np.random.default_rng(seed)
    predicted, losses = _losses(folds, players, repeats, rng)
    values = losses.mean(axis=0) / sample.response.var()
    drawn = _bootstrap(sample, losses, draws, rng)
    estimates = [Estimate.of(values[place], drawn[:, place]) for place in range(len(players))]
    highs = {player.name: loss.high for player, loss in zip(players, estimates, strict=True)}
    activity = active(sample.factors, sample.columns)
    importances = []
    for place, (player, loss) in enumerate(zip(players, estimates, strict=True)):
        line = null_line(highs, player.name)
        p_value = (1 + int(np.count_nonzero(drawn[:, place] <= 0))) / (1 + draws)
        importances.append(
            PermutationImportance(
                player=player,
                loss=loss,
                p_value=p_value,
                n=len(sample),
                n_eligible=int(eligible(player, sample.factors, activity).sum()),
                matters=p_value <= _ALPHA and loss.value > max(_LEAST, line or 0.0),
            )
        )
    return Permutation(tuple(importances), null_line(highs), r_squared(sample.response, predicted), repeats)


def _losses(
    folds: Folds, players: tuple[Player, ...], repeats: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the held-out predictions (n,), and by how much shuffling raises the squared error, shape (n, players)."""
    sample = folds.sample
    predicted = np.empty(len(sample))
    losses = np.empty((len(sample), len(players)))
    # All shuffled copies of a fold are predicted at once: a call costs much more than a row.
    copies = (_shuffled(sample, rows, players, repeats, rng) for rows in folds.held_out)
    of_folds = side_by_side(lambda part: part[0].predict(part[1]), zip(folds.models, copies, strict=True))
    for rows, of_copies in zip(folds.held_out, of_folds, strict=True):
        predictions = of_copies.reshape(1 + len(players) * repeats, len(rows))
        errors = (sample.response[rows] - predictions) ** 2
        predicted[rows] = predictions[0]
        losses[rows] = (errors[1:] - errors[0]).reshape(len(players), repeats, len(rows)).mean(axis=1).T
    return predicted, losses


def _shuffled(
    sample: Sample, rows: npt.NDArray[np.intp], players: tuple[Player, ...], repeats: int, rng: np.random.Generator
) -> dict[str, npt.NDArray[np.generic]]:
    """Return the rows as they are, then `repeats` copies of them for each player with its values shuffled."""
    columns = sample.columns_at(rows)
    activity = active(sample.factors, columns)
    blocks = 1 + len(players) * repeats
    copies = {name: np.tile(values, (blocks, 1)) for name, values in columns.items()}
    for place, player in enumerate(players):
        places = np.flatnonzero(eligible(player, sample.factors, activity))
        for block in range(1 + place * repeats, 1 + (place + 1) * repeats):
            order = rng.permutation(places)
            for name in player.members:
                copies[name][block, places] = columns[name][order]
    return {name: values.reshape(-1) for name, values in copies.items()}


def _bootstrap(sample: Sample, losses: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Return importances over resampled configurations, shape (draws, players)."""
    _, codes = np.unique(sample.groups, return_inverse=True)
    groups = int(codes.max()) + 1
    # The response is centred so that its variance does not cancel away.
    centred = sample.response - sample.response.mean()
    sums = np.zeros((groups, losses.shape[1] + 3))
    np.add.at(sums, codes, np.column_stack([losses, np.ones(len(sample)), centred, centred**2]))
    weights = rng.multinomial(groups, np.full(groups, 1 / groups), size=draws).astype(np.float64)
    totals = weights @ sums
    count, first, second = totals[:, -3], totals[:, -2], totals[:, -1]
    variance = second / count - (first / count) ** 2
    # With very few configurations a draw can hold one only; its ratio is then taken as of the whole sample.
    variance = np.where(variance > 0, variance, sample.response.var())
    return np.asarray(totals[:, :-3] / (count * variance)[:, None])
