"""Draw what searches over the same three options had found by trials and by wall clock, and say when each got where.

Usage: python curves.py FIGURE.svg FOLDER...

Each folder is a recorded search with its runs.parquet. What a search hands over after n trials is the best of them as
far as single runs show, and a single run may be lucky. So a smooth model of all runs of all folders, each against the
anchors of its own study, says what that configuration is worth.

Time is that of the runs themselves. Searches whose name begins with "own" pay for everything from the first baseline
on; NNI has neither baselines nor anchors, so its tuners pay for their trials alone.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from lsmtune.analysis import Learner, Response, Runs, columns_of, fit_runs, response

INDICATOR = "throughput_ops_s"
TRIALS_OF_NNI = 169  # after so many its TPE had its best
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "nni",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
LOOKS = {"color": "0.1", "linestyle": "-"}, {"color": "0.1", "linestyle": "--"}, {"color": "0.55", "linestyle": "-"}

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Search:
    """What a search handed over.

    Attributes:
        name: of its folder.
        values: of the three options that it would hand over after each trial, as words.
        gains: what these are worth over the reference, by the model, shape (n,).
        minutes: spent by then, shape (n,).
    """

    name: str
    values: Sequence[str]
    gains: Floats
    minutes: Floats

    def first(self, gain: float) -> int | None:
        """Return the number of the first trial after which it had `gain`; None where it never did."""
        there = np.flatnonzero(self.gains >= gain)
        return int(there[0]) + 1 if there.size else None


def read(folder: Path) -> tuple[Runs, Response]:
    """Return the whole runs of a search and their log ratios to the anchors."""
    runs = Runs.read(folder / "runs.parquet")
    return runs, response(runs, INDICATOR)


def worth(parts: Sequence[tuple[Runs, Response]]) -> list[Floats]:
    """Return what a model of all trials says of each run of each part: log gains over the reference."""
    trials = [(runs.frame["purpose"] == "trial").to_numpy() for runs, _ in parts]
    frame = pd.concat([runs.where(rows).frame for (runs, _), rows in zip(parts, trials, strict=True)])
    chosen = [answer.where(rows) for (_, answer), rows in zip(parts, trials, strict=True)]
    together = replace(
        chosen[0],
        log_ratio=np.concatenate([each.log_ratio for each in chosen]),
        log_bound=np.concatenate([each.log_bound for each in chosen]),
        groups=np.arange(sum(map(len, chosen))),
    )
    model = fit_runs(Learner.KERNEL, replace(parts[0][0], frame=frame.reset_index(drop=True)), together, seed=0)
    left = together.log_ratio - model.predict(columns_of(replace(parts[0][0], frame=frame)))
    print(f"{len(left)} trials; a single one scatters around the model by {np.nanstd(left):.1%}")
    return [np.asarray(model.predict(columns_of(runs))) for runs, _ in parts]


def handed_over(name: str, runs: Runs, answer: Response, truth: Floats) -> Search:
    """Return what a search would hand over after each of its trials."""
    frame = runs.frame
    spent_s = frame["elapsed_s"].to_numpy(dtype=np.float64)
    trial = (frame["purpose"] == "trial").to_numpy()
    if not name.startswith("own"):
        spent_s = np.where(trial, spent_s, 0.0)
    shown = np.where(np.isfinite(answer.log_ratio), answer.log_ratio, -np.inf)[trial]
    best = [int(np.argmax(shown[: number + 1])) for number in range(len(shown))]
    columns = [factor.column for factor in runs.factors]
    words = frame.loc[trial, columns].astype(str).agg(", ".join, axis=1).to_numpy()
    return Search(name, words[best].tolist(), np.exp(truth[trial][best]), (np.cumsum(spent_s) / 60)[trial])


def draw(searches: Sequence[Search], path: Path) -> None:
    """Write the curves over trials and over time as SVG."""
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 4), layout="constrained")
        by_trials, by_time = figure.subplots(1, 2, sharey=True)
        for search, look in zip(searches, LOOKS, strict=False):
            given: dict[str, Any] = {**look, "where": "post", "label": search.name}
            by_trials.step(np.arange(1, len(search.gains) + 1), search.gains, **given)
            by_time.step(search.minutes, search.gains, **given)
        by_trials.set(xlabel="trials", xscale="log", ylabel="throughput over the values before tuning,\nby a model")
        by_time.set(xlabel="minutes of runs")
        by_time.legend(frameon=False, loc="lower right")
        figure.savefig(path, metadata={"Date": None})


def main(figure: Path, folders: Sequence[Path]) -> None:
    """Print a table and write the figure."""
    parts = [read(folder) for folder in folders]
    searches = [
        handed_over(folder.name, *part, truth) for folder, part, truth in zip(folders, parts, worth(parts), strict=True)
    ]
    level = max(each.gains[TRIALS_OF_NNI - 1] for each in searches if len(each.gains) >= TRIALS_OF_NNI)
    print(f"the better of NNI's tuners after {TRIALS_OF_NNI} trials: {level:.3f}x")
    for share in (0.95, 0.99, 1.0):
        for each in searches:
            first = each.first(level**share)
            when = "never" if first is None else f"trial {first}, {each.minutes[first - 1]:.1f} min"
            print(f"{share:.0%} of its log gain, {each.name}: {when}")
    for each in searches:
        for number in sorted({1, 3, 10, 20, 39, 100, TRIALS_OF_NNI, len(each.gains)}):
            if number <= len(each.gains):
                gain, minutes, values = (part[number - 1] for part in (each.gains, each.minutes, each.values))
                print(f"{each.name} {number}: {gain:.3f}x {minutes:.1f} min ({values})")
    draw(searches, figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
