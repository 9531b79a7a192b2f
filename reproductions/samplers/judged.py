"""Count by recorded searches how far a sampler is from its goals, and draw what all found over runs.

Usage: python judged.py SEARCHES.parquet... [--seeds N] [--figure FILE.svg]

SEARCHES.parquet is what lsmtune bench-samplers --searches wrote; its first sampler is the one that is judged. Of
further files the answers are taken that no file before has; with --seeds of each the first N searches alone. Goals:
after 50 runs a median of 90 % of the best-known gain, after 20 of 75 %; ahead of each other sampler with p < 0.01
(signed-rank test on searches with the same seed, after Holm over all questions and rivals) in 12 of 16 questions;
nowhere more than 5 points behind the best of the others; guards held by the first finalist in 95 % of the searches.
"""

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lsmtune.report import FIGURE_STYLE, figure_svg
from lsmtune.sampler_benchmark import differences

GOALS = {20: 0.75, 50: 0.90}
_AHEAD, _BEHIND, _HELD = 0.01, 0.05, 0.95
_USUAL: dict[str, str | float] = {"stand": "emulator", "noise": 1.0}


def read(paths: Sequence[Path], seeds: int | None = None) -> pd.DataFrame:
    """Return the searches of all files, or of each the first `seeds`; what is best known of a question is so in any."""
    searches = pd.concat([pd.read_parquet(path).assign(file=number) for number, path in enumerate(paths)])
    if seeds is not None:
        searches = searches[searches["seed"] < searches.groupby("file")["seed"].transform("min") + seeds]
    for name, usual in _USUAL.items():  # tables of before there was a choice
        searches[name] = searches[name].fillna(usual) if name in searches else usual
    first = searches.groupby(["question", "sampler"], sort=False)["file"].transform("min")
    searches = searches[searches["file"] == first].drop(columns="file")
    for question, own in searches.groupby("question", sort=False):
        asked = [(sampler, *_asked(each)) for sampler, each in own.groupby("sampler", sort=False)]
        if any(each[1:] != asked[0][1:] for each in asked):
            raise SystemExit(f"{question}: samplers were not asked alike (stand, noise, runs, seeds): {asked}")
    best = searches.groupby("question", sort=False)["best_known_log_gain"].transform("max")
    return searches.assign(best_known_log_gain=best)


def _asked(searches: pd.DataFrame) -> tuple[list[str], list[float], int, list[int]]:
    """Return of one sampler's searches on what and with which noise they were made, how long each is, and the seeds."""
    stands, noises = (sorted(searches[name].unique().tolist()) for name in ("stand", "noise"))
    return stands, noises, int(searches["run"].max()), sorted(searches["seed"].unique().tolist())


def shares_of(searches: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the best-known gain by question, sampler and seed (rows) and run (columns)."""
    best = searches["best_known_log_gain"]
    shares = searches.assign(share=searches["log_gain"] / best.where(best > 0, 1.0))  # nothing is found where none is
    return shares.pivot_table(index=["question", "sampler", "seed"], columns="run", values="share", sort=False)


def ahead(at_mark: pd.Series, judged: str) -> dict[str, int]:
    """Return by each rival in how many questions the judged sampler is shown to be ahead; of all of them "each"."""
    wide = at_mark.unstack("sampler", sort=False)
    gaps = wide.drop(columns=judged).rsub(wide[judged], axis=0)
    pairs = [
        (str(question), str(rival), part[rival].to_numpy())
        for question, part in gaps.groupby("question", sort=False)
        for rival in part.columns
    ]
    shown = [each for each in differences(pairs) if each.p.log10_holm < math.log10(_AHEAD) and each.median > 0]
    counts = {str(rival): sum(each.rival == rival for each in shown) for rival in gaps.columns}
    won = Counter(each.question for each in shown)
    return {**counts, "each": sum(count == len(counts) for count in won.values())}


def report(searches: pd.DataFrame) -> str:
    """Return what is reached of the goals, a line each."""
    judged, shares, lines = searches["sampler"].iloc[0], shares_of(searches), []
    middle = shares.groupby(["question", "sampler"], sort=False).median().unstack("sampler", sort=False)
    for mark, goal in GOALS.items():
        here = middle[mark]
        behind = here.drop(columns=judged).max(axis=1) - here[judged]
        means = [f"{name} {100 * here[name].mean():.0f} %" for name in here]
        lines += [
            f"{judged} after {mark} runs: {int((here[judged] >= goal).sum())} of {len(here)} questions have {goal:.0%}",
            f"  mean of the medians: {', '.join(means)}",
            f"  ahead, p < {_AHEAD}, of: "
            + ", ".join(f"{name} {count}" for name, count in ahead(shares[mark], judged).items()),
            f"  more than {100 * _BEHIND:.0f} points behind the best other: "
            + (", ".join(f"{name} ({100 * gap:.0f})" for name, gap in behind.items() if gap > _BEHIND) or "nowhere"),
        ]
    last = searches[(searches["sampler"] == judged) & (searches["run"] == max(GOALS))]
    held = last.groupby("question", sort=False)["first_finalist_holds"].mean()
    lines.append(
        "guards held in fewer than 95 %: "
        + (", ".join(f"{name} ({share:.0%})" for name, share in held.items() if share < _HELD) or "nowhere")
    )
    return "\n".join(lines)


def figure(searches: pd.DataFrame) -> str:
    """Return an SVG: a panel for each question, the median of each sampler over runs, and quartiles of the judged."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shares = 100 * shares_of(searches)
    questions, samplers = (searches[name].unique().tolist() for name in ("question", "sampler"))
    with mpl.rc_context(dict(FIGURE_STYLE)):
        drawn = Figure(figsize=(9.0, 8.0), layout="constrained")
        panels = drawn.subplots(-(-len(questions) // 4), 4, sharex=True, sharey=True).ravel()
        for panel, question in zip(panels, questions, strict=False):
            for place, sampler in enumerate(samplers):
                own = shares.loc[question, sampler]
                panel.plot(own.columns, own.median(), label=sampler, zorder=len(samplers) - place)
                if place == 0:
                    panel.fill_between(own.columns, own.quantile(0.25), own.quantile(0.75), alpha=0.2)
            panel.set_title(question, fontsize="small")
            panel.set_ylim(0, 100)
        panels[0].legend(fontsize="x-small")
        drawn.supxlabel("runs")
        drawn.supylabel("% of the best-known gain")
        return figure_svg(drawn)


def main() -> None:
    """Read, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", type=Path, nargs="+")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--figure", type=Path)
    asked = parser.parse_args()
    searches = read(asked.searches, asked.seeds)
    print(report(searches))
    if asked.figure:
        asked.figure.write_text(figure(searches))


if __name__ == "__main__":
    main()
