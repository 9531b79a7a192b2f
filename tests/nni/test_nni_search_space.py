"""NNI's search spaces: what every type may give, as NNI's documentation of the types says."""

import math
from typing import Any

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.model import Value
from lsmtune.nni import Parameter, nested_values, read_search_space
from lsmtune.nni._trial_space import trial_space
from lsmtune.space import Dimension

NESTED = {
    "layer0": {
        "_type": "choice",
        "_value": [
            {"_name": "Empty"},
            {"_name": "Conv", "kernel": {"_type": "choice", "_value": [1, 2, 3, 5]}},
            {"_name": "Max_pool", "kernel": {"_type": "randint", "_value": [2, 4]}},
        ],
    },
    "rate": {"_type": "uniform", "_value": [0.1, 0.5]},
}


def only(kind: str, *values: Any) -> Parameter:
    """The one parameter of a space."""
    (parameter,) = read_search_space({"x": {"_type": kind, "_value": list(values)}}, "space.json")
    return parameter


def axis(kind: str, *values: Any) -> Dimension:
    return trial_space([only(kind, *values)]).dimensions[0]


def drawn(kind: str, *values: Any) -> set[Value]:
    """What a trial gets over the whole axis."""
    parameter, one = only(kind, *values), axis(kind, *values)
    return {parameter.given(one.from_unit(place / 2000)) for place in range(2001)}


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        # examples of NNI's documentation
        ("quniform", [0, 10, 2.5], {0.0, 2.5, 5.0, 7.5, 10.0}),
        ("quniform", [2, 10, 5], {2.0, 5.0, 10.0}),
        ("randint", [1, 4], {1, 2, 3}),
        # clip(round(uniform(low, high) / q) * q, low, high)
        ("quniform", [1, 8, 3], {1.0, 3.0, 6.0, 8.0}),
        ("qloguniform", [1, 8, 1], {float(number) for number in range(1, 9)}),
        ("randint", [0.5, 2.5], {1, 2}),
        ("qnormal", [0, 1, 2], {-4.0, -2.0, 0.0, 2.0, 4.0}),  # 3 sigma are 3; round(3 / 2) * 2 is 4
        ("choice", [4, 16, 64], {4, 16, 64}),
        ("choice", ["relu", "tanh"], {"relu", "tanh"}),
        ("choice", [True, False], {True, False}),
    ],
)
def test_a_type_gives_exactly_the_values_that_nni_gives(kind: str, values: list[Any], expected: set[Value]) -> None:
    assert drawn(kind, *values) == expected


@pytest.mark.parametrize(("kind", "log"), [("uniform", False), ("loguniform", True)])
def test_a_range_keeps_its_ends_and_its_axis(kind: str, log: bool) -> None:
    one = axis(kind, 0.0001, 0.1)
    assert (one.low, one.high, one.log) == (0.0001, 0.1, log)
    middle = one.from_unit(0.5)
    assert isinstance(middle, float)
    assert middle == pytest.approx(math.sqrt(0.0001 * 0.1) if log else (0.0001 + 0.1) / 2, rel=5e-3)


def test_what_has_no_bounds_is_searched_within_three_sigma_and_says_so() -> None:
    one = axis("normal", 10, 2)
    assert (one.low, one.high, one.log) == (4.0, 16.0, False)
    one = axis("lognormal", 0, 1)
    assert (one.low, one.high) == pytest.approx((math.exp(-3), math.exp(3)))
    assert one.log
    grid = only("lognormal", 0, 1).grid
    assert grid is not None
    assert "no bounds" in grid.note
    assert drawn("qlognormal", 0, 1, 5) == {5.0, 10.0, 15.0, 20.0}


def test_types_with_q_give_floats_and_randint_gives_ints() -> None:
    assert {type(value) for value in drawn("quniform", 2, 16, 1)} == {float}
    assert {type(value) for value in drawn("randint", 2, 16)} == {int}


def test_numbers_that_yaml_keeps_as_text_are_read() -> None:
    assert axis("loguniform", "1e-4", "1e-1").low == 0.0001


def test_a_choice_of_anything_comes_back_as_it_was_written() -> None:
    mixed = [1, "1", None, [1, 2], {"a": 1}]
    parameter = only("choice", *mixed)
    assert [parameter.given(label) for label in parameter.choices] == mixed


