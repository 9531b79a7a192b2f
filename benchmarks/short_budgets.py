"""Say what other ways of sharing a short budget would hand over, against those of `lsmtune tune`.

Usage: python benchmarks/short_budgets.py KEPT FIRST STUDIES [RULE ...] [--budgets 24 30]

Whole tunings of the fake engine, in worlds that are drawn by seed: 18 options of which three
matter ("few", 8 to 22 % each at their best), all matter a little ("many", 3 % on average), or none ("nothing"). The
noise of runs is 3, 6 or 12 %, and every second study guards space at 1.10x, which a third of the options move. All
rules see the same worlds with the same noise, the studies FIRST to FIRST + STUDIES - 1. Answers are kept in the file
KEPT, so that an interrupted call goes on where it was; it is of one version of the code.
TMPDIR on a file system in memory saves time.

Handed over: mean true log gain of the final configuration, 0 where nothing is; with its standard error, and that of
the paired difference to the rule that is named first. Broken: the guard truly is. Shown: an improvement. Changes, and
how many of them were tested alone: means over what is improved. Lost: mean log gain by which the final configuration
is behind the winner.
"""

import json
import math
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from lsmtune.model import Value
from lsmtune.result import summarise
from lsmtune.samplers import make_sampler
from lsmtune.space import Dimension, Kind, Space, catalogue
from lsmtune.study import Budget, SearchSettings, tune
from lsmtune.study._budget import Shares, Spending, share_out
from lsmtune.testing import FakePlan, Noise, Surface, fake_rules, fake_study

RATE, GUARDED = "throughput_settled_ops_s", "space_bytes"
OPTIONS, STARTUP, ANCHOR_EVERY = 18, 10, 5
KINDS, BUDGETS, NOISES = ("few", "many", "nothing"), (24, 30, 40, 60, 100, 200), (0.03, 0.06, 0.12)
_STEEPEST = -4.0


def space() -> Space:
    """Return 14 options with an order, whose defaults lie a quarter or a half along, and 4 choices."""
    names = list(catalogue().for_version((7, 8, 3)).options)[-OPTIONS:]
    ordered = [Dimension(name, Kind.FLOAT, (0.25, 0.5)[at % 2], low=0.0, high=1.0) for at, name in enumerate(names[4:])]
    choices = [Dimension(name, Kind.CHOICE, "a", choices=("a", "b", "c")) for name in names[:4]]
    axes = (*ordered, *choices)
    return Space(axes, {axis.name: axis.default for axis in axes})


SPACE = space()


@dataclass(frozen=True)
class Drawn(Surface):
    """A surface whose log rate is a sum of parabolas of single options, and log space one of lines."""

    kind: str = "few"
    seed: int = 0

    def indicators(self, values: Mapping[str, Value]) -> dict[str, float]:
        """Return the indicators without noise."""
        rate = sum(self.rates[name](value) for name, value in values.items())
        size = sum(self._sizes[name] * _moved(name, value) for name, value in values.items())
        total_s = 10 * math.exp(-rate)
        found = super().indicators({})
        times = {"total_time_s": total_s, "settle_time_s": total_s / 4, "load_time_s": total_s * 3 / 4}
        return {**found, **times, RATE: 1e6 / total_s, "space_bytes": 110e6 * math.exp(size)}

    @cached_property
    def rates(self) -> dict[str, Callable[[Value], float]]:
        """What each option gains by its value, as a log ratio of rates."""
        rng = np.random.default_rng([self.seed, 1])
        order = rng.permutation(len(SPACE.dimensions))
        gains = {"few": rng.uniform(0.08, 0.2, 18) * (order < 3), "many": rng.exponential(0.03, 18)}
        each = gains.get(self.kind, np.zeros(18))
        return {axis.name: _effect(axis, float(gain), rng) for axis, gain in zip(SPACE.dimensions, each, strict=True)}

    @cached_property
    def _sizes(self) -> dict[str, float]:
        rng = np.random.default_rng([self.seed, 2])
        return dict(zip(SPACE.names, (rng.normal(0, 0.15, 18) * (rng.random(18) < 1 / 3)).tolist(), strict=True))


def _effect(axis: Dimension, gain: float, rng: np.random.Generator) -> Callable[[Value], float]:
    """Return the log gain of an option by its value: 0 at the reference, `gain` at its best, a fall beyond it."""
    if axis.choices:
        other = gain * float(rng.uniform(-1, 0.5))
        best = ("b", "c")[int(rng.integers(2))]
        return lambda value: 0.0 if value == "a" else gain if value == best else other
    start = axis.to_unit(axis.default)
    best_place = float(rng.choice([rng.uniform(0, start - 0.15), rng.uniform(start + 0.15, 1)]))
    return lambda value: gain * max(_STEEPEST, 1 - ((axis.to_unit(value) - best_place) / (start - best_place)) ** 2)


def _moved(name: str, value: Value) -> float:
    axis = SPACE.by_name[name]
    return float(value != "a") if axis.choices else axis.to_unit(value) - axis.to_unit(axis.default)


