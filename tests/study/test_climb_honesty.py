"""Whole tunings that climb, held against the truth of the fake engine at each scale."""

import pytest

from lsmtune.testing import CLIMB_WORLDS, climb_once

STUDIES = 10
"""Of each world; `benchmarks/climb.py` counts hundreds."""


def test_at_most_one_study_in_twenty_claims_a_gain_at_a_larger_scale_where_there_is_none() -> None:
    worlds = ("nothing holds", "two lose, the last does not differ")
    climbed = [climb_once(world, seed) for world in worlds for seed in range(1, STUDIES + 1)]
    assert sum(each.false for each in climbed) <= 0.05 * len(climbed)
    assert sum(each.reached for each in climbed) >= 3 * STUDIES


@pytest.mark.parametrize("world", CLIMB_WORLDS)
def test_every_world_has_three_finalists_at_two_scales(world: str) -> None:
    assert [len(ratios) for ratios in CLIMB_WORLDS[world]] == [3, 3]
