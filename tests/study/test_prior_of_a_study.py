"""What a study tells its sampler of the engine: from a simulation of random writes, and of nothing else."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from lsmtune import extras
from lsmtune.experiment import parse_experiment
from lsmtune.indicators import Guard, Objective
from lsmtune.model import Workload
from lsmtune.samplers import Prior
from lsmtune.space import catalogue, library_values
from lsmtune.study import prepare, prior_of, tree_knowledge
from lsmtune.testing import fake_db_bench

MIB = 1 << 20
REFERENCE = library_values(catalogue("rocksdb").for_version((7, 8, 3)), (7, 8, 3))
FILL = Workload(("fillrandom",), "fillrandom", num=16_000_000, key_size_bytes=16, value_size_bytes=1024)
RATE, SPACE, WAF = "throughput_settled_ops_s", "space_bytes", "waf"


def prior(objective: dict[str, float], *guards: str, workload: Workload = FILL) -> Prior | None:
    derive = tree_knowledge("rocksdb", workload, REFERENCE, 2, Fraction(1, 64))
    return prior_of(derive, REFERENCE, Objective(objective), [Guard(name, 1.1) for name in guards])


def test_larger_memtables_are_expected_to_write_less_and_smaller_ones_more() -> None:
    found = prior({WAF: 1.0})
    assert found is not None
    trends = found.trends({"write_buffer_size": np.array([8, 64, 256]) * MIB})
    small, same, large = (trends @ found.response).tolist()
    assert small > 0.1
    assert same == pytest.approx(0.0)
    assert large < -0.1


def test_a_slower_codec_is_expected_to_cost_rate() -> None:
    found = prior({RATE: 1.0})
    assert found is not None
    fast, slow = (found.trends({"compression_type": np.array(["lz4", "zlib"], dtype=object)}) @ found.response).tolist()
    assert slow > fast + 0.2


def test_the_parts_of_an_objective_weigh_what_they_weigh_there_and_space_nothing() -> None:
    both, alone = prior({WAF: 1.0, RATE: 3.0}), prior({WAF: 1.0})
    assert both is not None
    assert alone is not None
    assert both.response.sum() == pytest.approx(1.0)
    assert (both.response[alone.response > 0] == 0.25).all()
    half = prior({WAF: 1.0, SPACE: 1.0})
    assert half is not None
    assert half.response.sum() == pytest.approx(0.5)
    assert prior({SPACE: 1.0}) is None


def test_bounds_get_tighter_with_what_is_simulated() -> None:
    found = prior({RATE: 1.0}, WAF, SPACE)
    assert found is not None
    assert list(found.slacks) == [WAF]
    assert found.slacks[WAF].sum() == -1.0


def test_nothing_is_expected_where_nothing_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = replace(FILL, load=("fillseq",), benchmarks=("readrandom",), measure="readrandom")
    assert prior({RATE: 1.0}, workload=reads) is None
    assert tree_knowledge("leveldb", FILL, {}, 2, Fraction(1)) is None
    monkeypatch.setattr(extras, "_is_installed", lambda library: library != "numba")
    assert prior({RATE: 1.0}) is None


@pytest.mark.parametrize(
    ("benchmarks", "sampler", "expects"),
    [("fillrandom", "agp-tree", True), ("fillseq", "agp-tree", False), ("fillrandom", "agp", False)],
)
def test_a_prepared_search_of_random_writes_has_a_prior_where_the_sampler_takes_one(
    benchmarks: str, sampler: str, expects: bool, tmp_path: Path
) -> None:
    text = f"""
        scale = "1/16"
        [workload]
        benchmarks = "{benchmarks}"
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
    assert (found is not None) is expects
