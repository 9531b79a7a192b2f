"""The rules of the linter on whole studies: what must be found in one, and what must not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from result_builders import Made, anchor, baseline, rules, store, trial

from lsmtune.lint import CacheBlocks, DataRead, Finding
from lsmtune.model import Measurement
from lsmtune.result import History
from lsmtune.result._warnings import study_warnings
from lsmtune.store import create_study
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, fake_description, fake_space, fake_study

MIB = 1 << 20
QUIET = tuple(baseline(block, 100.0 + block % 2) for block in range(5))


def _found(
    folder: Path,
    *made: Made,
    measurement: Measurement | None = None,
    workload: dict[str, Any] | None = None,
    tool: str = "db_bench",
) -> list[Finding]:
    described = fake_description(rules(), fake_space())
    facts = {**described.facts, "workload": workload or {"keys": 1000}}
    described = replace(described, facts=facts, build=replace(described.build, tool=tool))
    with create_study(folder, described) as study:
        store(study, *made, measurement=measurement)
        return list(study_warnings(study, History.read(study, rules()), rules(), rules().start))


def test_repeats_with_one_seed_are_found_and_other_configurations_with_it_are_not(tmp_path: Path) -> None:
    repeats = [replace(each, seed=50) for each in QUIET[:3]]
    (found,) = _found(tmp_path / "s", *repeats, *QUIET[3:])
    assert found.rule.code == "seed-reuse"
    assert found.sentence.startswith("2 runs of a configuration with a seed that it had before")
    shared = [replace(QUIET[0], seed=50), replace(trial(1, 110.0), seed=50), replace(trial(2, 90.0), seed=50)]
    assert _found(tmp_path / "t", *shared, *QUIET[1:]) == []


def test_a_seed_from_the_clock_is_found_where_db_bench_takes_it(tmp_path: Path) -> None:
    run = replace(QUIET[0], seed=0)
    (found,) = _found(tmp_path / "s", run, *QUIET[1:])
    assert found.sentence == "1 run with seed 0, which db_bench takes from the clock, cannot be repeated"
    assert _found(tmp_path / "t", run, *QUIET[1:], tool="ycsb") == []


@pytest.mark.parametrize(("load", "hits"), [("fillrandom", 1), ("fillseq", 0)])
def test_reads_with_the_seed_of_a_random_load_are_found(tmp_path: Path, load: str, hits: int) -> None:
    run = replace(QUIET[0], seed=1)  # the builder's load seed
    found = _found(tmp_path / "s", run, *QUIET[1:], workload={"load": [load]})
    assert [each.rule.code for each in found] == ["seed-reuse"] * hits


@pytest.mark.parametrize(
    ("read", "codes"),
    [
        (DataRead(100 * MIB, 512 * MIB, direct=True), ["cache-sized-data"]),
        (DataRead(8192 * MIB, 8 * MIB, direct=False), ["cache-sized-data"]),  # the builder's host has 8 GiB
        (DataRead(8193 * MIB, 8 * MIB, direct=False), []),
        (DataRead(100 * MIB, 8 * MIB, direct=True), []),
        (DataRead(100 * MIB, MIB, direct=True, blocks=CacheBlocks(MIB, 64 * MIB, 8192)), ["shrunk-cache"]),
        (DataRead(100 * MIB, MIB, direct=True, blocks=CacheBlocks(MIB, MIB, 8192)), ["tiny-cache"]),
        (DataRead(100 * MIB, MIB, direct=True, blocks=CacheBlocks(MIB, 64 * MIB, 4096)), []),
    ],
)
def test_data_is_compared_with_the_block_cache_and_the_hosts_memory(
    tmp_path: Path, read: DataRead, codes: list[str]
) -> None:
    found = _found(tmp_path / "s", *QUIET, measurement=Measurement({}, facts=read.facts()))
    assert [each.rule.code for each in found] == codes
    assert all(each.about == "reference" for each in found)


def test_anchors_that_scatter_much_more_than_the_first_runs_are_found(tmp_path: Path) -> None:
    wild = [anchor(100.0 * 1.2 ** (-1) ** number) for number in range(8)]
    (found,) = _found(tmp_path / "s", *QUIET, *wild)
    assert found.rule.code == "anchors-disagree"
    assert "varied by" in found.sentence
    calm = [anchor(100.0 + number % 2) for number in range(8)]
    assert _found(tmp_path / "t", *QUIET, *calm) == []


def test_a_study_that_lsmtune_made_reuses_no_seed(tmp_path: Path) -> None:
    with fake_study(tmp_path / "s", FakePlan(Budget(None, 30))) as study:
        result = study.tune()
    assert "seed-reuse" not in {finding.rule.code for finding in result.warnings}
