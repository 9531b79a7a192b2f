"""Rates of what studies answered, with exact bounds, as tables."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.stats import largest_share, smallest_share
from lsmtune.testing.hostile._questions import Kind, Question
from lsmtune.testing.hostile._runner import Answered
from lsmtune.testing.hostile._worlds import WORLDS

_LEVEL = 0.95
_DRAWS = 2000


@dataclass(frozen=True)
class Rate:
    """A share of studies, or the share of the log gain that backward elimination lost, held against its goal.

    Attributes:
        world: name of the world.
        kind: of the studies.
        question: what was asked.
        value: the share.
        bound: one-sided 95 % bound on its bad side: the upper one of a loss, the lower one of all else. Exact (Clopper
            and Pearson 1934) for shares of studies, by bootstrap over studies for the log gain.
        n: studies that answered.
    """

    world: str
    kind: Kind
    question: Question
    value: float
    bound: float
    n: int

    @property
    def missed(self) -> bool:
        """Whether the share itself is beyond its goal."""
        goal = self.question.goal(self.kind)
        if goal is None:
            return False
        return self.value > goal if self.question.is_loss else self.value < goal

    def surely_missed(self, doubt: float = 0.001) -> bool:
        """Whether studies that meet the goal just so would do as badly in fewer cases than `doubt`.

        Only for shares of studies: a share of the log gain is known too badly from few studies.
        """
        goal = self.question.goal(self.kind)
        if goal is None or self.question is Question.LOST:
            return False
        bad = round((self.value if self.question.is_loss else 1 - self.value) * self.n)
        allowed = goal if self.question.is_loss else 1 - goal
        return bool(scipy.stats.binom.sf(bad - 1, self.n, allowed) < doubt)

    @property
    def text(self) -> str:
        """The rate with its bound and n; bold where it misses its goal."""
        sign = "<=" if self.question.is_loss else ">="
        text = f"{100 * self.value:.1f} % ({sign} {100 * self.bound:.1f} %, {self.n})"
        return f"**{text}**" if self.missed else text


def rates(answered: Iterable[Answered]) -> list[Rate]:
    """Return a rate for each world, kind and question that was answered, in the order of the worlds."""
    shares: dict[tuple[str, Kind, Question], list[bool]] = defaultdict(list)
    losses: dict[tuple[str, Kind], list[tuple[float, float]]] = defaultdict(list)
    for each in sorted(answered, key=lambda one: one.seed):  # they come in any order, and the bootstrap has one
        for question, yes in each.shares.items():
            shares[each.world, each.kind, question].append(yes)
        if each.lost is not None and each.gained is not None:
            losses[each.world, each.kind].append((each.lost, each.gained))
    found = [_share(*key, yes) for key, yes in shares.items()]
    found += [_loss(*key, pairs) for key, pairs in losses.items()]
    worlds, kinds, questions = list(WORLDS), list(Kind), list(Question)
    return sorted(
        found, key=lambda one: (questions.index(one.question), worlds.index(one.world), kinds.index(one.kind))
    )


def as_markdown(found: Sequence[Rate]) -> str:
    """Return a table for each question: a row for each world, a column for each kind of study."""
    parts = []
    for question in Question:
        own = [rate for rate in found if rate.question is question]
        if own:
            parts.append(f"{_heading(question)}\n\n{_table(own)}")
    return "\n".join(parts)


def as_csv(found: Sequence[Rate]) -> str:
    """Return a row for each rate."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("question", "world", "study", "rate", "bound", "n", "goal", "missed"))
    for one in found:
        goal = one.question.goal(one.kind)
        row = (one.question, one.world, one.kind, f"{one.value:.4f}", f"{one.bound:.4f}", one.n)
        writer.writerow((*row, "" if goal is None else goal, int(one.missed)))
    return text.getvalue()


def _share(world: str, kind: Kind, question: Question, yes: Sequence[bool]) -> Rate:
    n, hits = len(yes), sum(yes)
    bound = largest_share(hits, n, _LEVEL) if question.is_loss else smallest_share(hits, n, _LEVEL)
    return Rate(world, kind, question, hits / n, bound, n)


def _loss(world: str, kind: Kind, pairs: Sequence[tuple[float, float]]) -> Rate:
    array = np.array(pairs)
    drawn = np.random.default_rng(1).integers(len(array), size=(_DRAWS, len(array)))
    sums = array[drawn].sum(axis=1)
    value = float(array[:, 0].sum() / array[:, 1].sum())
    return Rate(world, kind, Question.LOST, value, float(np.quantile(sums[:, 0] / sums[:, 1], _LEVEL)), len(array))


def _heading(question: Question) -> str:
    goals = [goal for kind in Kind if (goal := question.goal(kind)) is not None]
    sign = "at most" if question.is_loss else "at least"
    limit = f"; goal: {sign} {100 * goals[0]:g} %" if goals else ""
    only = " with one finalist" if question is Question.SHOWN else ""
    return f"**{str(question).capitalize()}**{limit}{only}"


def _table(own: Sequence[Rate]) -> str:
    kinds = [kind for kind in Kind if any(rate.kind is kind for rate in own)]
    cells: Mapping[tuple[str, Kind], str] = {(rate.world, rate.kind): rate.text for rate in own}
    lines = [
        f"| World | What happens | {' | '.join(kinds)} |",
        f"| --- | --- |{' --- |' * len(kinds)}",
    ]
    for world in dict.fromkeys(rate.world for rate in own):
        row = " | ".join(cells.get((world, kind), "") for kind in kinds)
        lines.append(f"| `{world}` | {WORLDS[world].about} | {row} |")
    return "\n".join(lines) + "\n"
