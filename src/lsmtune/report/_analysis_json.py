"""An analysis for machines: base units, None for what is not known, nothing rounded."""

from typing import Any

from lsmtune.analysis import (
    Analysis,
    EffectCurve,
    IndicatorAnalysis,
    PermutationImportance,
    PValue,
    TermTest,
    Trust,
    direction,
)
from lsmtune.report._analysis_words import (
    direction_words,
    groups_of,
    higher_is_better,
    stopped_sentence,
    trust_sentence,
    trust_verdict,
)
from lsmtune.report._plain import plain
from lsmtune.space import Factor
from lsmtune.stats import largest_share

ANALYSIS_FORMAT = 1
"""Version of the object. 1: the first."""


def analysis_json(analysis: Analysis) -> dict[str, Any]:
    """Return all that an analysis says as values of JSON; a number that is not finite is None.

    Left out are only the values of single runs that the table of runs holds itself, and the contributions of the
    factors to the predictions of single runs.
    """
    hits, shadows = analysis.false_alarms
    return {
        "format": ANALYSIS_FORMAT,
        "facts": dict(analysis.facts),
        "runs": analysis.runs,
        "factors": [plain(factor) for factor in analysis.factors],
        "indicators": [_indicator(found, analysis.factors) for found in analysis.indicators],
        "groups": {
            str(change): {name: list(indicators) for name, indicators in names.items()}
            for change, names in groups_of(analysis).items()
        },
        "dummies": {
            "judged": shadows,
            "matter": hits,
            "matter_at_most": largest_share(hits, shadows) if shadows else None,
            "anova": plain(analysis.shadow_rate),
        },
        "stopped": [
            {**plain(level), "p": _p(level.p), "sentence": stopped_sentence(level)} for level in analysis.stopped
        ],
        "missing": list(analysis.missing),
    }


def _indicator(found: IndicatorAnalysis, factors: tuple[Factor, ...]) -> dict[str, Any]:
    importance, anova = found.importance, found.anova
    by_name = {factor.name: factor for factor in factors}
    return {
        "indicator": found.indicator,
        "known": found.known,
        "bounded": found.bounded,
        "matters": list(found.matters),
        "trust": _trust(found.trust),
        "permutation": importance.permutation
        and {
            "null": importance.permutation.null,
            "r2": plain(importance.permutation.r2),
            "repeats": importance.permutation.repeats,
            "factors": [_permuted(one) for one in importance.permutation.importances],
        },
        "sobol": plain(importance.sensitivity),
        "shapley": importance.shapley
        and {
            "null": importance.shapley.null,
            "r2": plain(importance.shapley.r2),
            "runs": len(importance.shapley.rows),
            "factors": plain(importance.shapley.importances),
        },
        "impurity": plain(importance.impurity),
        "curves": [_curve(curve, by_name.get(curve.name), found.indicator) for curve in found.curves],
        "anova": anova
        and {
            **{name: plain(getattr(anova, name)) for name in ("runs", "n", "imputed", "columns", "r2")},
            "tests": [_test(test) for test in anova.tests],
            "dropped": plain(anova.dropped),
            "left_out": list(anova.left_out),
            "flips": [
                {"term": flip.term, "p_all": _p(flip.p_all), "p_observed": flip.p_observed and _p(flip.p_observed)}
                for flip in anova.flips
            ],
        },
        "agreement": found.agreement and {**plain(found.agreement), "words": found.agreement_words},
        "one_way": plain(found.one_way),
        "warnings": list(found.warnings),
        "missing": list(found.missing),
    }


def _trust(trust: Trust) -> dict[str, Any]:
    return {
        **{name: plain(getattr(trust, name)) for name in ("learner", "wins", "training", "cross_validated", "test")},
        "ceiling": plain(trust.ceiling),
        "share_of_ceiling": plain(trust.share),
        "learning_curve": [{**plain(point), "median": plain(point.median)} for point in trust.curve],
        "test_runs": plain(trust.points),
        "sentence": trust_sentence(trust),
        "verdict": trust_verdict(trust),
    }


def _permuted(one: PermutationImportance) -> dict[str, Any]:
    return {**plain(one), "player": one.player.name, "members": list(one.player.members), "tied": one.player.tied}


def _curve(curve: EffectCurve, factor: Factor | None, indicator: str) -> dict[str, Any]:
    told = {name: value for name, value in plain(curve).items() if name != "rug"}
    better = higher_is_better(indicator)
    found = direction(curve, factor, higher_is_better=better is not False) if factor is not None else None
    return {
        **told,
        "runs": len(curve.rug),
        "direction": plain(found),
        "words": direction_words(curve, factor, indicator),
    }


def _test(test: TermTest) -> dict[str, Any]:
    checks = {
        name: check and {**plain(check.test), "p": _p(check.p)}
        for name, check in (("welch", test.welch), ("kruskal", test.kruskal))
    }
    return {**plain(test), "p": _p(test.p), **checks}


def _p(p: PValue) -> dict[str, float | bool]:
    return {
        "raw": p.raw,
        "holm": p.holm,
        "bh": p.bh,
        "log10": p.log10,
        "log10_holm": p.log10_holm,
        "log10_bh": p.log10_bh,
        "significant": p.significant,
    }
