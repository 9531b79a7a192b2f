"""The gains of pairs as dots."""

import math

import pytest

from lsmtune.report._dots import dots


def rows(*ratios: float, interval: tuple[float, float, float] | None = None) -> list[str]:
    return dots([math.log(ratio) for ratio in ratios], interval, 60, ascii_only=True).plain.split("\n")


def test_every_pair_has_a_dot() -> None:
    assert "".join(rows(1.02, 1.05, 1.05, 1.11, 0.98)).count("o") == 5


def test_dots_right_of_one_are_gains() -> None:
    page = rows(1.1, 0.95)
    one = page[-1].index("1.00x") + 2
    assert page[0][one] == "|"
    assert page[0].index("o") < one < page[0].rindex("o")


def test_more_equal_pairs_than_fit_are_marked() -> None:
    page = rows(*[1.05] * 20)
    assert len(page) == 5 + 2
    assert "+" in page[0]


def test_the_interval_has_its_ends_and_its_mean() -> None:
    line = rows(1.1, 1.2, interval=(1.05, 1.15, 1.25))[-3]
    assert line.index("[") < line.rindex("+") < line.index("]")


@pytest.mark.parametrize("high", [1.0005, 1.01, 1.3, 3.0, 40.0, 1e5])
def test_labels_are_apart_and_hold_one(high: float) -> None:
    labels = rows(high, interval=(0.9, 1.0, math.inf))[-1].split()
    assert "1.00x" in labels or "1.000x" in labels
    assert all(label.endswith("x") for label in labels)
    assert len(labels) <= 6


def test_no_row_is_wider_than_asked() -> None:
    assert max(len(line) for line in rows(0.0001, 50.0, interval=(0.0, 1.0, math.inf))) <= 60
