"""Numbers as they are printed: the unit is that of what is shown."""

from fractions import Fraction

import pytest

from lsmtune.errors import QuantityError
from lsmtune.units import (
    format_bytes,
    format_rate,
    format_seconds,
    parse_bytes,
    parse_count,
    parse_scale,
    parse_seconds,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (9.994e-7, "999 ns"),
        (9.996e-7, "1 us"),
        (9.994e-4, "999 us"),
        (9.996e-4, "1 ms"),
        (0.9996, "1 s"),
        (59.94, "59.9 s"),
        (59.96, "1m 00s"),
        (3599.4, "59m 59s"),
        (3599.9, "1h 00m"),
        (7199.9, "2h 00m"),
    ],
)
def test_a_time_that_is_rounded_up_has_the_next_unit(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_a_size_and_a_rate_that_are_rounded_up_have_the_next_prefix() -> None:
    assert [format_bytes(size) for size in (1023.0, 1023.99, 2.0**20 - 1)] == ["1023 B", "1 KiB", "1 MiB"]
    assert [format_rate(rate) for rate in (999.9, 999.96, 999_960.0)] == ["999.9 ops/s", "1 kops/s", "1 Mops/s"]


def test_a_number_is_read_however_small_or_large_it_is() -> None:
    assert [parse_seconds(number) for number in (0.00005, 5e-6, 0.25)] == [0.00005, 0.000005, 0.25]
    assert (parse_bytes(1e16), parse_count(1e16)) == (10**16, 10**16)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -5e-5])
def test_what_is_no_quantity_is_refused_as_it_was_written(number: float) -> None:
    for parse in (parse_seconds, parse_bytes, parse_count):
        with pytest.raises(QuantityError, match=f'"{number}" is not a'):
            parse(number)


@pytest.mark.parametrize("digits", [400, 5000])
def test_what_has_more_than_64_bits_is_refused(digits: int) -> None:
    assert (parse_bytes("8191PiB"), parse_count("9223372036854775807")) == (8191 << 50, 2**63 - 1)
    for parse, largest in (
        (parse_bytes, "8192PiB"),
        (parse_count, "9223372036854775808"),
        (parse_seconds, "9999999999999999999d"),
    ):
        for text in (largest, "9" * digits):
            with pytest.raises(QuantityError):
                parse(text)


@pytest.mark.parametrize("text", ["1e-5000", "1e-999999999", "1/0", "a quarter", ""])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(QuantityError, match="is not a scale"):
        parse_scale(text)


@pytest.mark.parametrize("text", ["1/64", " 0.015625 ", "1.5625e-2", 0.015625])
def test_a_scale_is_a_fraction_or_a_decimal(text: str | float) -> None:
    assert parse_scale(text) == Fraction(1, 64)
