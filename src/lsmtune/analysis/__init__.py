"""Which options matter: surrogates, importance and analysis of variance over the runs of a study."""

from lsmtune.analysis._accuracy import (
    Ceiling,
    CurvePoint,
    ceiling,
    judge,
    judging_rows,
    learning_curve,
)
from lsmtune.analysis._analyse import analyse, default_indicators
from lsmtune.analysis._anova import Anova, Check, Flip, TermTest, anova
from lsmtune.analysis._choice import Choice, choose_learner, training_rows
from lsmtune.analysis._direction import Direction, Trend, direction
from lsmtune.analysis._effects import CurveMethod, EffectCurve, effect_curve
from lsmtune.analysis._emulator import Emulator, fit_emulator
from lsmtune.analysis._encoding import Columns, Derive, Encoder, active, columns_of, varying
from lsmtune.analysis._false_alarms import ShadowRate, shadow_rate
from lsmtune.analysis._findings import Analysis, AnalysisPlan, Importance, IndicatorAnalysis, JudgedPoints, Trust
from lsmtune.analysis._impurity import Impurity, ImpurityImportance, Spread, impurity_importance
from lsmtune.analysis._joint import AnovaPlan, Outcome
from lsmtune.analysis._kept_rates import OFFERED, KeptRate, OfferedRate, kept_rates
from lsmtune.analysis._linear import Effect
from lsmtune.analysis._multiplicity import ALPHA, PValue, adjusted, p_words
from lsmtune.analysis._oneway import ClassicOneWay, GroupMean, OneWay, RawMean, classic_one_way, raw_groups
from lsmtune.analysis._permutation import Permutation, PermutationImportance, permutation_importance
from lsmtune.analysis._players import Player, players_of
from lsmtune.analysis._rank_agreement import (
    ForestImportance,
    OnlyForest,
    RankAgreement,
    Why,
    agreement_words,
    compare_with_forest,
)
from lsmtune.analysis._response import LEAST_RUNS, Response, complete, log_ratios, response
from lsmtune.analysis._runs import FORMAT_VERSION, RUN_COLUMNS, Runs
from lsmtune.analysis._sample import Folds, Predictor, Sample, fit_folds, grouped_folds
from lsmtune.analysis._scores import Accuracy, Estimate, grade, order_share, r_squared
from lsmtune.analysis._sensitivity import PairIndex, Sensitivity, SobolIndices, share_of_data, sobol_indices
from lsmtune.analysis._shadow_features import (
    FORMER_SHADOWS,
    SHADOW_CATEGORY,
    SHADOW_NUMBER,
    SHADOWS,
    null_line,
    with_shadows,
)
from lsmtune.analysis._shapley import Shapley, ShapleyImportance, shapley_values
from lsmtune.analysis._steps import Tell
from lsmtune.analysis._stopped import StoppedLevel, stopped_levels
from lsmtune.analysis._surrogate import Learner, Surrogate, fit_runs, fit_surrogate
from lsmtune.analysis._sweep import Cell, PairwiseComparison, pairwise_comparisons, sweep_cells
from lsmtune.analysis._sweep_phases import sweep_phases
from lsmtune.analysis._sweep_rule import Exceptions, Rule, Where, regions_of, rule_of_thumb
from lsmtune.analysis._table_facts import TableFacts
from lsmtune.analysis._terms import Dropped, Shape

__all__ = [
    "ALPHA",
    "FORMAT_VERSION",
    "FORMER_SHADOWS",
    "LEAST_RUNS",
    "OFFERED",
    "RUN_COLUMNS",
    "SHADOWS",
    "SHADOW_CATEGORY",
    "SHADOW_NUMBER",
    "Accuracy",
    "Analysis",
    "AnalysisPlan",
    "Anova",
    "AnovaPlan",
    "Ceiling",
    "Cell",
    "Check",
    "Choice",
    "ClassicOneWay",
    "Columns",
    "CurveMethod",
    "CurvePoint",
    "Derive",
    "Direction",
    "Dropped",
    "Effect",
    "EffectCurve",
    "Emulator",
    "Encoder",
    "Estimate",
    "Exceptions",
    "Flip",
    "Folds",
    "ForestImportance",
    "GroupMean",
    "Importance",
    "Impurity",
    "ImpurityImportance",
    "IndicatorAnalysis",
    "JudgedPoints",
    "KeptRate",
    "Learner",
    "OfferedRate",
    "OneWay",
    "OnlyForest",
    "Outcome",
    "PValue",
    "PairIndex",
    "PairwiseComparison",
    "Permutation",
    "PermutationImportance",
    "Player",
    "Predictor",
    "RankAgreement",
    "RawMean",
    "Response",
    "Rule",
    "Runs",
    "Sample",
    "Sensitivity",
    "ShadowRate",
    "Shape",
    "Shapley",
    "ShapleyImportance",
    "SobolIndices",
    "Spread",
    "StoppedLevel",
    "Surrogate",
    "TableFacts",
    "Tell",
    "TermTest",
    "Trend",
    "Trust",
    "Where",
    "Why",
    "active",
    "adjusted",
    "agreement_words",
    "analyse",
    "anova",
    "ceiling",
    "choose_learner",
    "classic_one_way",
    "columns_of",
    "compare_with_forest",
    "complete",
    "default_indicators",
    "direction",
    "effect_curve",
    "fit_emulator",
    "fit_folds",
    "fit_runs",
    "fit_surrogate",
    "grade",
    "grouped_folds",
    "impurity_importance",
    "judge",
    "judging_rows",
    "kept_rates",
    "learning_curve",
    "log_ratios",
    "null_line",
    "order_share",
    "p_words",
    "pairwise_comparisons",
    "permutation_importance",
    "players_of",
    "r_squared",
    "raw_groups",
    "regions_of",
    "response",
    "rule_of_thumb",
    "shadow_rate",
    "shapley_values",
    "share_of_data",
    "sobol_indices",
    "stopped_levels",
    "sweep_cells",
    "sweep_phases",
    "training_rows",
    "varying",
    "with_shadows",
]
