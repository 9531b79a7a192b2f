"""The largest rate and offered rates over axes, end to end on the real driver with very little data."""

import json
from pathlib import Path
from typing import Any

from cli_fixtures import Lsmtune

from lsmtune.backends.ycsb._output import parse_output
from lsmtune.model import Status
from lsmtune.store import StoredRun, Study, read_study

BASE = """
[workload]
tool = "ycsb"
benchmarks = ["b"]
load = "load"
num = "2000"
operations = "2000"
threads = 2
{more}
[search]
noise_runs = 3
[host]
min_free = "1MiB"
disturbed = "use"
[sweep]
rival = "write_buffer_size"
repeats = 2
[sweep.options]
write_buffer_size = ["1MiB", "64MiB"]
"""
NOTHING_BORNE = "no rate was sustained, down to"


def swept(lsmtune: Lsmtune, text: str) -> tuple[int, dict[str, Any], str]:
    Path("x.toml").write_text(text)
    code, out, err = lsmtune("sweep", "x.toml", "--study", "study", "--json", "--quiet")
    return code, json.loads(out) if code == 0 else {}, err


def kept(study: Study, stored: StoredRun) -> tuple[float, float, float | None]:
    """The limit and the percentile that the driver says it kept, and the rate that it found."""
    output = parse_output(study.artefact(stored.run.id, "measure.stdout"))
    (found,) = [each.max_rate for each in output.phases if each.max_rate is not None]
    return found.limit_s, found.percentile, found.rate_ops_s


def test_a_sweep_over_limits_seeks_the_rate_under_each_of_them(lsmtune: Lsmtune) -> None:
    sought = '[workload.max_rate]\nlimit = "4ms"\nhold = "0.4s"\nmost = 5\n'
    axes = '[sweep.axes]\nlimit = ["2ms", "4ms"]\n'
    code, found, err = swept(lsmtune, BASE.format(more=sought) + axes)
    with read_study(Path("study")) as study:
        rates = study.indicator("max_rate_ops_s")
        for stored in study.runs():
            if stored.run.id in rates:
                limit_s, percentile, rate = kept(study, stored)
                assert (limit_s, percentile) == (dict(stored.run.scenario).get("limit_s", 0.004), 99.0)
                assert rates[stored.run.id] == rate
            else:  # on a machine that is busy enough nothing is borne
                assert (stored.status, stored.reason[: len(NOTHING_BORNE)]) == (Status.FAILED, NOTHING_BORNE)
    if code:
        assert NOTHING_BORNE in err
        return
    assert {cell["values"]["workload.limit_s"] for cell in found["cells"]} == {0.002, 0.004}
    assert all(cell["runs"] + cell["lost"] == 2 for cell in found["cells"])


def test_a_sweep_over_offered_rates_runs_each_at_its_own_and_shows_what_latencies_come_of_it(lsmtune: Lsmtune) -> None:
    paced = "[workload.properties]\ntarget = 2000\n[objective]\nread_latency_p99_s = 1\n"
    code, found, err = swept(lsmtune, BASE.format(more=paced) + "[sweep.axes]\ntarget = [1000, 4000]\n")
    assert code == 0, err
    with read_study(Path("study")) as study:
        asked = {stored.run.id: dict(stored.run.scenario).get("target_ops_s", 2000.0) for stored in study.runs()}
        throughput = study.indicator("throughput_ops_s")
    assert set(asked.values()) == {1000.0, 2000.0, 4000.0}
    for run, rate in asked.items():
        assert throughput[run] <= 1.05 * float(rate)  # due at that rate: never more, on a busy machine less
    assert next(iter(found["cells"][0]["levels"])) == "read_latency_p99_s"
    assert {cell["values"]["workload.target_ops_s"] for cell in found["cells"]} == {1000.0, 4000.0}