@dataclass(frozen=True)
class Rule:
    """A way of sharing a budget out.

    Attributes:
        share: how what is left after the baseline is shared out.
        noise_runs: repeats of the reference.
        patches: what else is changed, by the place of a name in the code.
        sampler: its name.
    """

    share: Callable[[Spending, int], Shares] = share_out
    noise_runs: int = 5
    patches: Mapping[str, Any] = field(default_factory=dict)
    sampler: str = "agp"

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let the code follow this rule."""
        with ExitStack() as stack:
            for place, value in {
                "lsmtune.study.plans._stages.share_out": self.share,
                "lsmtune.stats._pairs._wilcoxon_p": lambda _: None,
                **self.patches,
            }.items():
                stack.enter_context(patch(place, value))
            yield


def before(spending: Spending, finalists: int) -> Shares:
    """40 % for the search, 25 % for verification, 35 % for elimination, also where that holds no test."""
    left = spending.left
    verify = max(12.0, 0.25 * left)
    elimination = min(0.35 * left, left - 5 - verify)
    return Shares(max(1, min(finalists, int(verify // 6) - 1)), verify + elimination, elimination)


def planned(spending: Spending, finalists: int) -> Shares:
    """Reserve first what tests of four changes take: 15 runs alone, 6 together, 18 of a confirmation."""
    usual, left = before(spending, finalists), spending.left
    verify = usual.after_search - usual.after_verification
    elimination = max(usual.after_verification, min(39.0, left - 5 - verify))
    return Shares(usual.finalists, verify + elimination, elimination)


def agp(**values: float) -> dict[str, float]:
    """Change constants of the default sampler."""
    return {f"lsmtune.samplers._agp._{name.upper()}": value for name, value in values.items()}


BEFORE = {"short_most": 1.0, "least_spread": 10}
RULES: dict[str, Rule] = {
    "before": Rule(before, patches=agp(**BEFORE)),
    "now": Rule(),
    "planned": Rule(planned, patches=agp(**BEFORE)),
    "shares alone": Rule(patches=agp(**BEFORE)),
    "no limit": Rule(patches=agp(short_most=1.0)),
    "late model": Rule(patches=agp(least_spread=10)),
    "a quarter": Rule(patches=agp(short_most=0.25)),
    "3 baselines": Rule(noise_runs=3),
    "tpe": Rule(sampler="tpe"),
    "random": Rule(sampler="random"),
}
"""The first is what there was; the last seven are the present rule with one part of it changed."""


def run_study(kind: str, runs: int, number: int, rule: Rule) -> dict[str, float]:
    """Tune in the world of this kind and number; return what is asked of it."""
    surface, is_guarded = Drawn(kind=kind, seed=number), number % 2 == 0
    rules = replace(fake_rules(), guards=fake_rules().guards if is_guarded else ())
    noise = Noise(rate=NOISES[number // 2 % 3])
    plan = FakePlan(Budget(None, runs), surface, noise, number + 1, rules=rules, space=SPACE)

    settings = SearchSettings(
        SPACE, lambda: make_sampler(rule.sampler, SPACE, number + 1, STARTUP), ANCHOR_EVERY, rule.noise_runs
    )
    with TemporaryDirectory() as folder, fake_study(Path(folder) / "study", plan) as study, rule.applied():
        tune(study.runner, settings)
        result = summarise(study.study)
    truth, reference = surface.indicators(result.final.values), surface.indicators({})
    gain = math.log(truth[RATE] / reference[RATE])
    winner = result.candidates.get(result.decisions.winner or "")
    lost = math.log(surface.indicators(winner.values)[RATE] / truth[RATE]) if winner and result.improved else 0.0
    return {
        "gain": gain,
        "broken": is_guarded and truth[GUARDED] > 1.10 * reference[GUARDED],
        "shown": result.improved,
        "changes": len(result.changes),
        "tested": sum(change.evidence is not None for change in result.changes),
        "useless": sum(surface.rates[change.option](change.after) < 0.01 for change in result.changes),
        "lost": lost,
    }


def answers(file: Path, kind: str, runs: int, numbers: Sequence[int], name: str) -> list[dict[str, float]]:
    """Return what each study answers, those that are not kept yet run now."""
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    known = {each["number"]: each for each in lines if (each["kind"], each["runs"], each["rule"]) == (kind, runs, name)}
    with file.open("a", buffering=1) as opened:
        for number in numbers:
            if number not in known:
                found = run_study(kind, runs, number, RULES[name])
                known[number] = {"kind": kind, "runs": runs, "rule": name, "number": number, **found}
                opened.write(json.dumps(known[number]) + "\n")
    return [known[number] for number in numbers]


def line(found: Sequence[Mapping[str, float]], base: Sequence[Mapping[str, float]]) -> str:
    """Word what studies answered, and how their gains differ from those of the same studies under the first rule."""
    gains = np.array([each["gain"] for each in found])
    apart = gains - [each["gain"] for each in base]
    shown = [each for each in found if each["shown"]]
    means = {
        key: np.mean([each[key] for each in shown]) if shown else math.nan for key in ("changes", "useless", "lost")
    }
    changes = sum(each["changes"] for each in shown)
    tested = sum(each["tested"] for each in shown) / changes if changes else math.nan
    error = math.sqrt(len(gains))
    return (
        f"{gains.mean():+.4f} ± {gains.std(ddof=1) / error:.4f}  {apart.mean():+.4f} ± {apart.std(ddof=1) / error:.4f}"
        f"  shown {len(shown) / len(found):4.0%}  broken {np.mean([each['broken'] for each in found]):4.0%}"
        f"  changes {means['changes']:4.1f} useless {means['useless']:4.1f}  tested {tested:4.0%}"
        f"  lost {means['lost']:+.4f}"
    )


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kept", type=Path)
    parser.add_argument("first", type=int)
    parser.add_argument("studies", type=int)
    parser.add_argument("rules", nargs="*", default=list(RULES))
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS)
    asked = parser.parse_args(arguments)
    numbers = range(asked.first, asked.first + asked.studies)
    for runs in asked.budgets:
        for kind in KINDS:
            base = answers(asked.kept, kind, runs, numbers, asked.rules[0])
            for name in asked.rules:
                found = answers(asked.kept, kind, runs, numbers, name)
                print(f"{runs:4d} {kind:8s} {name:13s} n={len(found)}  {line(found, base)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
