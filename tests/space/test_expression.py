"""The language of constraints: what it reads, what it refuses, what it computes."""

import pytest

from lsmtune.errors import ConstraintError
from lsmtune.model import Value
from lsmtune.space import Expression

MIB = 2**20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("8 / 4 / 2", 1.0),
        ("-2 * -3", 6),
        ("1.5e3", 1500.0),
        (".5 * 4", 2.0),
        ("64MiB", 64 * MIB),
        ("1 GiB", 1024 * MIB),
        ("512K", 512 * 1024),
        ("0.5 m", MIB // 2),
        ("4096 B", 4096),
        ("1 < 2", True),
        ("1 < 2 < 2", False),
        ("3 >= 3 > 2 != 1", True),
        ("true and not false", True),
        ("True or x == 'never looked at'", True),
        ("not 1 == 2", True),
        ("false or true and false", False),
        ("'a' != \"b\"", True),
    ],
)
def test_an_expression_without_names_has_its_value(text: str, expected: bool | float) -> None:
    value = Expression.parse(text).evaluate({})
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        ({"write_buffer_size": 64 * MIB, "max_write_buffer_number": 2, "cache_size": 896 * MIB}, True),
        ({"write_buffer_size": 64 * MIB, "max_write_buffer_number": 2, "cache_size": 896 * MIB + 1}, False),
    ],
)
def test_a_memory_limit_holds_up_to_the_byte(values: dict[str, Value], holds: bool) -> None:
    expression = Expression.parse("write_buffer_size * max_write_buffer_number + cache_size <= 1 GiB")
    assert expression.names == values.keys()
    assert expression.evaluate(values) is holds


def test_choices_and_bools_are_compared() -> None:
    expression = Expression.parse("compression_type == 'none' or not block_align")
    assert expression.evaluate({"compression_type": "none", "block_align": True}) is True
    assert expression.evaluate({"compression_type": "zstd", "block_align": True}) is False


@pytest.mark.parametrize(
    ("text", "column", "advice"),
    [
        ("a +", 4, "write an option, a number or a size"),
        ("abs(x) <= 2", 4, "no functions"),
        ("options.size <= 3", 8, "plain name"),
        ("a = 3", 3, "compare with =="),
        ("a ** 2 <= 3", 4, "write an option"),
        ("a <= 3 MiX", 8, "write one relation"),
        ("a <= 0.3 B", 6, "whole number of bytes"),
        ("((a)", 5, 'write ")"'),
        ("a b", 3, "write one relation"),
        ("a <= 1 && b", 8, 'write "and"'),
        ("x[0] <= 1", 2, "write numbers like"),
        ("lambda: 1", 7, "write numbers like"),
        ("", 1, "write an option"),
        ("a <= 1e999", 6, "smaller"),
        ("'open", 1, "texts in quotes"),
        ("__import__('os') == 1", 11, "no functions"),
    ],
)
def test_what_is_not_in_the_language_is_refused_with_its_place(text: str, column: int, advice: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        Expression.parse(text)
    assert f'constraint "{text}", column {column}: ' in str(caught.value)
    assert advice in str(caught.value)


@pytest.mark.parametrize("text", ["(" * 41 + "a" + ")" * 41, "not " * 41 + "a", "-" * 41 + "a"])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(ConstraintError, match="deeper than 40 levels"):
        Expression.parse(text)


def test_the_longest_chain_is_computed_and_a_longer_text_refused() -> None:
    assert Expression.parse("1" + "+1" * 249).evaluate({}) == 250
    with pytest.raises(ConstraintError, match="501 characters"):
        Expression.parse("1" + "+1" * 250)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("compression == zstd", '"zstd" has no value .* in quotes'),
        ("compression <= 3", "compares the text and the number"),
        ("compression < 'b'", "orders texts"),
        ("compression * 2 <= 3", "calculate with numbers"),
        ("not buffers", "not true or false"),
        ("1 / (buffers - 2) < 1", "divides by zero"),
        ("compression", "compare it with a value"),
    ],
)
def test_what_cannot_be_computed_is_said(text: str, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        Expression.parse(text).evaluate({"compression": "none", "buffers": 2})
