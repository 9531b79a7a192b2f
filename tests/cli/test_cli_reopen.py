"""The real driver closes and opens the database between phases, as an experiment asks for it."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import Lsmtune

from lsmtune.store import read_study

COMPARED = """
[engine]
name = "{engine}"
[workload]
tool = "ycsb"
benchmarks = ["load", "a", "b"]
num = "3k"
operations = "2k"
reopen = true
[workload.properties]
dataintegrity = true
[[compare]]
name = "smaller"
set = {{ write_buffer_size = "64KiB" }}
[search]
noise_runs = 3
[budget]
runs = 4
[host]
min_free = "1MiB"
disturbed = "use"
"""


def phases(printed: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, printed.splitlines()) if line["type"] == "phase_end"]


@pytest.mark.parametrize("engine", ["rocksdb", "leveldb"])
def test_each_phase_after_the_first_finds_all_records_in_a_database_that_was_opened_anew(
    lsmtune: Lsmtune, engine: str
) -> None:
    Path("x.toml").write_text(COMPARED.format(engine=engine))
    code, out, err = lsmtune("compare", "x.toml", "--study", "study", "--quiet")
    assert code == 0, err
    assert "opened anew for each phase" in " ".join(out.split())
    with read_study(Path("study")) as study:
        (run, *_) = study.runs()
        printed = study.artefact(run.run.id, "measure.stdout")
        measured = {name: study.indicator(name)[run.run.id] for name in ("waf", "throughput_ops_s@load", "found_ratio")}
    load, a, b, settle = phases(printed)
    assert [("reopen_s" in each) for each in (load, a, b, settle)] == [False, True, True, False]
    assert (a["outcomes"]["read"]["not_found"], b["outcomes"]["read"]["not_found"]) == (0, 0)
    assert measured["found_ratio"] == 1.0
    summary = json.loads(printed.splitlines()[-1])
    counters = summary["counters"]
    flushed = sum(each["counters"]["flush_bytes"] for each in (load, a, b, settle))
    assert counters["flush_bytes"] >= flushed
    assert measured["waf"] == pytest.approx(summary["amplification"]["waf"])
    code, out, err = lsmtune("timeline", "study", str(run.run.id))
    assert code == 0, err
