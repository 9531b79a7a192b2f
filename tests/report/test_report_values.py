"""Values as words."""

import math

import pytest

from lsmtune.indicators import INDICATORS
from lsmtune.model import Value
from lsmtune.report._values import format_indicator, format_option, label, listed, ratio_text, with_interval


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("throughput_settled_ops_s", "settled throughput"),
        ("latency_p99_s", "p99 latency"),
        ("read_latency_p50_s", "p50 read latency"),
        ("stall_time_s", "stall time"),
        ("waf@overwrite", "write amplification of overwrite"),
    ],
)
def test_an_indicator_is_named_in_words(name: str, words: str) -> None:
    assert label(name) == words


def test_no_two_indicators_have_the_same_name_in_words() -> None:
    assert len({label(name) for name in INDICATORS}) == len(INDICATORS)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("throughput_ops_s", 125_000.0, "125 kops/s"),
        ("throughput_bytes_s", 2097152.0, "2 MiB/s"),
        ("latency_p99_s", 0.0021, "2.1 ms"),
        ("space_bytes", 1048576.0, "1 MiB"),
        ("waf", 6.4321, "6.43"),
        ("stall_count", 1234.0, "1,234"),
        ("waf", None, "?"),
        ("waf", math.inf, "?"),
    ],
)
def test_an_indicator_is_printed_in_its_unit(name: str, value: float | None, text: str) -> None:
    assert format_indicator(name, value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (64 << 20, "B", "64 MiB"),
        (-1, "B", "-1"),
        (0, "B", "0 B"),
        (8 << 20, "B/s", "8 MiB/s"),
        (4, "files", "4 files"),
        (1, "files", "1 file"),
        (1_000_000, "keys", "1000000 keys"),
        (2, "level", "level 2"),
        (10.0, "bits/key", "10 bits/key"),
        (20_000.0, "ops/s", "20 kops/s"),
        (0.005, "s", "5 ms"),
        (60, "s", "60 s"),
        (0.5, "", "0.5"),
        (True, "", "true"),
        ("lz4", "", "lz4"),
        (None, "B", "?"),
    ],
)
def test_an_option_is_printed_in_its_unit(value: Value | None, unit: str, text: str) -> None:
    assert format_option(value, unit) == text


def test_a_narrow_interval_gets_a_third_decimal() -> None:
    assert with_interval(1.004, 1.001, 1.007) == "1.004x [1.001, 1.007]"
    assert with_interval(1.24, 1.17, 1.31) == "1.24x [1.17, 1.31]"
    assert with_interval(None, None, None) == "?"


def test_a_ratio_that_is_unknown_prints_a_question_mark() -> None:
    assert ratio_text(None) == ratio_text(math.inf) == ratio_text(math.nan) == "?"
    assert ratio_text(23.456) == "23.5x"


def test_words_are_listed_in_prose() -> None:
    assert (listed([]), listed(["a"]), listed(["a", "b", "c"])) == ("", "a", "a, b and c")
