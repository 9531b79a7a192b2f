"""The simulation of a load: small cases worked out by hand, what must follow from a change, and measured loads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from lsmtune.analysis import Runs, columns_of
from lsmtune.lsm_model._simulated_features import Simulated
from lsmtune.lsm_model._simulation import FOR_EVER, OUTCOMES, simulate
from lsmtune.lsm_model._simulation_tree import PLAN
from lsmtune.lsm_model._tree_known import Known
from lsmtune.model import Purpose, Status

JIN2022 = Path(__file__).parents[2] / "reproductions" / "jin2022" / "as-published" / "runs.parquet"
PLAIN: Mapping[str, Any] = {
    "keys": 1e9,  # so many that no key comes twice
    "operations": 1600.0,
    "pair": 1000.0,
    "writers": 1.0,
    "write_us": 10.0,
    "memtable": 100.0,
    "memtables": 4.0,
    "merged": 1.0,
    "trigger": 4.0,
    "slowdown": 20.0,
    "stop": 36.0,
    "flushes": 1.0,
    "compactions": 1.0,
    "cores": 4.0,
    "delayed_rate": 0.01,
    "is_tiered": 0,
    "levels": 4.0,
    "flush_ns": 1.0,
    "merge_ns": 0.1,
    "overlap": 1.0,
    "file": 1e9,
    "target": 1e9,
    "share": 1.0,
}
"""16 memtables, each flushed in a tenth of the time in which the next fills; compaction takes next to no time."""


def outcome(**changes: Any) -> dict[str, float]:
    plan = np.zeros(1, PLAN)
    for name, value in {**PLAIN, **changes}.items():
        plan[name] = value
    return dict(zip(OUTCOMES, simulate(plan)[0].tolist(), strict=True))


def test_without_compaction_each_byte_is_flushed_once_and_stored_once() -> None:
    found = outcome(trigger=1000.0, slowdown=1000.0, stop=1000.0)
    assert found["waf"] == pytest.approx(1)
    assert found["load_us"] == pytest.approx(16_000)
    assert found["total_us"] == pytest.approx(16_100)  # the last flush
    assert found["stored"] * PLAIN["keys"] == pytest.approx(1600)
    assert found["stalled"] == 0


def test_compression_saves_its_share_of_what_is_written() -> None:
    found = outcome(trigger=1000.0, slowdown=1000.0, stop=1000.0, share=0.5)
    assert found["waf"] == pytest.approx(0.5)
    assert found["stored"] * PLAIN["keys"] == pytest.approx(800)


def test_tiering_merges_four_runs_of_each_size() -> None:
    # Runs of 1 merge to 4 at the bottom: then 1 1 1 4 merge as the newer ones are not twice the oldest but, one after
    # another, not smaller than it: 1 1 1 | 4 -> 3 4 -> 1 3 4 -> 1 1 3 4 merge 1 1, 3 is over 2: 2 3 4 -> ...
    found = outcome(is_tiered=1)
    by_hand = tiered_by_hand(16, 4)
    assert found["waf"] == pytest.approx((16 + by_hand) / 16, rel=1e-6)


def tiered_by_hand(flushes: int, trigger: int) -> int:
    """Units that compactions write where runs of one unit come one by one and every merge ends before the next."""
    runs: list[int] = []
    written = 0
    for _ in range(flushes):
        runs.insert(0, 1)
        while len(runs) >= trigger:
            ends = merge_ends(runs, trigger)
            if ends is None:
                break
            merged = sum(runs[ends[0] : ends[1]])
            written += merged
            runs[ends[0] : ends[1]] = [merged]
    return written


def merge_ends(runs: list[int], trigger: int) -> tuple[int, int] | None:
    """The three rules of universal compaction in the words of its wiki page, for integer sizes."""
    if sum(runs[:-1]) >= 2 * runs[-1]:
        return 0, len(runs)
    for low in range(len(runs) - 1):
        high = low + 1
        while high < len(runs) and sum(runs[low:high]) * 1.01 >= runs[high]:
            high += 1
        if high - low >= 2:
            return low, high
    return (0, len(runs) - trigger + 1) if len(runs) > trigger else None


def test_leveling_rewrites_level_1_with_every_compaction_of_level_0() -> None:
    # Four compactions of 4 flushes each; level 1 holds 0, 4, 8, 12 before: 4 + 8 + 12 + 16 are written.
    found = outcome()
    assert found["waf"] == pytest.approx((16 + 40) / 16)


def test_a_level_1_that_is_full_moves_into_an_empty_level_2_without_being_written() -> None:
    found = outcome(operations=400.0, target=np.array([1e9, 300_000.0, *[1e9] * 10]))
    assert found["waf"] == pytest.approx(2)  # flushed, and written into level 1
    assert found["stored"] * PLAIN["keys"] == pytest.approx(400)


def test_levels_that_change_the_codec_are_written_again() -> None:
    codec = np.array([0.0, 0.0, *[5.0] * 10])
    found = outcome(operations=400.0, target=np.array([1e9, 300_000.0, *[1e9] * 10]), cost=codec)
    assert found["waf"] == pytest.approx(3)


def test_many_writes_of_few_keys_are_stored_once() -> None:
    found = outcome(keys=50.0, is_tiered=1)
    assert found["stored"] == pytest.approx(1, rel=0.25)
    assert found["waf"] < 2


def test_slow_compaction_holds_writes_back_until_it_keeps_up() -> None:
    slow, quick = (outcome(merge_ns=cost, slowdown=8.0, stop=12.0) for cost in (300.0, 0.1))
    assert quick["stalled"] == 0 < slow["stalled"] < 1
    assert slow["load_us"] > 2 * quick["load_us"]
    assert slow["runs"] > quick["runs"]


def test_further_threads_of_compaction_relieve_it() -> None:
    busy = {"merge_ns": 100.0, "is_tiered": 1, "slowdown": 8.0, "stop": 12.0}
    assert outcome(**busy, compactions=3.0)["load_us"] < outcome(**busy)["load_us"]


def test_few_cores_are_shared() -> None:
    busy = {"merge_ns": 20.0, "compactions": 4.0}
    assert outcome(**busy, cores=1.0)["total_us"] > outcome(**busy)["total_us"]


def test_a_flush_that_waits_for_more_memtables_than_there_may_be_never_ends() -> None:
    assert outcome(memtables=1.0, merged=2.0)["load_us"] == FOR_EVER


def test_each_distinct_plan_is_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs.read(JIN2022)
    known = known_of(runs, np.arange(20))
    simulated = Simulated(cores=2, scale=1 / 256)
    first = simulated.outcomes(known)
    monkeypatch.setattr(simulated, "_simulate", lambda plans: np.empty((len(plans), 6)) if len(plans) == 0 else 1 / 0)
    assert (simulated.outcomes(known) == first).all()


def known_of(runs: Runs, rows: np.ndarray) -> Known:
    columns = {name: values[rows] for name, values in columns_of(runs).items()}
    return Known(runs.facts.asked.workload(), runs.facts.reference_values, columns)


def test_it_orders_measured_loads_that_it_was_not_fitted_to() -> None:
    runs = Runs.read(JIN2022)
    frame = runs.frame
    is_test = frame["purpose"].eq(Purpose.TEST) & frame["status"].eq(Status.OK) & frame["block"].eq(0)
    rows = np.flatnonzero(is_test.to_numpy())
    found = Simulated(cores=2, scale=1 / 256).outcomes(known_of(runs, rows))
    assert len(rows) > 50
    for name, place in (("waf", 0), ("load_time_s", 1), ("total_time_s", 2), ("space_bytes", 3)):
        measured = frame[f"indicator.{name}"].to_numpy(dtype=float)[rows]
        is_known = np.isfinite(measured)
        assert spearmanr(measured[is_known], found[is_known, place]).statistic > 0.75, name
