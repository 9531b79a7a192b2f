"""Hosts against each other by equal runs."""

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import host_levels, noise_floor, pooled_floor

NAMES = ("a", "b", "c", "d")


def drawn(rng: np.random.Generator, noise: float = 0.03, n: int = 6, **factors: float) -> dict[str, list[float]]:
    return {name: (factors.get(name, 1.0) * np.exp(rng.normal(0, noise, n))).tolist() for name in NAMES}


def test_a_slower_host_is_named_and_no_other() -> None:
    found = host_levels(drawn(np.random.default_rng(1), b=0.7))
    assert [name for name in NAMES if found[name].differs] == ["b"]
    assert found["b"].low < 0.7 < found["b"].high
    assert found["b"].n == 6


def test_a_host_that_scatters_is_named() -> None:
    rng = np.random.default_rng(2)
    values = drawn(rng)
    values["c"] = np.exp(rng.normal(0, 0.3, 6)).tolist()
    found = host_levels(values)
    assert [name for name in NAMES if found[name].noisier] == ["c"]
    assert found["c"].sd_log > 0.1


def test_equal_hosts_are_told_apart_in_one_of_twenty_comparisons_of_all() -> None:
    rng, wrong = np.random.default_rng(3), np.zeros(2)
    for _ in range(400):
        found = host_levels(drawn(rng, n=5)).values()
        wrong += (any(each.differs for each in found), any(each.noisier for each in found))
    assert wrong.max() / 400 <= 0.07


def test_one_host_or_one_run_cannot_be_compared() -> None:
    with pytest.raises(StatisticsError, match="1 hosts cannot be compared"):
        host_levels({"a": [1.0, 2.0]})
    with pytest.raises(StatisticsError, match="host b: 1 usable value"):
        host_levels({"a": [1.0, 2.0], "b": [1.0]})


def test_noise_over_hosts_has_their_levels_taken_off() -> None:
    rng = np.random.default_rng(4)
    floors = [noise_floor((level * np.exp(rng.normal(0, 0.05, 40))).tolist()) for level in (1.0, 2.0, 5.0)]
    pooled = pooled_floor(floors)
    assert pooled.n == 120
    assert pooled.freedom == 117
    assert pooled.sd_log == pytest.approx(0.05, rel=0.15)
    assert pooled.sd_low < pooled.sd_log < pooled.sd_high
    assert pooled_floor(floors[:1]) is floors[0]
