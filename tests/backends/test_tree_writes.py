"""What a workload writes, as the model of a tree asks for it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lsmtune.backends import Backend
from lsmtune.backends.registry import BACKENDS, backend_for
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Fifo, Order, Rules, Writes
from lsmtune.model import MaxRate, Workload

FILL = Workload(("fillrandom",), "fillrandom", num=64_000, key_size_bytes=16, value_size_bytes=100)
DB_BENCH, YCSB = backend_for("db_bench", "rocksdb"), backend_for("ycsb", "rocksdb")
SCALE = Fraction(1, 64)


def ycsb(*benchmarks: str, **fields: object) -> Workload:
    return replace(Workload(benchmarks, benchmarks[-1], num=64_000, tool="ycsb"), **fields)  # type: ignore[arg-type]


def test_each_thread_of_a_random_fill_writes_all_operations() -> None:
    (phase,) = DB_BENCH.tree_writes(replace(FILL, threads=3, operations=32_000), SCALE)
    assert (phase.keys, phase.operations, phase.order, phase.threads) == (1000, 1500, Order.UNIFORM, 3)


@pytest.mark.parametrize("backend", [DB_BENCH, backend_for("db_bench", "leveldb")])
def test_a_fill_in_order_by_several_threads_is_refused_as_each_writes_all_keys(backend: Backend) -> None:
    with pytest.raises(UsageError, match='"fillseq" by 3 threads, each of which writes all keys; build the data with'):
        backend.tree_writes(replace(FILL, benchmarks=("fillseq", "readrandom"), threads=3), SCALE)
    (load,) = backend.tree_writes(replace(FILL, load=("fillseq",), benchmarks=("readrandom",), threads=3), SCALE)
    assert (load.operations, load.threads) == (1000, 1)


@pytest.mark.parametrize("fill", ["fillseq", "filluniquerandom"])
def test_a_fill_that_ignores_a_duration_writes_all_keys(fill: str) -> None:
    timed = replace(FILL, benchmarks=(fill, "readrandom"), measure="readrandom", duration_s=60.0)
    (phase,) = DB_BENCH.tree_writes(timed, SCALE)
    assert phase.operations == 1000


@pytest.mark.parametrize("value", ["1", "true"])
def test_synced_writes_are_those_that_are_measured(value: str) -> None:
    asked = replace(FILL, load=("fillseq",), benchmarks=("overwrite",), flags=(("sync", value),))
    assert [phase.is_synced for phase in DB_BENCH.tree_writes(asked, SCALE)] == [False, True]


def test_data_that_is_loaded_comes_first_and_phases_that_read_are_no_phases() -> None:
    workload = replace(FILL, load=("fillseq",), benchmarks=("overwrite", "readrandom"))
    orders = [phase.order for phase in DB_BENCH.tree_writes(workload, SCALE)]
    assert orders == [Order.SEQUENTIAL, Order.UNIFORM]


@pytest.mark.parametrize("backend", [DB_BENCH, backend_for("db_bench", "leveldb")])
def test_a_compaction_by_hand_is_said_to_be_left_out(backend: Backend) -> None:
    asked = replace(FILL, load=("fillseq", "compact"), benchmarks=("overwrite",))
    load, overwrite = backend.tree_writes(asked, SCALE)
    assert overwrite.said == ('"compact" is left out: the tree is taken as the writes leave it',)
    assert not load.said
    assert (load.is_measured, overwrite.is_measured) == (False, True)
    (fill,) = backend.tree_writes(FILL, SCALE)
    assert not fill.said


def test_a_mix_that_only_reads_is_no_phase_that_writes() -> None:
    mix = replace(FILL, load=("fillrandom",), benchmarks=("readrandomwriterandom",))
    asked = {percent: replace(mix, flags=(("readwritepercent", percent),)) for percent in ("90", "100")}
    assert len(DB_BENCH.tree_writes(asked["100"], SCALE)) == 1
    (_, few) = DB_BENCH.tree_writes(replace(asked["90"], operations=128), SCALE)
    assert few.operations == 1, "two operations, of which 0.2 write"


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
        ({"flags": (("benchmark_write_rate_limit", "8M"),)}, 'flag "benchmark_write_rate_limit" is "8M"; write a'),
        ({"flags": (("fifo_compaction_max_table_files_size_mb", "64MB"),)}, '_size_mb" is "64MB"; write a number'),
        (
            {"flags": (("fifo_compaction_max_table_files_size_mb", "64"), ("ttl_seconds", "1h"))},
            'flag "ttl_seconds" is "1h"; write a number',
        ),
        ({"benchmarks": ("mixgraph",), "flags": (("mix_put_ratio", "half"),)}, '"mix_put_ratio" is "half"'),
    ],
)
def test_what_the_model_does_not_describe_is_named(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        DB_BENCH.tree_writes(replace(FILL, **fields), SCALE)  # type: ignore[arg-type]


def test_phases_of_ycsb_write_their_shares() -> None:
    load, updates = YCSB.tree_writes(ycsb("load", "a", "c"), SCALE)
    assert (load.order, load.operations) == (Order.UNIQUE, 1000)
    assert (updates.order, updates.operations, updates.theta, updates.ranks) == (Order.ZIPFIAN, 500, 0.99, 10**10)
    (_, inserts) = YCSB.tree_writes(ycsb("load", "d"), SCALE)
    assert (inserts.order, inserts.operations, inserts.keys) == (Order.UNIQUE, 50, 1050)


def test_a_constant_of_its_own_is_the_exponent_of_what_is_written() -> None:
    (_, updates) = YCSB.tree_writes(ycsb("load", "a", flags=(("zipfian_const", "0.6"),)), SCALE)
    assert updates.theta == 0.6
    own = (("skewed", (("requestdistribution", "zipfian"), ("zipfian_const", "0.8"))),)
    (phase,) = YCSB.tree_writes(ycsb("skewed", phases=own), SCALE)
    assert phase.theta == 0.8


def test_proportions_of_ycsb_are_shares_of_their_sum() -> None:
    own = (("mine", (("updateproportion", "1"), ("requestdistribution", "uniform"))),)
    (phase,) = YCSB.tree_writes(ycsb("mine", phases=own), SCALE)
    assert (phase.order, phase.operations, phase.ranks) == (Order.UNIFORM, 513, None), "reads keep their 0.95"
    hundreds = (("mine", (("updateproportion", "50"), ("readproportion", "50"))),)
    (phase,) = YCSB.tree_writes(ycsb("mine", phases=hundreds), SCALE)
    assert phase.operations == 500


@pytest.mark.parametrize("name", ["target", "limit.ops"])
def test_the_writes_of_a_mix_have_their_share_of_the_rate_that_is_offered(name: str) -> None:
    load, updates = YCSB.tree_writes(ycsb("load", "a", flags=((name, "20000"),)), SCALE)
    assert (load.rate, updates.rate) == (20_000, 10_000)
    (_, free) = YCSB.tree_writes(ycsb("load", "a", flags=((name, "0"),)), SCALE)
    assert free.rate is None


def test_how_much_a_search_for_the_largest_rate_writes_is_not_known() -> None:
    sought = ycsb("load", "a", max_rate=MaxRate(0.005))
    with pytest.raises(UsageError, match='how much "a" writes while a rate is sought is not known'):
        YCSB.tree_writes(sought, SCALE)
    (load,) = YCSB.tree_writes(ycsb("load", "c", max_rate=MaxRate(0.005)), SCALE)
    assert load.operations == 1000, "c only reads"


@pytest.mark.parametrize(("word", "is_synced"), [("true", True), ("1", True), ("yes", True), ("no", False)])
def test_synced_writes_of_ycsb_are_said_in_the_words_of_the_driver(word: str, is_synced: bool) -> None:
    (phase,) = YCSB.tree_writes(ycsb("load", flags=(("lsmtune.sync", word),)), SCALE)
    assert phase.is_synced is is_synced


def test_deletions_of_ycsb_are_a_share_of_what_is_written() -> None:
    own = (("churn", (("updateproportion", "0.3"), ("lsmtune.deleteproportion", "0.1"), ("readproportion", "0.6"))),)
    (phase,) = YCSB.tree_writes(ycsb("churn", phases=own), SCALE)
    assert phase.operations == 400
    assert phase.deletes == pytest.approx(0.25)


def test_inserts_beside_updates_are_not_described() -> None:
    own = (("both", (("updateproportion", "0.5"), ("insertproportion", "0.5"))),)
    with pytest.raises(UsageError, match="inserts beside updates"):
        YCSB.tree_writes(ycsb("both", phases=own), SCALE)


def test_ycsb_on_leveldb_writes_the_same_under_its_rules() -> None:
    found = backend_for("ycsb", "leveldb").tree_writes(ycsb("load", "a"), Fraction(1))
    assert [phase.rules for phase in found] == [Rules.LEVELDB, Rules.LEVELDB]
    assert [replace(phase, rules=Rules.ROCKSDB) for phase in found] == list(
        YCSB.tree_writes(ycsb("load", "a"), Fraction(1))
    )


def leveldb(*benchmarks: str, load: tuple[str, ...] = (), **fields: object) -> tuple[Writes, ...]:
    workload = Workload(benchmarks, benchmarks[-1], num=1000, value_size_bytes=100, load=load, **fields)  # type: ignore[arg-type]
    return backend_for("db_bench", "leveldb").tree_writes(workload, Fraction(1))


def test_a_fill_of_leveldbs_db_bench_begins_with_an_empty_database() -> None:
    (phase,) = leveldb("fillseq", "overwrite", "fillrandom", "readrandom")
    assert (phase.order, phase.operations, phase.rules) == (Order.UNIFORM, 1000, Rules.LEVELDB)
    loaded, drawn = leveldb("overwrite", "readrandom", load=("fillseq", "compact"), threads=3)
    assert (loaded.order, loaded.operations) == (Order.SEQUENTIAL, 1000)
    assert (drawn.order, drawn.operations) == (Order.UNIFORM, 3000)
    assert leveldb("deleterandom", load=("fillseq",))[1].deletes == 1


@pytest.mark.parametrize(
    ("benchmarks", "sentence"),
    [
        (("fillsync",), 'does not describe what "fillsync" writes; it knows fillseq'),
        (("readwhilewriting",), 'does not describe what "readwhilewriting" writes'),
        (("fillrandom", "overwrite"), '"overwrite" draws the same keys as "fillrandom".*fill with fillseq'),
    ],
)
def test_what_the_model_does_not_describe_of_leveldb_is_named(benchmarks: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        leveldb(*benchmarks)


def test_what_fifo_compaction_keeps_are_flags_of_db_bench() -> None:
    assert DB_BENCH.tree_writes(FILL, SCALE)[0].fifo == Fifo(0, 30 * 86400, merges=True)
    flags = (("fifo_compaction_max_table_files_size_mb", "64"), ("ttl_seconds", "60"))
    (phase,) = DB_BENCH.tree_writes(replace(FILL, flags=(*flags, ("fifo_compaction_allow_compaction", "false"))), SCALE)
    assert phase.fifo == Fifo(1 << 20, 60.0, merges=False), "at the scale"
    with pytest.raises(UsageError, match="what the flag ttl_seconds changes"):
        DB_BENCH.tree_writes(replace(FILL, flags=flags[1:]), SCALE)


def test_ycsb_keeps_under_fifo_compaction_rocksdbs_own_limit_at_the_scale() -> None:
    (load,) = YCSB.tree_writes(ycsb("load"), SCALE)
    assert load.fifo == Fifo((1 << 30) / 64, 30 * 86400, merges=False)


def test_an_engine_without_a_model_says_so() -> None:
    with pytest.raises(UsageError, match="there is no model of what command writes"):
        BACKENDS["command", "command"].tree_writes(replace(FILL, tool="command"), Fraction(1))
