"""Readers of JSON: typed values, and errors that name the place."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest

from lsmtune.codec import (
    MisreadError,
    Object,
    listed,
    mapped,
    member,
    number,
    optional,
    pair,
    scalar,
    stored,
    text,
    truth,
    whole,
)
from lsmtune.errors import StudyError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (text, "a", "a"),
        (truth, False, False),
        (whole, 3, 3),
        (number, 3, 3),
        (number, 2.5, 2.5),
        (scalar, "lz4", "lz4"),
        (scalar, True, True),
        (optional(text), None, None),
        (listed(whole), [1, 2], (1, 2)),
        (pair(text, whole), ["a", 1], ("a", 1)),
        (mapped(listed(text)), {"x": ["a"]}, {"x": ("a",)}),
        (member(Colour), "red", Colour.RED),
    ],
)
def test_a_value_is_read_as_what_it_is(read: Callable[[Any], object], value: object, expected: object) -> None:
    found = read(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (text, 3, "it is 3, not a text"),
        (text, None, "it is null, not a text"),
        (truth, 1, "it is 1, neither true nor false"),
        (whole, True, "it is true, not a whole number"),
        (whole, 1.5, "it is 1.5, not a whole number"),
        (number, "4", 'it is "4", not a number'),
        (number, False, "it is false, not a number"),
        (scalar, ["a"], "it is a list, not a single value"),
        (listed(text), "abc", 'it is "abc", not a list'),
        (listed(text), ["a", 2], "1 is 2, not a text"),
        (pair(text, whole), ["a"], "it is a list, not a list of two"),
        (mapped(listed(whole)), {"x": [1, "b"]}, 'x.1 is "b", not a whole number'),
        (mapped(text), [], "it is a list, not an object"),
        (member(Colour), "green", 'it is "green", none of red, blue'),
        (text, {"a": 1}, "it is an object, not a text"),
        (truth, "x" * 100, f'it is "{"x" * 60}...", neither true nor false'),
    ],
)
def test_a_wrong_value_is_named_with_its_place(read: Callable[[Any], object], value: object, sentence: str) -> None:
    with pytest.raises(MisreadError) as caught:
        read(value)
    assert str(caught.value) == sentence


def test_fields_are_asked_for_by_name_and_others_are_left() -> None:
    fields = Object({"a": 1, "of_a_newer_version": [2]})
    assert (fields.need("a", whole), fields.get("b", whole, None), "b" in fields) == (1, None, False)
    assert fields.beyond({"a", "b"}) == {"of_a_newer_version": [2]}


def test_a_missing_field_is_named() -> None:
    with pytest.raises(MisreadError, match=r"^b is missing$"):
        Object({}).need("b", whole)


def test_a_field_that_is_there_is_never_replaced_by_its_default() -> None:
    with pytest.raises(MisreadError, match=r"^a is null, not a whole number$"):
        Object({"a": None}).get("a", whole, 3)


def test_what_a_study_kept_wrongly_is_an_error_of_the_study_in_one_sentence() -> None:
    with pytest.raises(StudyError) as caught:
        stored('checkpoint "x" of study "s"', mapped(whole), {"a": "b"})
    assert str(caught.value) == (
        'checkpoint "x" of study "s" cannot be read: a is "b", not a whole number; take it from a backup, or use the '
        "lsmtune that wrote it"
    )
