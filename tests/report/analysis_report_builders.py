"""An analysis made by hand, for the tests of its reports: numbers that are easy to follow, none of them computed."""

from dataclasses import replace

import numpy as np

from lsmtune.analysis import (
    SHADOW_NUMBER,
    Accuracy,
    Analysis,
    Anova,
    Ceiling,
    ClassicOneWay,
    CurveMethod,
    CurvePoint,
    Effect,
    EffectCurve,
    Estimate,
    Importance,
    Impurity,
    ImpurityImportance,
    IndicatorAnalysis,
    JudgedPoints,
    Learner,
    PairIndex,
    Permutation,
    PermutationImportance,
    Player,
    PValue,
    RankAgreement,
    RawMean,
    Sensitivity,
    ShadowRate,
    Shape,
    Shapley,
    ShapleyImportance,
    SobolIndices,
    Spread,
    StoppedLevel,
    TermTest,
    Trust,
    agreement_words,
)
from lsmtune.model import Value
from lsmtune.space import Change, Factor, Kind

MIB = 2**20
BUFFER = Factor("write_buffer_size", Kind.INT, "B", 64 * MIB, Change.ONLINE, log=True)
LEVEL = Factor("max_bytes_for_level_base", Kind.INT, "B", 256 * MIB, Change.ONLINE, log=True)
TRIGGER = Factor("level0_file_num_compaction_trigger", Kind.INT, "files", 4, Change.ONLINE)
PACKED = Factor(
    "compression_type", Kind.CHOICE, "", "snappy", Change.REBUILD, choices=("none", "snappy", "zstd", "bzip2")
)
JOBS = Factor("max_background_jobs", Kind.INT, "threads", 2, Change.RESTART)
THREADS = Factor("workload.threads", Kind.INT, "threads", 1, Change.WORKLOAD)
FACTORS = (BUFFER, LEVEL, TRIGGER, PACKED, JOBS, THREADS)
BUNDLE = f"{BUFFER.name} + {LEVEL.name}"
SHADOW = Factor(SHADOW_NUMBER, Kind.FLOAT, "", 0.5, Change.ONLINE)


def around(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half)


def accuracy(r2: float, half: float, configurations: int) -> Accuracy:
    return Accuracy(configurations, configurations, around(r2, half), around(r2 + 0.03, 0.02), around(1.1, 0.01), None)


def permuted(name: str, value: float, half: float, *members: str, tied: bool = False) -> PermutationImportance:
    matters = value - half > 0.01
    loss = around(value, half)
    return PermutationImportance(
        Player(name, members or (name,), tied), loss, 0.001 if matters else 0.4, 200, 200, matters
    )


def term(name: str, log10_p: float, omega: float, *factors: str) -> TermTest:
    p = PValue(log10_p, min(log10_p + 1, 0), min(log10_p + 0.5, 0))
    effect = Effect(omega, omega - 0.02, omega + 0.02)
    return TermTest(name, factors or (name,), Shape.LEVELS, 9.5, (3, 150), p, 1.5, effect, effect, 1.1, (), None, None)


def curve(factor: Factor, values: tuple[Value, ...], ratios: list[float], half: float = 0.04) -> EffectCurve:
    ratio = np.array(ratios)
    band = (ratio * 0.8, ratio * 1.2)
    ends = (ratio * (1 - half), ratio * (1 + half))
    rug = np.array([values[place % len(values)] for place in range(24)], dtype=object if factor.is_category else None)
    method = CurveMethod.PARTIAL_DEPENDENCE
    return EffectCurve(
        factor.name, method, values, (False,) * len(values), ratio, *ends, *band, factor.reference, rug, tied=False
    )


