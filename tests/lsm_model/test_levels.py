"""Levels that are filled, from the sizes of the levels alone."""

import pytest

from lsmtune.lsm_model import LevelSizes

MIB = 1 << 20
STATIC = LevelSizes(256 * MIB, 10, 6, dynamic=False)
DYNAMIC = LevelSizes(256 * MIB, 10, 6, dynamic=True)


@pytest.mark.parametrize(
    ("stored_mib", "static", "dynamic"),
    [
        (1, 1, 1),
        (256, 1, 1),
        (257, 2, 2),
        (2560, 2, 2),
        (2561, 2, 3),  # static levels are all filled on the way, dynamic ones hold nearly all in the last
        (2816, 2, 3),
        (2817, 3, 3),
        (28_416, 3, 4),
        (28_417, 4, 4),
        (1e12, 6, 6),  # no more than there may be
    ],
)
def test_levels_are_filled_one_after_the_other(stored_mib: float, static: int, dynamic: int) -> None:
    assert (STATIC.filled(stored_mib * MIB), DYNAMIC.filled(stored_mib * MIB)) == (static, dynamic)


def test_in_proportion_a_tree_keeps_its_levels() -> None:
    small = LevelSizes(STATIC.base_bytes / 256, 10, 6, dynamic=False)
    sizes = [MIB * 1.7**power for power in range(30)]
    assert [small.filled(size / 256) for size in sizes] == [STATIC.filled(size) for size in sizes]


def test_a_multiplier_of_one_comes_to_an_end() -> None:
    assert LevelSizes(1, 1, 10**9, dynamic=True).filled(1e18) == 64
