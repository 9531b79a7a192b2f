"""Where the forest and the analysis of variance agree on what matters, and where not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.analysis._anova import Anova
from lsmtune.analysis._multiplicity import p_words
from lsmtune.errors import StatisticsError

_LARGE_GAP = 0.01
_SMALL = 0.06  # "medium" begins here (Cohen 1988, in terms of the share of variance)
_NAMED = 6


@dataclass(frozen=True)
class ForestImportance:
    """What a forest says of a factor.

    Attributes:
        value: importance.
        low, high: ends of its interval.
        matters: its verdict.
    """

    value: float
    low: float
    high: float
    matters: bool

    def __post_init__(self) -> None:
        if not self.low <= self.high or not np.isfinite(self.value):
            raise StatisticsError(f"importance {self.value:g} in [{self.low:g}, {self.high:g}] is no estimate")


class Why(StrEnum):
    """Why only the forest may see a factor."""

    INTERACTION_TESTED = "tested interaction"
    """An interaction with it is significant in the analysis of variance."""
    INTERACTION_GAP = "total index"
    """Its total Sobol index is at least twice the first-order one."""
    SHAPE = "shape"
    """The joint model lets it bend gently only, or one factor hides it; nothing points to an interaction."""


@dataclass(frozen=True)
class OnlyForest:
    """A factor that only the forest says matters.

    Attributes:
        name: of the factor.
        why: the likely reason.
        partners: factors of the significant interactions; empty for other reasons.
    """

    name: str
    why: Why
    partners: tuple[str, ...]


@dataclass(frozen=True)
class RankAgreement:
    """Two answers to the same question, compared. Each list starts with what the forest holds for strongest.

    Attributes:
        indicator: what was analysed.
        compared: number of factors with both answers.
        spearman, kendall: correlation of the ranks by forest importance and by partial omega squared; None for fewer
            than 3 factors or where all are equal in one of the two.
        both: factors that both say matter.
        neither: factors that neither says matter.
        only_forest: factors that only the forest says matter.
        only_anova: factors with a significant term that do not matter to the forest.
        missing: factors that the forest knows and the joint model does not hold.
    """

    indicator: str
    compared: int
    spearman: float | None
    kendall: float | None
    both: tuple[str, ...]
    neither: tuple[str, ...]
    only_forest: tuple[OnlyForest, ...]
    only_anova: tuple[str, ...]
    missing: tuple[str, ...]


def compare_with_forest(
    table: Anova,
    forest: Mapping[str, ForestImportance],
    sobol: Mapping[str, tuple[float, float]] | None = None,
) -> RankAgreement:
    """Compare the verdicts and the ranks of a forest with those of the analysis of variance.

    The analysis of variance says that a factor matters where its main effect is significant after Holm.

    Args:
        table: of the same indicator.
        forest: by name of a factor.
        sobol: first-order and total index by name of a factor, to explain what only the forest sees.

    Raises:
        StatisticsError: no factor has both answers.
    """
    tests = {test.term: test for test in table.tests}
    ranked = sorted(forest, key=lambda name: -forest[name].value)
    names = [name for name in ranked if name in tests]
    if not names:
        raise StatisticsError(
            f"{table.indicator}: the forest and the analysis of variance share no factor; analyse the same runs"
        )
    spearman, kendall = _rank_correlations(
        [forest[name].value for name in names], [tests[name].partial.value for name in names]
    )
    verdicts = {name: (forest[name].matters, tests[name].p.significant) for name in names}
    return RankAgreement(
        indicator=table.indicator,
        compared=len(names),
        spearman=spearman,
        kendall=kendall,
        both=_with(verdicts, (True, True)),
        neither=_with(verdicts, (False, False)),
        only_forest=tuple(_only_forest(name, table, sobol or {}) for name in _with(verdicts, (True, False))),
        only_anova=_with(verdicts, (False, True)),
        missing=tuple(name for name in ranked if name not in tests),
    )


def agreement_words(agreement: RankAgreement, table: Anova) -> str:
    """Say in one paragraph where forest and analysis of variance agree on an indicator, and where not.

    Args:
        agreement: of the two.
        table: that it was made from.
    """
    sentences = [_ranks_words(agreement), _both_words(agreement)]
    sentences += _only_forest_words(agreement.only_forest)
    sentences += [_only_anova_words(name, table) for name in agreement.only_anova]
    if agreement.missing:
        are = "is" if len(agreement.missing) == 1 else "are"
        sentences.append(f"{_listed(agreement.missing)} {are} not in the joint model, so there is nothing to compare.")
    disputed = len(agreement.only_forest) + len(agreement.only_anova)
    if disputed:
        it = "it" if disputed == 1 else "them"
        sentences.append(f"Where the two differ, runs that change only {it} would settle the question.")
    else:
        sentences.append("The verdicts do not depend on the method.")
    return " ".join(sentences)


def _with(verdicts: Mapping[str, tuple[bool, bool]], wanted: tuple[bool, bool]) -> tuple[str, ...]:
    return tuple(name for name, verdict in verdicts.items() if verdict == wanted)


def _rank_correlations(one: Sequence[float], other: Sequence[float]) -> tuple[float | None, float | None]:
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None, None
    return float(scipy.stats.spearmanr(one, other).statistic), float(scipy.stats.kendalltau(one, other).statistic)


def _only_forest(name: str, table: Anova, sobol: Mapping[str, tuple[float, float]]) -> OnlyForest:
    partners = tuple(
        other
        for test in table.tests
        if name in test.factors and len(test.factors) > 1 and test.p.significant
        for other in test.factors
        if other != name
    )
    if partners:
        return OnlyForest(name, Why.INTERACTION_TESTED, partners)
    first, total = sobol.get(name, (0.0, 0.0))
    gap = total - first
    return OnlyForest(name, Why.INTERACTION_GAP if gap >= max(first, _LARGE_GAP) else Why.SHAPE, ())


def _ranks_words(agreement: RankAgreement) -> str:
    if agreement.spearman is None or agreement.kendall is None:
        return "The ranks of forest and ANOVA cannot be compared."
    alike = next(
        word
        for least, word in ((0.8, "much alike"), (0.5, "roughly alike"), (-1.1, "differently"))
        if agreement.spearman >= least
    )
    return (
        f"Forest and ANOVA rank the {agreement.compared} factors {alike} "
        f"(Spearman {agreement.spearman:.2f}, Kendall {agreement.kendall:.2f})."
    )


def _both_words(agreement: RankAgreement) -> str:
    verb = "matters" if len(agreement.both) == 1 else "matter"
    agreed = f"Both say that {_listed(agreement.both)} {verb}" if agreement.both else "No factor matters to both"
    if not agreement.neither:
        return f"{agreed}."
    if len(agreement.neither) == 1:
        return f"{agreed}; neither sees an effect of {agreement.neither[0]}."
    return f"{agreed}; neither sees an effect of {len(agreement.neither)} others."


def _only_forest_words(found: Sequence[OnlyForest]) -> list[str]:
    """Return a sentence for each reason, with the factors that it holds for."""
    names: dict[tuple[Why, tuple[str, ...]], list[str]] = {}
    for each in found:
        names.setdefault((each.why, each.partners), []).append(each.name)
    return [
        f"Only the forest counts {_listed(listed, len(listed))}: {_reason(why, partners, several=len(listed) > 1)}."
        for (why, partners), listed in names.items()
    ]


def _reason(why: Why, partners: Sequence[str], *, several: bool) -> str:
    if why is Why.INTERACTION_TESTED:
        doing = "what they do" if several else "what it does"
        return f"{doing} depends on {_listed(partners)}, an interaction that ANOVA finds too"
    if why is Why.INTERACTION_GAP:
        return (
            "they act mostly with others, as their total Sobol indices are at least twice the first"
            if several
            else "it acts mostly with others, as its total Sobol index is at least twice the first"
        )
    effect = "effects" if several else "an effect"
    return f"likely {effect} of a shape that the joint model does not follow, or too weak for its test"


def _only_anova_words(name: str, table: Anova) -> str:
    test = table[name]
    low, high = max(test.overall.low, 0.0), max(test.overall.high, 0.0)
    size = (
        "a small but consistent effect, which a forest passes over"
        if high < _SMALL
        else "not a small effect, so look at how well the forest predicts"
    )
    return (
        f"Only ANOVA counts {name}: {size} (p after Holm {p_words(test.p.log10_holm)}, {low:.1%} to "
        f"{high:.1%} of all variance)."
    )


def _listed(names: Sequence[str], most: int = _NAMED) -> str:
    if not names:
        return "none"
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