def test_a_nested_choice_has_conditions_and_is_given_nested() -> None:
    parameters = read_search_space(NESTED, "space.json")
    space = trial_space(parameters)
    assert space.names == ("layer0", "layer0.Conv.kernel", "layer0.Max_pool.kernel", "rate")
    assert space.active({"layer0": "Conv"}) == {"layer0", "layer0.Conv.kernel", "rate"}
    values: dict[str, Value] = {**space.reference, "rate": 0.2}
    assert nested_values(parameters, values) == {"layer0": {"_name": "Empty"}, "rate": 0.2}
    values |= {"layer0": "Conv", "layer0.Conv.kernel": 5}
    assert nested_values(parameters, values) == {"layer0": {"_name": "Conv", "kernel": 5}, "rate": 0.2}


def test_a_nested_choice_may_have_numbers_for_names() -> None:
    inner = {"rate": {"_type": "uniform", "_value": [0, 1]}}
    document = {"layers": {"_type": "choice", "_value": [{"_name": 1}, {"_name": 2, **inner}]}}
    parameters = read_search_space(document, "space.json")
    space = trial_space(parameters)
    assert space.active({"layers": "2"}) == {"layers", "layers.2.rate"}
    found = nested_values(parameters, {**space.reference, "layers": "2", "layers.2.rate": 0.5})
    assert found == {"layers": {"_name": 2, "rate": 0.5}}


def test_a_parameter_with_one_value_is_handed_on_and_not_searched() -> None:
    document = {
        "a": {"_type": "choice", "_value": ["only"]},
        "b": {"_type": "randint", "_value": [3, 4]},
        "c": {"_type": "uniform", "_value": [0, 1]},
    }
    parameters = read_search_space(document, "space.json")
    space = trial_space(parameters)
    assert space.names == ("c",)
    assert nested_values(parameters, space.reference) == {"a": "only", "b": 3, "c": 0.5}


def test_the_starting_point_is_the_middle_of_ranges_and_the_first_of_choices() -> None:
    document = {
        "linear": {"_type": "quniform", "_value": [0, 10, 1]},
        "log": {"_type": "loguniform", "_value": [1, 100]},
        "choice": {"_type": "choice", "_value": ["b", "a"]},
    }
    assert trial_space(read_search_space(document, "s")).reference == {"linear": 5, "log": 10.0, "choice": "b"}


def test_own_values_are_the_starting_point_even_outside_of_a_range() -> None:
    parameters = read_search_space(NESTED, "space.json")
    space = trial_space(parameters, {"layer0": {"_name": "Max_pool", "kernel": 3}, "rate": 0.7})
    assert space.reference["layer0"] == "Max_pool"
    assert space.reference["layer0.Max_pool.kernel"] == 3
    assert space.reference["rate"] == 0.7


@pytest.mark.parametrize(
    ("own", "part"),
    [
        ({"layer0": {"_name": "Empty"}}, 'no "rate"'),
        ({"layer0": {"_name": "Empty"}, "rate": 0.2, "extra": 1}, '"extra" of --default is not in the search space'),
        ({"layer0": {"_name": "Dense"}, "rate": 0.2}, "is none of"),
        ({"layer0": {"_name": "Empty"}, "rate": "fast"}, "is not a number"),
    ],
)
def test_own_values_that_do_not_fit_are_named(own: dict[str, Any], part: str) -> None:
    with pytest.raises(ExperimentError, match=part):
        trial_space(read_search_space(NESTED, "space.json"), own)


@pytest.mark.parametrize(
    ("document", "part"),
    [
        ([], "no search space"),
        ({"x": 3}, "space.json: x is not described"),
        ({"x": {"_type": "unifrom", "_value": [0, 1]}}, '"unifrom"; NNI has choice, randint, uniform'),
        ({"x": {"_type": "uniform", "_value": [0]}}, r"uniform takes \[low, high\]"),
        ({"x": {"_type": "quniform", "_value": [0, 1, 0]}}, "q = 0"),
        ({"x": {"_type": "uniform", "_value": ["a", "b"]}}, r"uniform takes \[low, high\]"),
        ({"x": {"_type": "uniform", "_value": [2, 1]}}, "no value from 2 to 1"),
        ({"x": {"_type": "randint", "_value": [3, 3]}}, "no value from 3 to 3"),
        ({"x": {"_type": "loguniform", "_value": [0, 1]}}, "no logarithm"),
        ({"x": {"_type": "normal", "_value": [0, -1]}}, "sigma -1"),
        ({"x": {"_type": "choice", "_value": []}}, "no list"),
    ],
)
def test_a_search_space_that_cannot_be_meant_is_refused(document: Any, part: str) -> None:
    with pytest.raises(ExperimentError, match=part):
        read_search_space(document, "space.json")


def test_a_space_without_anything_to_search_is_refused() -> None:
    with pytest.raises(ExperimentError, match="nothing to search"):
        trial_space(read_search_space({"x": {"_type": "choice", "_value": [1]}}, "space.json"))
