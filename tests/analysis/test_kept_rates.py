"""Which offered rates a cell of a sweep kept up with."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from analysis_builders import synthetic_runs

from lsmtune.analysis import OFFERED, KeptRate, Runs, kept_rates
from lsmtune.space import Change, Factor, Kind

RATE = Factor(OFFERED, Kind.FLOAT, "ops/s", 1000.0, Change.WORKLOAD, choices=(1000.0, 2000.0, 4000.0))
BUFFER = Factor("write_buffer_size", Kind.INT, "B", 64, Change.ONLINE, choices=(64, 128))


def row(rate: float, throughput: float | None, **more: Any) -> dict[str, Any]:
    """A run of the cell with a buffer of 64, which did `throughput` and owed nothing, in block 0."""
    told = {"stops": 0.0, "settled": throughput, "buffer": 64, "status": "ok", "block": 0, **more}
    return {
        "purpose": "sample",
        "status": told["status"],
        "counts": "all",
        "block": told["block"],
        RATE.column: rate,
        BUFFER.column: told["buffer"],
        "indicator.throughput_ops_s": throughput,
        "indicator.throughput_settled_ops_s": told["settled"],
        "indicator.stop_count": told["stops"],
    }


def truth(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    """Of a table that is only asked for what it knows of its study."""
    return np.ones(len(columns["trigger"]))


def judged(rows: Sequence[dict[str, Any]], factors: tuple[Factor, ...] = (RATE,)) -> tuple[KeptRate, ...]:
    return kept_rates(Runs(factors, (), synthetic_runs(truth, 8, 1).facts, pd.DataFrame(rows)))


def test_the_largest_rate_is_the_last_before_the_first_that_was_too_much() -> None:
    (found,) = judged([row(1000, 1000), row(2000, 1990), row(4000, 3900), row(8000, 7999)])
    assert found.kept is not None
    assert found.above is not None
    assert (found.kept.rate_ops_s, found.above.rate_ops_s, found.above.done) == (2000.0, 4000.0, 0.975)


def test_one_run_that_falls_behind_is_enough_to_bar_a_rate() -> None:
    (found,) = judged([row(1000, 1000), row(1000, 900, block=1)])
    assert found.kept is None
    assert found.above is not None
    assert (found.above.done, found.above.runs) == (0.9, 2)


def test_a_stop_bars_a_rate_that_was_done() -> None:
    (found,) = judged([row(1000, 1000), row(2000, 2000, stops=1.0)])
    assert found.above is not None
    assert (found.above.rate_ops_s, found.above.stops) == (2000.0, 1.0)


def test_debt_that_takes_more_than_a_tenth_of_the_time_bars_a_rate() -> None:
    (small,) = judged([row(1000, 1000, settled=1000 / 1.09)])
    assert (small.above, small.kept is not None) == (None, True)
    (large,) = judged([row(1000, 1000, settled=1000 / 1.5)])
    assert large.kept is None
    assert large.above is not None
    assert round(large.above.debt or 0.0, 9) == 0.5


def test_what_is_not_told_bars_nothing_and_a_lost_run_does() -> None:
    (untold,) = judged([row(1000, 1000, stops=None, settled=None)])
    assert untold.kept is not None
    assert (untold.kept.stops, untold.kept.debt) == (None, None)
    (lost,) = judged([row(1000, 1000), row(1000, None, status="failed", block=1)])
    assert lost.above is not None
    assert (lost.above.runs, lost.above.lost) == (1, 1)


def test_each_cell_of_the_other_factors_has_its_own_and_a_sweep_without_rates_has_none() -> None:
    two = [row(1000, 1000), row(2000, 1000), row(1000, 1000, buffer=128), row(2000, 2000, buffer=128)]
    found = judged(two, (RATE, BUFFER))
    assert [(dict(each.where)["write_buffer_size"], each.kept and each.kept.rate_ops_s) for each in found] == [
        (64, 1000.0),
        (128, 2000.0),
    ]
    assert judged(two, (BUFFER,)) == ()
