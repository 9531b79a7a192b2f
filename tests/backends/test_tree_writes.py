"""What a workload writes, as the model of a tree asks for it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lsmtune.backends.registry import backend_for
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Order
from lsmtune.model import Workload

FILL = Workload(("fillrandom",), "fillrandom", num=64_000, key_size_bytes=16, value_size_bytes=100)
DB_BENCH, YCSB = backend_for("db_bench", "rocksdb"), backend_for("ycsb", "rocksdb")
SCALE = Fraction(1, 64)


def ycsb(*benchmarks: str, **fields: object) -> Workload:
    return replace(Workload(benchmarks, benchmarks[-1], num=64_000, tool="ycsb"), **fields)  # type: ignore[arg-type]


def test_each_thread_of_a_random_fill_writes_all_operations() -> None:
    (phase,) = DB_BENCH.tree_writes(replace(FILL, threads=3, operations=32_000), SCALE)
    assert (phase.keys, phase.operations, phase.order, phase.threads) == (1000, 1500, Order.UNIFORM, 3)


def test_data_that_is_loaded_comes_first_and_phases_that_read_are_no_phases() -> None:
    workload = replace(FILL, load=("fillseq",), benchmarks=("overwrite", "readrandom"))
    orders = [phase.order for phase in DB_BENCH.tree_writes(workload, SCALE)]
    assert orders == [Order.SEQUENTIAL, Order.UNIFORM]


def test_a_limit_of_db_bench_is_the_rate() -> None:
    (phase,) = DB_BENCH.tree_writes(replace(FILL, flags=(("benchmark_write_rate_limit", "116000"),)), SCALE)
    assert phase.rate == 1000


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"benchmarks": ("mixgraph",), "flags": (("mix_put_ratio", "0.1"),)},
            'what "mixgraph" writes; it knows fillseq',
        ),
        ({"duration_s": 60.0}, 'how much "fillrandom" writes in 60 s is not known; give operations'),
        ({"flags": (("num_column_families", "2"),)}, "what the flag num_column_families changes"),
    ],
)
def test_what_the_model_does_not_describe_is_named(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        DB_BENCH.tree_writes(replace(FILL, **fields), SCALE)  # type: ignore[arg-type]


def test_phases_of_ycsb_write_their_shares() -> None:
    load, updates = YCSB.tree_writes(ycsb("load", "a", "c"), SCALE)
    assert (load.order, load.operations) == (Order.UNIQUE, 1000)
    assert (updates.order, updates.operations, updates.theta) == (Order.ZIPFIAN, 500, 0.99)
    (_, inserts) = YCSB.tree_writes(ycsb("load", "d"), SCALE)
    assert (inserts.order, inserts.operations, inserts.keys) == (Order.UNIQUE, 50, 1050)


def test_deletions_of_ycsb_are_a_share_of_what_is_written() -> None:
    own = (("churn", (("updateproportion", "0.3"), ("lsmtune.deleteproportion", "0.1"), ("readproportion", "0.6"))),)
    (phase,) = YCSB.tree_writes(ycsb("churn", phases=own), SCALE)
    assert phase.operations == 400
    assert phase.deletes == pytest.approx(0.25)


def test_inserts_beside_updates_are_not_described() -> None:
    own = (("both", (("updateproportion", "0.5"), ("insertproportion", "0.5"))),)
    with pytest.raises(UsageError, match="inserts beside updates"):
        YCSB.tree_writes(ycsb("both", phases=own), SCALE)


def test_an_engine_without_a_model_says_so() -> None:
    with pytest.raises(UsageError, match="there is no model of what ycsb writes"):
        backend_for("ycsb", "leveldb").tree_writes(ycsb("load"), Fraction(1))
