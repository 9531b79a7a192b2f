"""A sweep over offered rates with the real db_bench: what is kept up with is told from what its runs gave."""

import json
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.store import read_study

BEYOND = 50_000_000.0
"""More than any engine does, in operations a second."""
SWEPT = f"""
[workload]
benchmarks = "fillrandom"
num = "2k"
[workload.flags]
benchmark_write_rate_limit = 464000
[sweep]
repeats = 2
[sweep.axes]
target = [4000, {BEYOND:.0f}]
[search]
noise_runs = 3
[host]
min_free = "1MiB"
disturbed = "use"
"""


def test_a_rate_that_nothing_can_do_is_not_kept_up_with_and_the_card_says_how_much_was_done(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(SWEPT)
    code, out, err = lsmtune("sweep", "x.toml", "--study", "study", "--json", "--quiet")
    assert code == 0, err
    (found,) = json.loads(out)["kept_rates"]
    with read_study(Path("study")) as study:
        asked = {stored.run.id: dict(stored.run.scenario).get("target_ops_s") for stored in study.runs()}
        throughput = study.indicator("throughput_ops_s")
    assert {4000.0, BEYOND, None} == set(asked.values())
    told = [each for each in (found["kept"], found["above"]) if each is not None]
    for each in told:
        rates = [throughput[run] for run, rate in asked.items() if rate == each["rate_ops_s"]]
        assert each["done"] == pytest.approx(min(rates) / each["rate_ops_s"])
    assert found["kept"] is None or found["kept"]["rate_ops_s"] == 4000.0
    assert found["above"]["done"] < 1
    code, out, err = lsmtune("sweep", "x.toml", "--study", "study", "--quiet")
    assert code == 0, err
    assert "Offered rates (target) that were kept up with" in out
