"""What an analysis says: how far each indicator's model can be trusted, and which factors matter."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.analysis._accuracy import Ceiling, CurvePoint
from lsmtune.analysis._anova import Anova
from lsmtune.analysis._effects import EffectCurve
from lsmtune.analysis._encoding import FloatArray
from lsmtune.analysis._false_alarms import ShadowRate
from lsmtune.analysis._impurity import Impurity
from lsmtune.analysis._oneway import ClassicOneWay
from lsmtune.analysis._permutation import Permutation, PermutationImportance
from lsmtune.analysis._rank_agreement import RankAgreement
from lsmtune.analysis._scores import Accuracy, Estimate
from lsmtune.analysis._sensitivity import Sensitivity
from lsmtune.analysis._shadow_features import SHADOWS
from lsmtune.analysis._shapley import Shapley
from lsmtune.analysis._stopped import StoppedLevel
from lsmtune.analysis._surrogate import Learner
from lsmtune.errors import StatisticsError
from lsmtune.space import Factor


@dataclass(frozen=True)
class AnalysisPlan:
    """How much to compute.

    Attributes:
        learners: kinds of models to choose from.
        trees: of the forests behind importance and curves, half for Shapley values; the model that is judged on test
            runs has 300.
        points: base points of the Sobol indices, a power of two.
        draws: of the bootstraps.
        curves: largest number of effect curves of an indicator.
        explained: largest number of runs whose predictions are explained by Shapley values.
        sizes: numbers of training runs of the learning curve, as far as there are so many.
        interactions: pairs of the strongest factors to test in the analysis of variance.
        one_way: also make the one-way tests of Jin et al. (2022).
        shadows: how many are judged at least, over all indicators. Where none of 50 matters, the rule takes at most
            6 % of factors without effect for ones that matter (95 %); none of 8 would leave 31 %.

    Raises:
        StatisticsError: there is no learner, or a number is too small.
    """

    learners: tuple[Learner, ...] = tuple(Learner)
    trees: int = 100
    points: int = 1024
    draws: int = 1000
    curves: int = 8
    explained: int = 120
    sizes: tuple[int, ...] = (50, 100, 200, 400, 600)
    interactions: int = 0
    one_way: bool = False
    shadows: int = 50

    def __post_init__(self) -> None:
        if not self.learners:
            raise StatisticsError("there is no learner to choose from; name at least one")
        least = {"trees": 2, "points": 2, "draws": 20, "curves": 0, "explained": 1, "interactions": 0, "shadows": 0}
        for name, number in least.items():
            if getattr(self, name) < number:
                raise StatisticsError(f"{name} is {getattr(self, name)}; give at least {number}")


@dataclass(frozen=True)
class JudgedPoints:
    """Test runs, their truth beside what the model said; log ratios to the reference, each of shape (m,)."""

    observed: FloatArray
    predicted: FloatArray

    def __post_init__(self) -> None:
        if len(self.observed) != len(self.predicted):
            raise StatisticsError(
                f"{len(self.predicted)} predictions for {len(self.observed)} test runs; give one for each"
            )


@dataclass(frozen=True)
class Trust:
    """How good the model of an indicator is.

    Attributes:
        learner: kind of the model; None where none could be fitted.
        wins: how often each kind was chosen in the outer folds.
        training: runs that it learned from.
        cross_validated: on held-out folds of these; None where there are too few.
        test: on the test runs, which no model learned from; None where there are too few.
        points: these test runs one by one; None likewise.
        ceiling: R² that noise leaves to be reached; None where too few configurations were repeated.
        share: R² over the ceiling; None without a ceiling, or where that is too uncertain to divide by.
        curve: R² on the test runs by number of training runs; empty where there are too few.
    """

    learner: Learner | None = None
    wins: Mapping[Learner, int] | None = None
    training: int = 0
    cross_validated: Accuracy | None = None
    test: Accuracy | None = None
    points: JudgedPoints | None = None
    ceiling: Ceiling | None = None
    share: Estimate | None = None
    curve: tuple[CurvePoint, ...] = ()

    @property
    def best(self) -> Accuracy | None:
        """What says most: the accuracy on test runs, else on held-out folds."""
        return self.test or self.cross_validated


@dataclass(frozen=True)
class Importance:
    """Which factors the model needs; a part that could not be computed is None.

    Attributes:
        shadows: the ones of further models, which stand in no table (see `importance_of_shadows`).
    """

    permutation: Permutation | None = None
    sensitivity: Sensitivity | None = None
    shapley: Shapley | None = None
    impurity: Impurity | None = None
    shadows: tuple[PermutationImportance, ...] = ()


@dataclass(frozen=True)
class IndicatorAnalysis:
    """What the runs say of one indicator.

    Attributes:
        indicator: its name.
        known, bounded: runs with a known value, and runs that were stopped and only bound it.
        trust: how good the model is.
        importance: of the factors, by the model.
        curves: of the strongest factors, the strongest first.
        anova: analysis of variance; None where it could not be made.
        agreement: of the model with the analysis of variance.
        agreement_words: the same in a paragraph, "" without one.
        one_way: tests as in Jin et al. (2022), where they were asked for.
        warnings: what was assumed.
        missing: what could not be computed, and why.
    """

    indicator: str
    known: int
    bounded: int
    trust: Trust = Trust()
    importance: Importance = Importance()
    curves: tuple[EffectCurve, ...] = ()
    anova: Anova | None = None
    agreement: RankAgreement | None = None
    agreement_words: str = ""
    one_way: tuple[ClassicOneWay, ...] = ()
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether anything is said of factors."""
        return self.importance != Importance() or self.anova is not None or bool(self.one_way)

    @property
    def matters(self) -> tuple[str, ...]:
        """Names of factors and bundles that matter to the model or to the analysis of variance, the strongest first."""
        permutation, anova = self.importance.permutation, self.anova
        losses = {one.player.name: one for one in permutation.importances} if permutation is not None else {}
        tests = {test.term: test for test in anova.tests if len(test.factors) == 1} if anova is not None else {}
        found = [name for name, one in losses.items() if one.matters]
        found += [name for name, test in tests.items() if test.p.significant]

        def strength(name: str) -> tuple[float, float]:
            loss = losses[name].loss.value if name in losses else 0.0
            return loss, tests[name].overall.value if name in tests else 0.0

        real = [name for name in dict.fromkeys(found) if name not in SHADOWS]
        return tuple(sorted(real, key=strength, reverse=True))

    def curve(self, name: str) -> EffectCurve | None:
        """Return the effect curve of a factor, None where there is none."""
        return next((curve for curve in self.curves if curve.name == name), None)


