"""Gains over hosts: who disagrees, and what is to be expected of others."""

import math

import numpy as np
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM

from lsmtune.stats import LEAST_HOSTS, gains_by_host, likely_gain


def drawn(
    rng: np.random.Generator, hosts: int, pairs: int, gain: float, *, between: float, noise: float
) -> dict[str, list[float]]:
    return {
        f"h{host}": (gain + between * rng.standard_normal() + noise * rng.standard_normal(pairs)).tolist()
        for host in range(hosts)
    }


def test_a_host_with_the_other_sign_is_named_and_one_within_its_noise_is_not() -> None:
    seen = gains_by_host(
        {"a": [0.10, 0.12, 0.11], "b": [0.09, 0.13, 0.11], "c": [-0.10, -0.12, -0.11], "d": [0.03, -0.04, 0.0]}
    )
    assert [name for name, each in seen.items() if each.opposite] == ["c"]
    assert seen["a"].gain == pytest.approx(math.exp(0.11))
    assert seen["a"].n == 3


def test_hosts_that_all_lose_agree() -> None:
    assert not any(each.opposite for each in gains_by_host({"a": [-0.1, -0.2], "b": [-0.1, -0.3]}).values())


def test_single_pairs_of_each_host_say_nothing_of_disagreement() -> None:
    assert not any(each.opposite for each in gains_by_host({"a": [0.5], "b": [-0.1]}).values())
    assert gains_by_host({"a": []}) == {}


def test_nothing_is_said_of_other_hosts_below_five() -> None:
    rng = np.random.default_rng(1)
    for hosts in range(1, LEAST_HOSTS + 1):
        found = likely_gain(drawn(rng, hosts, 4, 0.3, between=0.0, noise=0.01))
        assert (found is not None) is (hosts == LEAST_HOSTS)


@pytest.mark.filterwarnings("ignore:The MLE may be on the boundary")
def test_the_variance_between_hosts_is_that_of_statsmodels() -> None:
    """Both maximise the restricted likelihood; with as many pairs on each host the answers are the same."""
    rng = np.random.default_rng(5)
    logs = drawn(rng, 8, 6, 0.1, between=0.08, noise=0.05)
    values = np.concatenate(list(logs.values()))
    groups = np.repeat(np.arange(8), 6)
    fitted = MixedLM(values, np.ones((values.size, 1)), groups).fit(reml=True)
    found = likely_gain(logs)
    assert found is not None
    assert found.sd_log == pytest.approx(math.sqrt(float(fitted.cov_re[0, 0])), rel=0.02)
    assert math.log(found.gain) == pytest.approx(float(fitted.fe_params[0]), rel=1e-3)


@pytest.mark.parametrize(("hosts", "between"), [(5, 0.0), (5, 0.06), (8, 0.06), (12, 0.12)])
def test_the_interval_holds_for_other_hosts(hosts: int, between: float) -> None:
    rng = np.random.default_rng([hosts, int(1000 * between)])
    draws = 400
    hit = 0
    for _ in range(draws):
        found = likely_gain(drawn(rng, hosts, 3, 0.1, between=between, noise=0.06))
        assert found is not None
        hit += found.low <= math.exp(0.1) <= found.high
    assert hit / draws >= 0.93


def test_equal_pairs_have_an_interval_without_width() -> None:
    found = likely_gain({f"h{host}": [0.1, 0.1] for host in range(5)})
    assert found is not None
    assert (found.shown, found.sd_log) == (True, 0.0)
    assert found.low == pytest.approx(found.gain) == pytest.approx(math.exp(0.1))
