"""What a workload reads, as the model of a tree asks for it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lsmtune.backends.registry import backend_for
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Popularity
from lsmtune.model import Workload

READ = Workload(("readrandom",), "readrandom", num=64_000, load=("fillrandom",))
DB_BENCH, YCSB = backend_for("db_bench", "rocksdb"), backend_for("ycsb", "rocksdb")
SCALE = Fraction(1, 64)


def bench(name: str, *flags: tuple[str, str]) -> Workload:
    return replace(READ, benchmarks=(name,), measure=name, flags=flags)


def ycsb(*benchmarks: str, **fields: object) -> Workload:
    return replace(Workload(benchmarks, benchmarks[-1], num=64_000, tool="ycsb"), **fields)  # type: ignore[arg-type]


def test_random_reads_are_even_unless_they_have_a_range() -> None:
    reads = DB_BENCH.tree_reads(READ, SCALE)
    assert reads is not None
    assert (reads.keys, reads.popularity, reads.scans, reads.absent) == (1000, Popularity.UNIFORM, 0, 0)
    for name in ("readrandom", "readwhilewriting"):
        skewed = DB_BENCH.tree_reads(bench(name, ("read_random_exp_range", "12")), SCALE)
        assert skewed is not None
        assert (skewed.popularity, skewed.reach) == (Popularity.RECIPROCAL, 12)


def test_seeks_are_scans_and_missing_keys_are_absent() -> None:
    seeks = DB_BENCH.tree_reads(bench("seekrandom", ("seek_nexts", "20")), SCALE)
    assert seeks is not None
    assert (seeks.scans, seeks.scan_length) == (1, 20)
    missing = DB_BENCH.tree_reads(bench("readmissing"), SCALE)
    assert missing is not None
    assert missing.absent == 1


def test_the_measured_benchmark_goes_before_later_ones() -> None:
    both = replace(READ, benchmarks=("readrandom", "seekrandom"), measure="readrandom")
    reads = DB_BENCH.tree_reads(both, SCALE)
    assert reads is not None
    assert reads.scans == 0
    filled = replace(both, benchmarks=("fillrandom", "seekrandom"), measure="fillrandom")
    reads = DB_BENCH.tree_reads(filled, SCALE)
    assert reads is not None
    assert reads.scans == 1


def test_a_mix_of_reads_and_writes_has_both() -> None:
    mix = bench("readrandomwriterandom", ("readwritepercent", "75"))
    reads = DB_BENCH.tree_reads(mix, SCALE)
    assert reads is not None
    assert reads.writes == pytest.approx(1 / 3)
    assert [phase.operations for phase in DB_BENCH.tree_writes(mix, SCALE)] == [1000, 250]


def test_what_is_written_beside_reads_is_left_out_and_said() -> None:
    workload = bench("readwhilewriting")
    reads = DB_BENCH.tree_reads(workload, SCALE)
    assert reads is not None
    assert "what is written beside the reads is left out" in reads.said[0]
    assert len(DB_BENCH.tree_writes(workload, SCALE)) == 1


def test_mixgraph_is_known_where_its_keys_are_even() -> None:
    reads = DB_BENCH.tree_reads(bench("mixgraph", ("mix_get_ratio", "0.9"), ("mix_seek_ratio", "0.1")), SCALE)
    assert reads is not None
    assert reads.scans == pytest.approx(0.1)
    for law in ("key_dist_a", "read_random_exp_range"):
        with pytest.raises(UsageError, match=f'the keys of "mixgraph" with {law}'):
            DB_BENCH.tree_reads(bench("mixgraph", (law, "0.002")), SCALE)


@pytest.mark.parametrize(
    ("workload", "sentence"),
    [
        (bench("readseq"), 'what "readseq" reads; it knows'),
        (bench("seekrandom", ("seek_nexts", "many")), 'flag "seek_nexts" is "many"; write a number'),
        (bench("readrandomwriterandom", ("readwritepercent", "0")), "readwritepercent is 0"),
    ],
)
def test_what_the_model_does_not_describe_is_named(workload: Workload, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        DB_BENCH.tree_reads(workload, SCALE)


def test_a_workload_that_only_writes_reads_nothing() -> None:
    assert DB_BENCH.tree_reads(replace(READ, benchmarks=("overwrite",), measure="overwrite"), SCALE) is None
    assert YCSB.tree_reads(ycsb("load"), SCALE) is None


@pytest.mark.parametrize(
    ("letter", "popularity", "scans", "writes"),
    [
        ("a", Popularity.ZIPFIAN, 0.0, 0.5),
        ("b", Popularity.ZIPFIAN, 0.0, 0.05),
        ("c", Popularity.ZIPFIAN, 0.0, 0.0),
        ("d", Popularity.LATEST, 0.0, 0.05 / 0.95),
        ("e", Popularity.ZIPFIAN, 1.0, 0.05 / 0.95),
        ("f", Popularity.ZIPFIAN, 0.0, 0.5),
    ],
)
def test_core_workloads_of_ycsb_are_known(letter: str, popularity: Popularity, scans: float, writes: float) -> None:
    reads = YCSB.tree_reads(ycsb("load", letter), SCALE)
    assert reads is not None
    assert (reads.keys, reads.popularity, reads.scans) == (1000, popularity, scans)
    assert reads.writes == pytest.approx(writes), "the driver reads the record that it updates"
    assert (reads.ranks is not None) == (popularity is Popularity.ZIPFIAN)
    assert reads.scan_length == (50.5 if letter == "e" else 0)


@pytest.mark.parametrize("letter", ["c", "d"])
def test_a_constant_of_its_own_is_the_exponent_of_what_is_read(letter: str) -> None:
    reads = YCSB.tree_reads(ycsb("load", letter, flags=(("zipfian_const", "0.7"),)), SCALE)
    assert reads is not None
    assert reads.theta == 0.7


def test_reads_of_other_laws_are_named() -> None:
    own = (("hot", (("requestdistribution", "hotspot"), ("updateproportion", "0"))),)
    with pytest.raises(UsageError, match='reads of hotspot keys, as in "hot"'):
        YCSB.tree_reads(ycsb("load", "hot", phases=own), SCALE)


def test_an_engine_without_a_model_says_so() -> None:
    with pytest.raises(UsageError, match="there is no model of what ycsb reads"):
        backend_for("ycsb", "leveldb").tree_reads(ycsb("load", "c"), Fraction(1))
