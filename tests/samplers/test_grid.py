"""The grid: which points, in which order, and what comes after them."""

from itertools import product

import pytest

from lsmtune.samplers import GridSampler, Trial
from lsmtune.space import Constraint, Dimension, Kind, Space
from lsmtune.testing.sampler_conformance import conformance_space

MIB = 2**20


def _space(constraints: tuple[Constraint, ...] = ()) -> Space:
    axes = (
        Dimension("buffer", Kind.INT, 64 * MIB, "B", low=4 * MIB, high=1024 * MIB, log=True),
        Dimension("codec", Kind.CHOICE, "none", choices=("none", "lz4", "zstd")),
        Dimension("rate", Kind.INT, -1, low=1, high=9, specials=(0, -1)),
    )
    return Space(axes, {axis.name: axis.default for axis in axes}, constraints)


def _asked(space: Space, rounds: int, seed: int = 1) -> list[tuple[object, ...]]:
    sampler = GridSampler(space, seed)
    found: list[tuple[object, ...]] = []
    for _ in range(rounds):
        values = sampler.ask()
        sampler.tell(Trial(values, 0.0))
        found.append(tuple({**space.reference, **values}[name] for name in space.names))
    return found


def test_all_combinations_of_ends_choices_and_special_values_come_first() -> None:
    coarse = set(product((4 * MIB, 1024 * MIB), ("none", "lz4", "zstd"), (0, -1, 1, 9)))
    assert set(_asked(_space(), 24)) == coarse


def test_then_come_those_that_a_third_value_adds_and_nothing_twice() -> None:
    fine = set(product((4 * MIB, 64 * MIB, 1024 * MIB), ("none", "lz4", "zstd"), (0, -1, 1, 5, 9)))
    asked = _asked(_space(), 44)
    assert set(asked) == fine - {(64 * MIB, "none", -1)}  # the reference
    assert len(set(asked)) == 44


def test_the_order_is_the_seeds_and_every_level_is_met_early() -> None:
    first, other = _asked(_space(), 24, 1), _asked(_space(), 24, 2)
    assert first != other
    assert set(first) == set(other)
    assert {rate for _, _, rate in first[:12]} == {0, -1, 1, 9}


def test_combinations_that_break_a_constraint_are_left_out() -> None:
    asked = _asked(_space((Constraint.parse("rate <= 5"),)), 18)
    assert set(asked) == set(product((4 * MIB, 1024 * MIB), ("none", "lz4", "zstd"), (0, -1, 1)))


def test_it_says_how_many_points_there_are() -> None:
    assert GridSampler(_space(), 1).remark == (
        "the grid has 24 points with the ends of each range and all choices, 45 with 3 values"
    )
    assert GridSampler(conformance_space(), 1).remark.startswith("the grid has 432 points")


@pytest.mark.parametrize("options", [30, 70])
def test_a_grid_that_nobody_can_finish_is_drawn_from(options: int) -> None:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(options))
    space = Space(axes, {axis.name: axis.default for axis in axes})
    assert f"the grid has {2**options:,} points" in GridSampler(space, 1).remark
    assert "at most 20,000 of them are tried" in GridSampler(space, 1).remark
    asked = _asked(space, 20)
    assert len(set(asked)) == 20
    assert all(set(point) == {0.0, 1.0} for point in asked)
