"""Rules of thumb on grids whose winners are given."""

import itertools
from collections.abc import Callable, Mapping

import pytest

from lsmtune.analysis import PairwiseComparison, regions_of, rule_of_thumb
from lsmtune.model import Value
from lsmtune.stats import compare_log_ratios

SIZES, THREADS, LOGS = (100, 1024, 16384), (1, 4), (False, True)
GRID: list[Mapping[str, Value]] = [
    {"size": size, "threads": threads, "wal": wal} for size, threads, wal in itertools.product(SIZES, THREADS, LOGS)
]


def held(wins: Callable[[Mapping[str, Value]], bool]) -> tuple[Mapping[str, tuple[Value, ...]], ...]:
    return regions_of([cell for cell in GRID if wins(cell)], GRID)


@pytest.mark.parametrize(
    ("wins", "expected"),
    [
        (lambda cell: cell["size"] == 16384, ({"size": (16384,)},)),
        (lambda cell: cell["size"] >= 1024, ({"size": (1024, 16384)},)),
        (lambda cell: cell["wal"] and cell["size"] == 100, ({"size": (100,), "wal": (True,)},)),
        (lambda cell: True, ({},)),
        (lambda cell: cell == GRID[5], ({"size": (1024,), "threads": (1,), "wal": (True,)},)),
        (
            lambda cell: cell["size"] == 100 or (cell["threads"] == 4 and cell["wal"]),
            ({"size": (100,)}, {"threads": (4,), "wal": (True,)}),
        ),
    ],
)
def test_the_fewest_values_that_hold_just_these_cells_are_found(
    wins: Callable[[Mapping[str, Value]], bool], expected: tuple[Mapping[str, tuple[Value, ...]], ...]
) -> None:
    assert held(wins) == expected


def test_regions_hold_all_their_cells_and_no_other_whatever_these_are() -> None:
    for chosen in itertools.islice(itertools.combinations(range(len(GRID)), 5), 0, None, 7):
        cells = [GRID[place] for place in chosen]
        regions = regions_of(cells, GRID)
        inside = [
            cell
            for cell in GRID
            if any(all(cell[name] in values for name, values in region.items()) for region in regions)
        ]
        assert inside == cells


def test_a_cell_that_was_left_out_of_the_grid_needs_no_words() -> None:
    tied = [cell for cell in GRID if not (cell["size"] == 100 and cell["wal"])]
    assert regions_of([cell for cell in tied if cell["size"] == 100], tied) == ({"size": (100,)},)


def compared(where: Mapping[str, Value], winner: str, gain: float, *, certain: bool = True) -> PairwiseComparison:
    import math

    logs = [math.log(gain) - 0.001, math.log(gain) + 0.001]
    return PairwiseComparison(where, winner, "other", compare_log_ratios(logs), 0.001 if certain else 0.4)


def test_the_rule_counts_certain_cells_and_gives_the_range_of_the_usual_winner() -> None:
    gains = {100: 1.2, 1024: 1.5}
    found = [
        compared(cell, "leveled", 1.1, certain=cell["threads"] == 1)
        if cell["size"] == 16384
        else compared(cell, "universal", gains[int(cell["size"])])
        for cell in GRID
    ]
    rule = rule_of_thumb(found)
    assert (rule.winner, rule.cells, rule.of, rule.uncertain, rule.alone) == ("universal", 8, 12, 2, 0)
    assert (rule.low, rule.high) == pytest.approx((1.2, 1.5))
    assert rule.middle == pytest.approx((1.2 * 1.5) ** 0.5)
    (exception,) = rule.exceptions
    assert (exception.winner, exception.cells) == ("leveled", 2)
    assert exception.regions == ({"size": (16384,), "threads": (1,)},)


def test_where_nobody_is_shown_to_win_there_is_no_winner() -> None:
    rule = rule_of_thumb(
        [compared(cell, "a", 1.01, certain=False) for cell in GRID] + [PairwiseComparison({}, "a", None, None)]
    )
    assert (rule.winner, rule.cells, rule.uncertain, rule.alone, rule.exceptions) == (None, 0, 12, 1, ())


def test_one_cell_is_a_rule_too() -> None:
    rule = rule_of_thumb([compared({}, "a", 2.0)])
    assert (rule.winner, rule.cells, rule.of) == ("a", 1, 1)
