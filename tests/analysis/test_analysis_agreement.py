"""Where forest and analysis of variance agree."""

import numpy as np
import pytest

from lsmtune.analysis._anova import Anova, anova
from lsmtune.analysis._joint import AnovaPlan, Outcome
from lsmtune.analysis._rank_agreement import ForestImportance, Why, agreement_words, compare_with_forest
from lsmtune.analysis._sample import Sample
from lsmtune.errors import StatisticsError
from lsmtune.space import Change, Factor, Kind

NAMES = ("strong", "medium", "weak", "pair_a", "pair_b", "null")


@pytest.fixture(scope="module")
def table() -> Anova:
    rng = np.random.default_rng(1)
    columns = {name: rng.uniform(-1, 1, 300) for name in NAMES}
    logs = columns["strong"] + 0.5 * columns["medium"] + 0.1 * columns["weak"]
    logs += 0.5 * columns["pair_a"] * columns["pair_b"] + rng.normal(0, 0.15, 300)
    factors = tuple(Factor(name, Kind.FLOAT, "", 0.0, Change.ONLINE) for name in NAMES)
    outcome = Outcome("waf", Sample(factors, (), columns, logs, np.arange(300)), np.zeros(300, bool))
    return anova([outcome], AnovaPlan(interactions=(("pair_a", "pair_b"),), draws=200))[0]


def forest(**matters: float) -> dict[str, ForestImportance]:
    values = dict.fromkeys(NAMES, 0.0) | matters
    return {name: ForestImportance(value, value - 0.01, value + 0.01, value > 0.05) for name, value in values.items()}


def test_factors_are_sorted_by_who_says_that_they_matter(table: Anova) -> None:
    found = compare_with_forest(table, forest(strong=0.8, medium=0.3, weak=0.001, pair_a=0.1, pair_b=0.09, null=0.06))
    assert found.both == ("strong", "medium")
    assert found.only_anova == ("weak",)
    assert found.neither == ()
    assert [(each.name, each.why) for each in found.only_forest] == [
        ("pair_a", Why.INTERACTION_TESTED),
        ("pair_b", Why.INTERACTION_TESTED),
        ("null", Why.SHAPE),
    ]
    assert found.only_forest[0].partners == ("pair_b",)


def test_a_large_total_index_points_to_an_interaction(table: Anova) -> None:
    importances = forest(strong=0.8, null=0.06)
    wide = compare_with_forest(table, importances, {"null": (0.01, 0.05)})
    close = compare_with_forest(table, importances, {"null": (0.04, 0.05)})
    assert (wide.only_forest[0].why, close.only_forest[0].why) == (Why.INTERACTION_GAP, Why.SHAPE)


def test_equal_ranks_correlate_fully_and_opposite_ones_inversely(table: Anova) -> None:
    order = sorted(NAMES, key=lambda name: table[name].partial.value)
    same = compare_with_forest(table, forest(**{name: 0.1 * place for place, name in enumerate(order)}))
    inverse = compare_with_forest(table, forest(**{name: 1 - 0.1 * place for place, name in enumerate(order)}))
    assert (same.spearman, same.kendall) == pytest.approx((1.0, 1.0))
    assert (inverse.spearman, inverse.kendall) == pytest.approx((-1.0, -1.0))
    assert compare_with_forest(table, forest()).spearman is None


def test_what_the_joint_model_does_not_hold_is_named(table: Anova) -> None:
    importances = forest(strong=0.8) | {"left_out": ForestImportance(0.2, 0.1, 0.3, matters=True)}
    assert compare_with_forest(table, importances).missing == ("left_out",)
    with pytest.raises(StatisticsError, match="share no factor"):
        compare_with_forest(table, {"left_out": importances["left_out"]})


def test_the_words_say_what_was_found(table: Anova) -> None:
    found = compare_with_forest(table, forest(strong=0.8, medium=0.3, pair_a=0.1))
    words = agreement_words(found, table)
    assert words.startswith("Forest and ANOVA rank the 6 factors ")
    assert "Both say that strong and medium matter; neither sees an effect of 2 others." in words
    assert (
        "Only the forest counts pair_a: what it does depends on pair_b, an interaction that ANOVA finds too." in words
    )
    assert "Only ANOVA counts weak: a small but consistent effect" in words
    assert "\n" not in words


def test_full_agreement_is_said_plainly(table: Anova) -> None:
    found = compare_with_forest(table, forest(strong=0.8, medium=0.3, weak=0.1))
    words = agreement_words(found, table)
    assert words.endswith("The verdicts do not depend on the method.")
    assert "Only" not in words


def test_an_importance_that_is_no_estimate_is_refused() -> None:
    with pytest.raises(StatisticsError, match="no estimate"):
        ForestImportance(0.1, 0.2, 0.0, matters=True)
