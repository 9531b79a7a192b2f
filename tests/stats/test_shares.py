"""Exact bounds of shares."""

import pytest
import scipy

from lsmtune.errors import StatisticsError
from lsmtune.stats import largest_share, smallest_share


@pytest.mark.parametrize(("seen", "n", "share"), [(0, 6, 0.393), (0, 8, 0.312), (0, 20, 0.139), (1, 20, 0.216)])
def test_so_many_runs_leave_open_a_share_of(seen: int, n: int, share: float) -> None:
    assert largest_share(seen, n) == pytest.approx(share, abs=0.001)


@pytest.mark.parametrize(("seen", "n"), [(0, 5), (1, 5), (9, 400), (400, 400)])
@pytest.mark.parametrize("level", [0.95, 0.975])
def test_both_bounds_are_those_of_the_binomial_test(seen: int, n: int, level: float) -> None:
    interval = scipy.stats.binomtest(seen, n).proportion_ci(2 * level - 1)
    assert (smallest_share(seen, n, level), largest_share(seen, n, level)) == pytest.approx(
        (interval.low, interval.high)
    )


def test_what_always_happens_may_have_any_share_up_to_one_and_what_never_does_down_to_none() -> None:
    assert largest_share(8, 8) == 1
    assert smallest_share(0, 8) == 0


def test_no_runs_have_no_share() -> None:
    with pytest.raises(StatisticsError):
        largest_share(0, 0)
    with pytest.raises(StatisticsError, match="level"):
        largest_share(1, 2, 1.0)
