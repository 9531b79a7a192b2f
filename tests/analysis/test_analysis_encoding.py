"""Features of factors: logarithms, categories, special values, conditions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from analysis_builders import FACTORS, reference_columns, synthetic_columns

from lsmtune.analysis._encoding import Columns, Encoder, active, varying
from lsmtune.errors import StatisticsError
from lsmtune.space import Change, Factor, Kind

DRAWN = synthetic_columns(200, np.random.default_rng(0))


def rows(*changes: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The reference with some values changed, one row for each."""
    columns = {name: values.copy() for name, values in reference_columns(len(changes)).items()}
    for row, change in enumerate(changes):
        for name, value in change.items():
            columns[name][row] = value
    return columns


def features(encoder: Encoder, columns: Columns) -> dict[str, list[float]]:
    matrix = encoder.encode(columns)
    return {name: matrix[:, place].tolist() for place, name in enumerate(encoder.names)}


def test_sizes_become_base_2_logarithms_and_other_numbers_stay() -> None:
    encoded = features(Encoder.fit(FACTORS, DRAWN), rows({"write_buffer_size": 2**21, "trigger": 7}))
    assert encoded["write_buffer_size"] == [21]
    assert encoded["trigger"] == [7]


def test_a_choice_has_a_column_for_each_value_and_a_bool_one() -> None:
    encoded = features(Encoder.fit(FACTORS, DRAWN), rows({"compression": "none"}, {"direct_io": True}))
    assert encoded["compression = none"] == [1, 0]
    assert encoded["compression = snappy"] == [0, 1]
    assert encoded["compression = zstd"] == [0, 0]
    assert encoded["direct_io"] == [0, 1]


def test_a_special_value_stands_at_the_median_of_the_ordinary_ones_with_a_flag() -> None:
    factor = Factor("bits", Kind.INT, "", 5, Change.ONLINE, specials=(-1,))
    encoder = Encoder.fit([factor], {"bits": np.array([-1, -1, -1, 2, 4, 100])})
    encoded = features(encoder, {"bits": np.array([-1, 2])})
    assert encoded == {"bits = -1": [1, 0], "bits": [4, 2]}


def test_the_special_value_0_of_a_logarithmic_range_has_a_finite_place() -> None:
    factor = Factor("bytes", Kind.INT, "B", 8, Change.ONLINE, log=True, specials=(0,))
    encoder = Encoder.fit([factor], {"bytes": np.array([0, 4, 16, 64])})
    assert features(encoder, {"bytes": np.array([0])}) == {"bytes = 0": [1], "bytes": [4]}


def test_a_factor_without_effect_takes_its_reference_and_its_flag_is_0() -> None:
    columns = rows(
        {"compression": "none", "dictionary": True, "dictionary_bytes": 2**20},
        {"compression": "zstd", "dictionary": False, "dictionary_bytes": 2**20},
        {"compression": "zstd", "dictionary": True, "dictionary_bytes": 2**20},
    )
    encoded = features(Encoder.fit(FACTORS, DRAWN), columns)
    assert encoded["dictionary is active"] == [0, 1, 1]
    assert encoded["dictionary"] == [0, 0, 1]
    assert encoded["dictionary_bytes is active"] == [0, 0, 1]
    assert encoded["dictionary_bytes"] == [14, 14, 20]


def test_conditions_reach_through_parents_whatever_the_order_of_the_factors() -> None:
    expected = (DRAWN["compression"] == "zstd") & DRAWN["dictionary"]
    for factors in (FACTORS, FACTORS[::-1]):
        assert np.array_equal(active(factors, DRAWN)["dictionary_bytes"], expected)


def test_a_condition_on_what_did_not_vary_is_met() -> None:
    factor = Factor("child", Kind.INT, "", 1, Change.ONLINE, conditions={"frozen": ("zstd",)})
    assert active([factor], {"child": np.arange(3)})["child"].all()


def test_derived_features_see_the_reference_where_a_factor_has_no_effect_and_have_no_owner() -> None:
    encoder = Encoder.fit(FACTORS, DRAWN, lambda columns: {"seen": columns["dictionary_bytes"].astype(float)})
    columns = rows({"dictionary_bytes": 2**20}, {"compression": "zstd", "dictionary": True, "dictionary_bytes": 2**20})
    assert features(encoder, columns)["seen"] == [16384, 2**20]
    assert "seen" not in encoder.owner
    assert encoder.owner["compression = zstd"] == "compression"
    assert encoder.owner["dictionary is active"] == "dictionary"


def test_a_derived_feature_that_is_no_number_is_named() -> None:
    encoder = Encoder.fit(FACTORS, DRAWN, lambda columns: {"gap": 1.0 * columns["trigger"]})
    broken = {**DRAWN, "trigger": np.where(DRAWN["trigger"] == 5, np.nan, DRAWN["trigger"])}
    with pytest.raises(StatisticsError, match=r'feature "trigger" is not a finite number in \d+ of 200 rows'):
        encoder.encode(broken)


def test_what_never_varied_has_no_feature_even_if_only_its_flag_varies() -> None:
    columns = {**DRAWN, "trigger": np.full(200, 4), "dictionary_bytes": np.full(200, 2048)}
    encoder = Encoder.fit(FACTORS, columns)
    assert not {"trigger", "dictionary_bytes"} & set(encoder.owner.values())
    assert {factor.name for factor in FACTORS} - {factor.name for factor in varying(FACTORS, columns)} == {
        "trigger",
        "dictionary_bytes",
    }
    assert encoder.encode(DRAWN).shape == (200, len(encoder.names))


def test_no_option_that_varied_is_refused() -> None:
    with pytest.raises(StatisticsError, match="none of the 11 options varied"):
        Encoder.fit(FACTORS, reference_columns(30))


def test_a_derived_feature_cannot_take_the_name_of_another() -> None:
    with pytest.raises(StatisticsError, match='two features are called "trigger"'):
        Encoder.fit(FACTORS, DRAWN, lambda columns: {"trigger": columns["multiplier"]})


def test_a_missing_column_is_named() -> None:
    columns = {name: values for name, values in DRAWN.items() if name != "trigger"}
    with pytest.raises(StatisticsError, match='no values of "trigger"'):
        Encoder.fit(FACTORS, columns)