@dataclass(frozen=True)
class Analysis:
    """What the runs of a study say of its options; made by `analyse`.

    Attributes:
        facts: what to know of the study.
        runs: number of its runs.
        factors: what varied.
        indicators: the analysed ones.
        shadow_rate: how often the analysis of variance took a shadow feature for significant; None without an analysis.
        stopped: what most of the censored runs have in common.
        missing: indicators that could not be analysed at all, and why.
    """

    facts: Mapping[str, str]
    runs: int
    factors: tuple[Factor, ...]
    indicators: tuple[IndicatorAnalysis, ...]
    shadow_rate: ShadowRate | None = None
    stopped: tuple[StoppedLevel, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def by_name(self) -> Mapping[str, IndicatorAnalysis]:
        """The analysed indicators by name."""
        return {found.indicator: found for found in self.indicators}

    @property
    def false_alarms(self) -> tuple[int, int]:
        """How many shadow features matter by permutation, and how many there are, over all indicators."""
        verdicts = []
        for importance in (found.importance for found in self.indicators):
            verdicts += [one.matters for one in importance.shadows]
            players = importance.permutation.importances if importance.permutation is not None else ()
            verdicts += [one.matters for one in players if one.player.name in SHADOWS]
        return sum(verdicts), len(verdicts)