PERMUTATION = Permutation(
    (
        permuted(BUNDLE, 0.62, 0.05, BUFFER.name, LEVEL.name),
        permuted(BUFFER.name, 0.55, 0.05, tied=True),
        permuted(LEVEL.name, 0.008, 0.01, tied=True),
        permuted(TRIGGER.name, 0.11, 0.03),
        permuted(PACKED.name, 0.31, 0.04),
        permuted(JOBS.name, 0.001, 0.004),
        permuted(THREADS.name, 0.002, 0.005),
        permuted(SHADOW.name, 0.002, 0.006),
    ),
    null=0.008,
    r2=0.91,
    repeats=10,
)
SENSITIVITY = Sensitivity(
    (
        SobolIndices(
            Player(BUNDLE, (BUFFER.name, LEVEL.name)), around(0.5, 0.03), around(0.58, 0.03), around(0.08, 0.03)
        ),
        SobolIndices(Player(TRIGGER.name, (TRIGGER.name,)), around(0.08, 0.02), around(0.12, 0.02), around(0.04, 0.02)),
        SobolIndices(Player(PACKED.name, (PACKED.name,)), around(0.22, 0.02), around(0.3, 0.02), around(0.08, 0.02)),
    ),
    (PairIndex((BUNDLE, PACKED.name), around(0.07, 0.02)), PairIndex((BUNDLE, TRIGGER.name), around(0.01, 0.02))),
    variance=0.3,
    null=0.005,
    points=1024,
)
IMPURITY = Impurity(
    (
        ImpurityImportance(BUFFER.name, Spread(0.5, 0.45, 0.55), Spread(1, 1, 1)),
        ImpurityImportance(PACKED.name, Spread(0.3, 0.25, 0.35), Spread(2, 2, 2)),
    ),
    Spread(0.97, 0.96, 0.98),
    Spread(0.8, 0.7, 0.85),
    200,
    100,
    (0, 1, 2),
)
SHAPLEY = Shapley(
    (ShapleyImportance(BUFFER.name, around(0.3, 0.02)), ShapleyImportance(PACKED.name, around(0.2, 0.02))),
    np.arange(3),
    np.zeros((3, 2)),
    0.1,
    np.full(3, 0.1),
    0.85,
    0.01,
)
ANOVA = Anova(
    "waf",
    230,
    200,
    3,
    20,
    0.84,
    (
        term(BUFFER.name, -40, 0.41),
        term(LEVEL.name, -0.3, -0.01),
        term(TRIGGER.name, -5, 0.06),
        term(PACKED.name, -22, 0.24),
        term(JOBS.name, -4, 0.02),
        term(THREADS.name, -0.4, 0.0),
        term(SHADOW.name, -0.2, 0.0),
        term(f"{PACKED.name} x {TRIGGER.name}", -6, 0.03, PACKED.name, TRIGGER.name),
    ),
    (),
    (),
    (),
    (f'"{LEVEL.name}" varies along with other terms',),
)
AGREEMENT = RankAgreement(
    "waf",
    6,
    0.83,
    0.73,
    (BUFFER.name, PACKED.name, TRIGGER.name),
    (LEVEL.name, THREADS.name),
    (),
    (JOBS.name,),
    (),
)
TRUST = Trust(
    Learner.EXTRA_TREES,
    {Learner.EXTRA_TREES: 4, Learner.BOOSTING: 1, Learner.FOREST: 0},
    200,
    accuracy(0.9, 0.03, 200),
    accuracy(0.93, 0.02, 60),
    JudgedPoints(np.linspace(-1, 1, 60), np.linspace(-0.9, 0.9, 60)),
    Ceiling(around(0.98, 0.01), 0.03, 20, 60),
    around(0.95, 0.02),
    (CurvePoint(50, (0.6, 0.65, 0.7)), CurvePoint(100, (0.8, 0.81, 0.83)), CurvePoint(200, (0.93,))),
)
CURVES = (
    curve(BUFFER, tuple(size * MIB for size in (16, 64, 256, 512)), [1.4, 1.0, 0.72, 0.71]),
    curve(PACKED, PACKED.choices, [1.0, 1.0, 0.98, 1.3]),
    curve(TRIGGER, (2, 4, 8, 16), [1.0, 1.0, 1.01, 1.02]),
)
WAF = IndicatorAnalysis(
    "waf",
    227,
    3,
    TRUST,
    Importance(PERMUTATION, SENSITIVITY, SHAPLEY, IMPURITY),
    CURVES,
    ANOVA,
    AGREEMENT,
    agreement_words(AGREEMENT, ANOVA),
    (
        ClassicOneWay(
            PACKED.name,
            Shape.LEVELS,
            55.2,
            (1, 198),
            -68.3,
            (RawMean("none", 100, 6.1), RawMean("bzip2", 100, 9.2)),
            0.508,
        ),
        ClassicOneWay(JOBS.name, Shape.BINS, 0.4, (1, 198), -0.3, (RawMean("1 to 4", 100, 7.5),), float("nan")),
    ),
    ("never varied where it has an effect, so no effect can be computed: block_size",),
)
SPACE = IndicatorAnalysis(
    "space_bytes",
    210,
    0,
    Trust(Learner.BOOSTING, None, 200, accuracy(0.15, 0.1, 200)),
    Importance(
        permutation=replace(
            PERMUTATION, importances=tuple(replace(one, matters=False) for one in PERMUTATION.importances)
        )
    ),
    warnings=WAF.warnings,
    missing=("there are no test runs, so accuracy is that of cross-validation only",),
)
FULL = Analysis(
    {"name": "jin", "engine": "rocksdb 11.8.1", "host": "Some CPU, 2 cores", "scale": "1/64", "keys": "1000000"},
    312,
    FACTORS,
    (WAF, SPACE),
    ShadowRate(2, 0, 0, 0.0, 0.84),
    (StoppedLevel(PACKED.name, "bzip2", 31, 65, 40, 260, PValue(-14, -13, -13.5)),),
    ('no run of this study has the indicator "saf"; take one of waf, space_bytes',),
)
"""A strong indicator and a weak one, with everything that can be said."""

BARE = Analysis({}, 40, FACTORS, (IndicatorAnalysis("memory_peak_bytes", 40, 0, anova=ANOVA),))
"""An indicator without a model: only the analysis of variance could be made."""
