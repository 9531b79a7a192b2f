"""What a study tells its sampler of recorded runs: what they let expect of its objective and its bounds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lsmtune.experiment import parse_experiment
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.model import Workload
from lsmtune.samplers import Prior
from lsmtune.space import catalogue, library_values
from lsmtune.study import prepare, prior_of
from lsmtune.testing import fake_db_bench

MIB = 1 << 20
REFERENCE = library_values(catalogue("rocksdb").for_version((7, 8, 3)), (7, 8, 3))
FILL = Workload(("fillrandom",), "fillrandom", num=16_000_000, key_size_bytes=16, value_size_bytes=1024)
READ = replace(FILL, load=("fillseq",), benchmarks=("readrandom",), measure="readrandom")
RATE, SPACE, WAF, P99 = "throughput_settled_ops_s", "space_bytes", "waf", "latency_p99_s"
SIZES = {"write_buffer_size": np.array([8, 64, 256]) * MIB}


def prior(
    objective: dict[str, float], *guards: str, workload: Workload = FILL, engine: str = "rocksdb"
) -> Prior | None:
    return prior_of(engine, workload, REFERENCE, Objective(objective), [Guard(name, 1.1) for name in guards])


@pytest.mark.parametrize("indicator", [WAF, RATE, "total_time_s", "load_time_s", "throughput_ops_s@fillrandom"])
def test_larger_memtables_are_expected_to_be_better_and_smaller_ones_worse(indicator: str) -> None:
    found = prior({indicator: 1.0})
    assert found is not None
    small, same, large = found.response(SIZES).tolist()
    assert small > 0.05
    assert same == pytest.approx(0.0)
    assert large < -0.05


def test_the_parts_of_an_objective_weigh_what_they_weigh_there() -> None:
    waf, rate, both = prior({WAF: 1.0}), prior({RATE: 1.0}), prior({WAF: 1.0, RATE: 3.0})
    assert waf is not None
    assert rate is not None
    assert both is not None
    assert both.response(SIZES) == pytest.approx(0.25 * waf.response(SIZES) + 0.75 * rate.response(SIZES))
    half = prior({WAF: 1.0, "stall_count": 1.0})
    assert half is not None
    assert half.response(SIZES) == pytest.approx(0.5 * waf.response(SIZES)), "nothing is known of the other half"


def test_slacks_shrink_with_what_gets_worse() -> None:
    found = prior({RATE: 1.0}, WAF, SPACE, "stall_count")
    assert found is not None
    assert list(found.slacks) == [WAF, SPACE]
    small, _, large = found.slacks[WAF](SIZES).tolist()
    assert small < 0 < large
    none = found.slacks[SPACE]({"compression_type": np.array(["none", "snappy"], dtype=object)}).tolist()
    assert none == pytest.approx([none[0], 0.0])
    assert none[0] < -0.2


def test_nothing_is_expected_of_limits() -> None:
    found = prior_of("rocksdb", READ, REFERENCE, Objective({RATE: 1.0}), [Limit(P99, "<=", 0.01), Guard(WAF, 1.1)])
    assert found is not None
    assert list(found.slacks) == [WAF]


def test_reads_have_effects_of_their_own() -> None:
    writes, reads = (prior({RATE: 1.0}, workload=workload) for workload in (FILL, READ))
    assert writes is not None
    assert reads is not None
    assert writes.response(SIZES).tolist() != reads.response(SIZES).tolist()
    strange = replace(READ, benchmarks=("readtocache",), measure="readtocache")
    unlike = prior({RATE: 1.0}, workload=strange)
    assert unlike is not None
    assert unlike.response(SIZES).tolist() == reads.response(SIZES).tolist()


def test_nothing_is_expected_where_nothing_was_learnt() -> None:
    assert prior({"stall_count": 1.0}) is None
    assert prior({RATE: 1.0}, engine="leveldb") is None


@pytest.mark.parametrize("sampler", ["agp", "tpe"])
def test_a_prepared_search_has_a_prior(sampler: str, tmp_path: Path) -> None:
    text = f"""
        scale = "1/16"
        [workload]
        benchmarks = "fillrandom"
        num = "40M"
        [space]
        options = ["write_buffer_size", "block_size"]
        [guards]
        waf = "1.10x"
        [search]
        sampler = "{sampler}"
    """
    experiment = parse_experiment(text, tmp_path / "fill.toml")
    prepared = prepare(experiment, fake_db_bench.install(tmp_path))
    found = prepared.searching().search_settings().prior
    assert found is not None
    assert list(found.slacks) == ["waf"]
