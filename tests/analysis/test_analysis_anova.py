"""The joint analysis of variance against known truth."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests

from lsmtune.analysis._anova import anova
from lsmtune.analysis._false_alarms import shadow_rate
from lsmtune.analysis._joint import AnovaPlan, Outcome, fit_joint
from lsmtune.analysis._linear import effect_sizes
from lsmtune.analysis._sample import Sample
from lsmtune.analysis._shadow_features import SHADOW_NUMBER
from lsmtune.analysis._terms import Shape
from lsmtune.errors import StatisticsError
from lsmtune.space import Change, Factor, Kind

Values = npt.NDArray[Any]
QUICK = AnovaPlan(draws=100)


def factor_of(name: str, values: Values, **fields: Any) -> Factor:
    kind = {"b": Kind.BOOL, "i": Kind.INT, "f": Kind.FLOAT}.get(values.dtype.kind, Kind.CHOICE)
    return Factor(name, kind, "", values.tolist()[0], Change.ONLINE, **fields)


def outcome_of(
    columns: Mapping[str, Values], logs: Values, *, name: str = "waf", imputed: Values | None = None, **more: Any
) -> Outcome:
    fields: Mapping[str, Mapping[str, Any]] = more.get("fields", {})
    factors = tuple(factor_of(each, values, **fields.get(each, {})) for each, values in columns.items())
    groups = more.get("groups", np.arange(len(logs)))
    sample = Sample(factors, more.get("bundles", ()), columns, logs, groups)
    return Outcome(name, sample, np.zeros(len(logs), bool) if imputed is None else imputed)


def two_way(n: int = 80) -> tuple[dict[str, Values], Values]:
    """Two unbalanced categories that go together, with effects, an interaction and unequal variances."""
    rng = np.random.default_rng(5)
    a = rng.choice(list("xyz"), n, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(n) < np.where(a == "x", 0.7, 0.3), "p", "q")
    logs = (a == "y") * 0.8 + (b == "q") * 0.5 + ((a == "z") & (b == "q")) * 1.5
    return {"a": a, "b": b}, logs + rng.normal(0, np.where(b == "q", 1.0, 0.3))


def test_type_two_sums_of_an_unbalanced_two_way_layout_are_those_of_statsmodels() -> None:
    columns, logs = two_way()
    known = anova_lm(smf.ols("y ~ C(a) * C(b)", pd.DataFrame({**columns, "y": logs})).fit(), typ=2)
    (table,) = anova([outcome_of(columns, logs)], AnovaPlan(interactions=(("a", "b"),), draws=20))
    for term, label in (("a", "C(a)"), ("b", "C(b)"), ("a x b", "C(a):C(b)")):
        assert table[term].sum_sq == pytest.approx(known.loc[label, "sum_sq"])
        assert table[term].df[0] == known.loc[label, "df"]


def test_robust_f_tests_are_those_of_statsmodels() -> None:
    columns, logs = two_way()
    frame = pd.DataFrame({**columns, "y": logs})
    (table,) = anova([outcome_of(columns, logs)], AnovaPlan(interactions=(("a", "b"),), draws=20))
    crossed = smf.ols("y ~ C(a, Sum) * C(b, Sum)", frame).fit(cov_type="HC3", use_t=True)
    apart = smf.ols("y ~ C(a, Sum) + C(b, Sum)", frame).fit(cov_type="HC3", use_t=True)
    for term, fit, mark in (("a x b", crossed, ":"), ("a", apart, "C(a")):
        rows = np.eye(len(fit.params))[[mark in name for name in fit.params.index]]
        known = fit.f_test(rows)
        assert table[term].f == pytest.approx(float(known.fvalue))
        assert table[term].p.raw == pytest.approx(float(known.pvalue))
        assert table[term].df == (known.df_num, known.df_denom)


def test_null_factors_are_significant_in_5_percent_although_variances_differ() -> None:
    rng, n, hits = np.random.default_rng(6), 120, np.zeros(4)
    for _ in range(300):
        columns: dict[str, Values] = {
            "strong": rng.random(n),
            "number": rng.random(n),
            "flag": rng.random(n) < 0.2,
            "choice": rng.choice(list("abc"), n, p=[0.6, 0.3, 0.1]),
            "other": rng.random(n),
        }
        # Variance follows factors that do not move the mean: this is where the usual F test says too much.
        spread = 0.1 + 0.9 * columns["flag"] + columns["number"] ** 2
        outcome = outcome_of(columns, 3 * columns["strong"] + rng.normal(0, spread))
        hits += [test.log10_p <= np.log10(0.05) for test in fit_joint(outcome, QUICK).tests[1:]]
    rates = hits / 300
    assert rates.max() <= 0.09
    assert 0.02 <= rates.mean() <= 0.065


def test_omega_squared_of_a_balanced_one_way_layout_is_that_of_the_textbook() -> None:
    # Means 2, 3, 6 of 6 each: SS 52 between, 12 within, so MS within .8: (52 - 2 * .8) / (64 + .8).
    logs = np.tile([1.0, 2.0, 3.0], 6) + np.repeat([0.0, 1.0, 4.0], 6)
    (table,) = anova([outcome_of({"a": np.repeat(list("xyz"), 6)}, logs)], QUICK)
    assert table["a"].overall.value == pytest.approx(50.4 / 64.8)
    assert table["a"].partial.value == pytest.approx(50.4 / 64.8)
    assert table["a"].inflation == pytest.approx(1.0)


@pytest.mark.parametrize(("shift", "truth"), [(0.0, 0.0), (0.3, 0.06 / 1.06), (1.0, 2 / 5)])
def test_bootstrap_intervals_of_omega_squared_cover_the_truth(shift: float, truth: float) -> None:
    rng, covered, levels = np.random.default_rng(7), 0, np.repeat(list("xyz"), 30)
    for _ in range(200):
        # The variance of the means -shift, 0, shift is 2/3 shift^2.
        logs = np.repeat([-shift, 0.0, shift], 30) + rng.normal(0, 1, 90)
        model = fit_joint(outcome_of({"a": levels, "other": rng.random(90)}, logs), QUICK)
        effect = effect_sizes(model.fit, model.tests, draws=200, seed=1, level=0.95)["a"][1]
        covered += effect.low <= truth <= effect.high
    assert covered / 200 >= 0.92


def test_omega_squared_does_not_shrink_with_the_number_of_other_factors() -> None:
    rng, levels, values = np.random.default_rng(23), np.repeat(list("xyz"), 30), []
    for _ in range(60):
        others: dict[str, Values] = {f"other_{number}": rng.random(90) for number in range(8)}
        logs = np.repeat([-1.0, 0.0, 1.0], 30) + rng.normal(0, 1, 90)
        model = fit_joint(outcome_of({"a": levels, **others}, logs), QUICK)
        values.append(effect_sizes(model.fit, model.tests, draws=20, seed=1, level=0.95)["a"][1].value)
    # 16 columns of others take 18 % of the sum of squares by chance; uncorrected, this would be .33.
    assert np.mean(values) == pytest.approx(2 / 5, abs=0.03)


def test_a_spline_sees_a_u_that_a_straight_line_misses() -> None:
    rng = np.random.default_rng(8)
    x, other = rng.permutation(np.linspace(0, 1, 100)), rng.random(100)
    logs = 4 * (x - 0.5) ** 2 + rng.normal(0, 0.2, 100)
    assert smf.ols("y ~ x", pd.DataFrame({"x": x, "y": logs})).fit().pvalues["x"] > 0.05
    outcome = outcome_of({"x": x, "other": other}, logs)
    for plan in (QUICK, AnovaPlan(shape=Shape.BINS, draws=100)):
        (table,) = anova([outcome], plan)
        assert table["x"].shape is plan.shape
        assert table["x"].df[0] == 3
        assert table["x"].p.holm < 1e-8
        assert not table["other"].p.significant


def test_curves_are_simpler_where_runs_are_few_for_the_number_of_factors() -> None:
    rng = np.random.default_rng(24)
    columns: dict[str, Values] = {f"f{number}": rng.random(160) for number in range(12)}
    logs = 4 * (columns["f3"] - 0.5) ** 2 + rng.normal(0, 0.2, 160)
    (few,) = anova([outcome_of(columns, logs)], QUICK)
    assert {test.df[0] for test in few.tests} == {2}
    assert few["f3"].p.significant
    (asked,) = anova([outcome_of(columns, logs)], AnovaPlan(curve_df=3, draws=20))
    assert {test.df[0] for test in asked.tests} == {3}


def test_a_logarithmic_range_is_followed_on_its_logarithm() -> None:
    rng = np.random.default_rng(9)
    size = np.round(2 ** rng.uniform(10, 30, 60)).astype(np.int64)
    logs = 0.3 * np.log2(size) + rng.normal(0, 1e-3, 60)
    (table,) = anova([outcome_of({"size": size}, logs, fields={"size": {"log": True}})], QUICK)
    # A spline reproduces a straight line; on the bare axis nearly all values would lie at its lower end.
    assert table.r2 == pytest.approx(1.0, abs=1e-5)


def test_a_special_value_has_a_level_of_its_own_beside_the_curve() -> None:
    rng = np.random.default_rng(10)
    bits = np.where(rng.random(120) < 0.3, 0, rng.integers(5, 40, 120))
    logs = np.where(bits == 0, 5.0, 0.1 * bits) + rng.normal(0, 0.05, 120)
    (table,) = anova([outcome_of({"bits": bits}, logs, fields={"bits": {"specials": (0,)}})], QUICK)
    assert table["bits"].df[0] == 4
    assert table.r2 is not None
    assert table.r2 > 0.99
    assert table["bits"].means[0].label == "0"


def test_a_conditional_factor_is_judged_where_it_acts() -> None:
    rng, n = np.random.default_rng(11), 150
    switch, level, idle = rng.random(n) < 0.4, rng.random(n), rng.random(n)
    fields = {"level": {"conditions": {"switch": (True,)}}, "idle": {"conditions": {"switch": (False,)}}}
    logs = 1.0 * switch + np.where(switch, 2 * level, 0) + rng.normal(0, 0.1, n)
    columns: dict[str, Values] = {"switch": switch, "level": level, "idle": idle}
    outcome = outcome_of(columns, logs, fields=fields)
    (table,) = anova([outcome], QUICK)
    assert table["switch"].p.significant
    assert table["level"].p.significant
    assert not table["idle"].p.significant
    assert sum(mean.n for mean in table["level"].means) == switch.sum()
    # What it is set to where it does not act changes nothing.
    moved = {**columns, "level": np.where(switch, level, rng.random(n))}
    (again,) = anova([outcome_of(moved, logs, fields=fields)], QUICK)
    assert again["level"].f == pytest.approx(table["level"].f)


def test_terms_that_cannot_be_told_apart_are_dropped_by_name() -> None:
    rng = np.random.default_rng(12)
    x = rng.random(60)
    columns: dict[str, Values] = {"x": x, "copy": 2 * x + 1, "fixed": np.full(60, 3.0)}
    (table,) = anova([outcome_of(columns, x + rng.normal(0, 0.1, 60))], QUICK)
    assert [test.term for test in table.tests] == ["x"]
    reasons = {dropped.name: dropped.reason for dropped in table.dropped}
    assert "never varied" in reasons["fixed"]
    assert "follow from" in reasons["copy"]


def test_the_inflation_of_two_flags_is_that_of_their_correlation() -> None:
    rng = np.random.default_rng(13)
    one = rng.random(200) < 0.5
    other = np.where(rng.random(200) < 0.9, one, ~one)
    third = rng.random(200) < 0.5
    logs = one + rng.normal(0, 1, 200)
    (table,) = anova([outcome_of({"one": one, "other": other, "third": third}, logs)], QUICK)
    r = np.corrcoef([one, other, third])
    assert table["one"].inflation == pytest.approx(np.sqrt(np.linalg.inv(r)[0, 0]))


def test_factors_tied_by_a_constraint_are_reported_with_their_inflation() -> None:
    rng = np.random.default_rng(14)
    small = rng.random(100)
    columns: dict[str, Values] = {"small": small, "large": small + 0.05 * rng.random(100), "free": rng.random(100)}
    outcome = outcome_of(columns, small + rng.normal(0, 0.1, 100), bundles=(("small", "large"),))
    (table,) = anova([outcome], QUICK)
    assert min(table["small"].inflation, table["large"].inflation) > 2.2
    assert table["free"].inflation < 1.5
    (warning,) = [text for text in table.warnings if "constraint" in text]
    assert "small, large" in warning
    assert "free" not in warning


def test_a_level_that_one_run_has_is_reported_and_does_not_blow_up() -> None:
    rng = np.random.default_rng(15)
    columns: dict[str, Values] = {"a": np.array(["x"] * 30 + ["y"] * 29 + ["z"]), "b": rng.random(60)}
    logs = rng.normal(0, 1, 60)
    (table,) = anova([outcome_of(columns, logs)], QUICK)
    assert table["a"].f < 10
    assert any('"a" (1)' in warning for warning in table.warnings)


def test_repeats_of_a_configuration_add_no_evidence() -> None:
    columns, logs = two_way()
    (once,) = anova([outcome_of(columns, logs)], QUICK)
    thrice = {name: np.repeat(values, 3) for name, values in columns.items()}
    repeated = np.repeat(logs, 3) + np.tile([-0.1, 0.0, 0.1], 80)
    (table,) = anova([outcome_of(thrice, repeated, groups=np.repeat(np.arange(80), 3))], QUICK)
    assert (table.runs, table.n) == (240, 80)
    assert table["a"].f == pytest.approx(once["a"].f)


def test_p_values_are_adjusted_over_all_terms_of_all_indicators() -> None:
    columns, logs = two_way()
    noise = np.random.default_rng(16).normal(0, 1, 80)
    tables = anova([outcome_of(columns, logs, name="waf"), outcome_of(columns, noise, name="time_s")], QUICK)
    tests = [test for table in tables for test in table.tests]
    raw = [test.p.raw for test in tests]
    assert [test.p.holm for test in tests] == pytest.approx(multipletests(raw, method="holm")[1])
    assert [test.p.bh for test in tests] == pytest.approx(multipletests(raw, method="fdr_bh")[1])
    checks = [test.welch for test in tests if test.welch]
    assert len(checks) == 4
    assert checks[-1].p.holm <= min(1.0, 4 * checks[-1].p.raw)


def test_the_strongest_pair_is_found_as_an_interaction() -> None:
    rng = np.random.default_rng(17)
    columns: dict[str, Values] = {name: rng.random(200) for name in ("a", "b", "c", "d")}
    a, b = columns["a"], columns["b"]
    logs = a + b + 3 * (a - 0.5) * (b - 0.5) + 0.1 * columns["c"] + rng.normal(0, 0.1, 200)
    (table,) = anova([outcome_of(columns, logs)], AnovaPlan(top_interactions=1, draws=50))
    assert [test.term for test in table.tests] == ["a", "b", "c", "d", "a x b"]
    assert table["a x b"].p.significant
    assert table["a x b"].factors == ("a", "b")
    with pytest.raises(StatisticsError, match='"e" did not vary'):
        anova([outcome_of(columns, logs)], AnovaPlan(interactions=(("a", "e"),)))


def test_too_few_runs_give_the_strongest_factors_and_say_how_many_are_needed() -> None:
    rng = np.random.default_rng(18)
    columns: dict[str, Values] = {f"f{number}": rng.random(40) for number in range(20)}
    logs = 3 * columns["f7"] + rng.normal(0, 0.1, 40)
    (table,) = anova([outcome_of(columns, logs)], QUICK)
    assert table.columns + 10 < table.n
    assert "f7" in {test.term for test in table.tests}
    assert len(table.left_out) + len(table.tests) == 20
    # 20 curves of 2 columns, the constant, 10 to spare and one more.
    assert any("need 52" in warning and "f7" in warning for warning in table.warnings)
    assert table["f7"].p.log10_holm == pytest.approx(table["f7"].p.log10 + np.log10(20))


def test_a_handful_of_runs_is_refused_with_the_number_needed() -> None:
    rng = np.random.default_rng(19)
    with pytest.raises(StatisticsError, match="at least 14 configurations, and 16 for all 2 factors, but there are 13"):
        anova([outcome_of({"a": rng.random(13), "b": rng.random(13)}, rng.random(13))], QUICK)
    (table,) = anova([outcome_of({"a": rng.random(14), "b": rng.random(14)}, rng.random(14))], QUICK)
    assert len(table.tests) == 1


def test_a_constant_indicator_leaves_the_others_as_they_are() -> None:
    columns, logs = two_way()
    tables = anova([outcome_of(columns, np.ones(80), name="stalls"), outcome_of(columns, logs)], QUICK)
    assert tables[0].tests == ()
    assert "stalls is the same in all 80 configurations" in tables[0].warnings[0]
    assert tables[1]["a"].p.significant
    with pytest.raises(StatisticsError, match="the same in all 80"):
        anova([outcome_of(columns, np.ones(80))], QUICK)


def test_a_response_without_noise_is_refused() -> None:
    x = np.random.default_rng(20).random(40)
    with pytest.raises(StatisticsError, match="no noise to test against"):
        anova([outcome_of({"x": x}, 2 * x)], QUICK)


def test_verdicts_that_hang_on_imputed_runs_are_named() -> None:
    rng = np.random.default_rng(21)
    codec = rng.choice(list("abc"), 120)
    imputed = (codec == "c") & (rng.random(120) < 0.7)
    x = rng.random(120)
    logs = x + np.where(imputed, 3.0, 0.0) + rng.normal(0, 0.2, 120)
    (table,) = anova([outcome_of({"codec": codec, "x": x}, logs, imputed=imputed)], QUICK)
    assert table.imputed == imputed.sum()
    (flip,) = table.flips
    assert flip.term == "codec"
    assert flip.p_all.significant
    assert flip.p_observed is not None
    assert not flip.p_observed.significant


def test_a_shadow_feature_is_counted_when_it_comes_out_significant() -> None:
    rng = np.random.default_rng(22)
    x, null = rng.random(80), rng.random(80)
    honest = anova([outcome_of({"x": x, SHADOW_NUMBER: null}, x + rng.normal(0, 0.1, 80))], QUICK)
    broken = anova([outcome_of({"x": x, SHADOW_NUMBER: null}, null + rng.normal(0, 0.1, 80))], QUICK)
    rate = shadow_rate([*honest, *broken])
    assert rate is not None
    assert (rate.tests, rate.significant, rate.significant_holm) == (2, 1, 1)
    assert rate.low < 0.05
    assert rate.high > 0.5
    assert shadow_rate(anova([outcome_of({"x": x}, null)], QUICK)) is None


@pytest.mark.parametrize(
    "fields", [{"shape": Shape.PRODUCT}, {"draws": 1}, {"curve_df": 4}, {"interactions": (("a", "a"),)}]
)
def test_a_plan_that_cannot_be_meant_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(StatisticsError):
        AnovaPlan(**fields)
