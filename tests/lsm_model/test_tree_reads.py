"""Reads of a tree: runs, filters, the block cache in miniature, and reads of the real engine."""

import re
import subprocess
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.lsm_model.tree import Order, Popularity, ReadOutcome, Reads, Writes, run_phases, run_reads
from lsmtune.lsm_model.tree._cache import Strata, hit_shares, kept_for
from lsmtune.lsm_model.tree._shape import Shape, SortedRun
from lsmtune.model import Value

MIB = 1 << 20
NOTHING: Mapping[str, Value] = {}
SMALL: Mapping[str, Value] = {"cache_size": 8 * MIB}
KEYS = 1_000_000
ONE = SortedRun(3, 1.0, (float(KEYS),), (0.0,), KEYS * 420.7, 0.0)
SHAPE = Shape((ONE,), (float(KEYS),), True, 420.7, 16, 0.0, (10_000.0,), 0.0, True)
"""A tree of one level with all keys, 9 in a block of 4 KiB."""


def strata(counts: list[float], rates: list[float], replaced: float = 0.0) -> Strata:
    """Return strata of data blocks of 1 B each."""
    one = np.ones(len(counts))
    return Strata(np.array(counts), np.array(rates), one, one * replaced, one)


def above(entries: float, covers: float = 1.0, deletes: float = 0.0) -> SortedRun:
    """Return a newer run."""
    return SortedRun(1, covers, (entries - deletes,), (deletes,), entries * 420.7, 0.0)


def read(
    shape: Shape = SHAPE,
    reads: Reads | None = None,
    page_cache: float | None = None,
    options: Mapping[str, Value] = NOTHING,
) -> ReadOutcome:
    return run_reads(options, shape, reads or Reads(KEYS), page_cache)


@pytest.mark.parametrize("blocks", [50, 500, 5000])
def test_the_miniature_has_the_hit_ratio_of_the_cache_that_it_stands_for(blocks: int) -> None:
    """An LRU cache over all blocks, asked 300,000 times, is the truth."""
    chances = np.arange(1, 20_001) ** -0.9
    chances /= chances.sum()
    cache: OrderedDict[int, None] = OrderedDict()
    hits = 0
    drawn = np.random.default_rng(1).choice(len(chances), size=400_000, p=chances)
    for number, block in enumerate(drawn.tolist()):
        hits += block in cache and number >= 100_000
        cache[block] = None
        cache.move_to_end(block)
        if len(cache) > blocks:
            cache.popitem(last=False)
    edges = np.unique(np.round(np.geomspace(1, 20_001, 60))).astype(int)
    counts = np.diff(edges).astype(float)
    weights = np.add.reduceat(chances, edges[:-1] - 1)
    shares = hit_shares(strata(counts.tolist(), (weights / counts).tolist()), blocks)
    assert float((shares * weights).sum()) == pytest.approx(hits / 300_000, abs=0.01)


@pytest.mark.parametrize("share", [1e-6, 0.1, 0.9])
def test_of_blocks_that_are_asked_for_alike_a_cache_has_its_share(share: float) -> None:
    (found,) = hit_shares(strata([1e9], [1e-9]), share * 1e9)
    assert found == pytest.approx(share, abs=0.01)


def test_a_cache_that_holds_all_blocks_lacks_none_and_one_of_nothing_all() -> None:
    blocks = strata([100.0, 1000.0], [1e-3, 1e-4])
    assert hit_shares(blocks, 1100.0).tolist() == [1.0, 1.0]
    assert hit_shares(blocks, 0.0).tolist() == [0.0, 0.0]


def test_a_block_that_is_asked_for_all_the_time_never_leaves_the_cache() -> None:
    assert hit_shares(strata([1.0, 1e6], [0.5, 1e-6]), 1000.0)[0] == 1.0


def test_blocks_that_are_written_anew_have_to_be_read_again() -> None:
    kept, renewed = (hit_shares(strata([10_000.0], [1e-4], replaced), 5000.0)[0] for replaced in (0.0, 1e-4))
    time = kept_for(strata([10_000.0], [1e-4]), 5000.0)
    assert kept == pytest.approx(0.5, abs=0.01)
    assert renewed == pytest.approx(0.5 * (1 - np.exp(-2e-4 * time)), abs=0.02)


def test_a_lookup_goes_through_newer_runs_unless_filters_spare_it() -> None:
    shape = replace(SHAPE, runs=(above(100_000), above(100_000), replace(ONE, sets=(800_000.0,))))
    plain, filtered = read(shape), read(shape, options={"bloom_bits": 10})
    passes = 0.6185**10
    assert plain.blocks_missing == pytest.approx(3)
    assert filtered.blocks_missing == pytest.approx(3 * passes)
    # Of the keys a tenth is in each newer run; the others are looked for there in vain.
    assert plain.blocks_found == pytest.approx(0.1 * 1 + 0.1 * 2 + 0.8 * 3)
    assert filtered.blocks_found == pytest.approx(1 + 0.1 * passes + 0.8 * 2 * passes)
    assert plain.found == filtered.found == pytest.approx(1.0)


def test_only_files_whose_range_holds_the_key_are_looked_into() -> None:
    part = replace(SHAPE, runs=(above(100_000, covers=0.25), ONE))
    assert read(part).blocks_missing == pytest.approx(1.25)


def test_the_last_level_without_filters_costs_a_block_of_a_key_that_is_not_there() -> None:
    found = read(options={"bloom_bits": 10, "optimize_filters_for_hits": True})
    assert found.blocks_missing == pytest.approx(1.0)


def test_a_deletion_ends_the_lookup_and_the_key_is_not_there() -> None:
    shape = replace(SHAPE, runs=(above(500_000, deletes=500_000), ONE), is_once=False)
    found = read(shape)
    assert found.found == pytest.approx(0.5)
    assert found.blocks == pytest.approx(0.5 * 1 + 0.5 * 2)


def test_keys_that_were_never_written_are_not_found() -> None:
    found = read(replace(SHAPE, runs=(above(100_000), ONE)), Reads(KEYS, absent=1.0))
    assert found.found == 0
    assert found.blocks == pytest.approx(2)


def test_a_larger_cache_has_more_and_a_skewed_workload_needs_less() -> None:
    sizes = [2 * MIB, 20 * MIB, 200 * MIB, 800 * MIB]
    even = [read(options={"cache_size": size}).hit_share for size in sizes]
    skewed = [read(reads=Reads(KEYS, Popularity.ZIPFIAN), options={"cache_size": size}).hit_share for size in sizes]
    assert even == sorted(even, key=lambda share: share or 0.0)
    assert even[2] == pytest.approx(200 * MIB / (KEYS / 9 * (9 * 420.7 + 200)), abs=0.01)
    assert all(
        more is not None and less is not None and more > less for more, less in zip(skewed[:3], even, strict=False)
    )
    assert even[3] == skewed[3] == 1.0


def test_scans_look_into_a_block_of_each_run_and_those_that_follow() -> None:
    shape = replace(SHAPE, runs=(above(100_000), ONE))
    found = read(shape, Reads(KEYS, scans=1.0, scan_length=90))
    assert found.found is None
    assert found.blocks_scan == pytest.approx(2 + 90 / 9)
    assert found.blocks == pytest.approx(found.blocks_scan)
    filtered = read(shape, Reads(KEYS, scans=1.0, scan_length=90), options={"bloom_bits": 10})
    assert filtered.blocks == pytest.approx(found.blocks), "filters do not help scans"


def test_indexes_and_filters_in_the_cache_take_room_and_are_missed() -> None:
    small: dict[str, Value] = {"cache_size": 20 * MIB, "bloom_bits": 10, "target_file_size_base": 4 * MIB}
    outside, inside = read(options=small), read(options={**small, "cache_index_and_filter_blocks": True})
    assert outside.hit_share is not None
    assert inside.hit_share is not None
    assert inside.hit_share < outside.hit_share
    assert inside.cache_misses > outside.cache_misses
    tiny: dict[str, Value] = {**small, "cache_size": 2 * MIB, "cache_index_and_filter_blocks": True}
    split, whole = read(options={**tiny, "partition_index_and_filters": True}), read(options=tiny)
    assert split.hit_share is not None
    assert whole.hit_share is not None
    assert split.hit_share > whole.hit_share, "less of the cache goes to parts that are not asked for"
    small = {**small, "partition_index_and_filters": True}
    assert read(options=small) == read(options={**small, "cache_index_and_filter_blocks": True}), "parts always are"


def test_filters_of_leveldb_have_another_name() -> None:
    assert read(options={"filter_bits": 10}).blocks_missing == read(options={"bloom_bits": 10}).blocks_missing < 1


def test_the_page_cache_spares_the_device_and_direct_reads_pass_it() -> None:
    misses = read(options=SMALL).cache_misses
    assert read(options=SMALL).device_reads is None
    assert read(page_cache=KEYS * 500.0, options=SMALL).device_reads == 0
    half = read(page_cache=KEYS * 250.0, options=SMALL).device_reads
    assert half is not None
    assert 0.2 * misses < half < misses
    assert read(page_cache=KEYS * 500.0, options={**SMALL, "use_direct_reads": True}).device_reads == misses


def test_values_in_blob_files_are_one_more_read() -> None:
    apart = replace(SHAPE, blob_bytes=1000.0)
    assert read(apart, options={"use_direct_reads": True}).device_reads == pytest.approx(1 + read().cache_misses)


def test_the_latest_keys_are_in_the_memtable_and_the_newest_runs() -> None:
    shape = replace(SHAPE, runs=(above(100_000), replace(ONE, sets=(900_000.0,))))
    quiet = read(shape, Reads(KEYS, Popularity.LATEST), options={"cache_size": 64 * MIB})
    while_written = read(shape, Reads(KEYS, Popularity.LATEST, writes=0.05), options={"cache_size": 64 * MIB})
    assert quiet.found == pytest.approx(1.0)
    assert while_written.blocks < quiet.blocks - 0.3, "the memtable answers"


def test_a_reciprocal_order_is_that_of_db_bench() -> None:
    reads = Reads(100_000, Popularity.RECIPROCAL, reach=5.0)
    edges = reads.edges()
    drawn = 100_000 * np.exp(-np.random.default_rng(3).random(200_000) * 5.0)
    shares = np.histogram(np.floor(drawn), edges)[0] / len(drawn)
    assert reads.weights(edges) == pytest.approx(shares, abs=0.003)


def test_ranks_beyond_the_keys_are_hashed_onto_all_of_them() -> None:
    own, hashed = (Reads(KEYS, Popularity.ZIPFIAN, ranks=ranks) for ranks in (None, 10**10))
    edges = own.edges()
    assert hashed.weights(edges).sum() == pytest.approx(1.0)
    assert hashed.weights(edges)[0] == pytest.approx(1 / 26.469, rel=0.01), "the zeta of YCSB"
    assert own.weights(edges)[0] > 1.5 * hashed.weights(edges)[0]


def test_a_prediction_does_not_grow_with_the_size() -> None:
    large = 4 * 10**9
    run = SortedRun(6, 1.0, (float(large),), (0.0,), large * 420.7, 0.0)
    shape = replace(SHAPE, runs=(run,), keys=(float(large),))
    found = read(shape, Reads(large), options={"cache_size": large * 42})
    assert found.hit_share == pytest.approx(0.095, abs=0.01)


LOADED_KEYS = 100_115
LOADED: dict[str, Value] = {
    "write_buffer_size": 2 * MIB,
    "target_file_size_base": 2 * MIB,
    "max_bytes_for_level_base": 8 * MIB,
    "compression_type": "none",
    "bloom_bits": 10,
}


@pytest.fixture(scope="module")
def db_bench(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of a real db_bench on a database of 100,115 keys of 400 B, which is there."""
    flags = [f"--{name}={value}" for name, value in LOADED.items()]
    folder = tmp_path_factory.mktemp("loaded") / "db"
    command = [str(find_db_bench()), f"--db={folder}", f"--num={LOADED_KEYS}", "--value_size=400", *flags]
    load = [*command, "--benchmarks=fillrandom,flush,compact0,waitforcompaction", "--seed=7"]
    subprocess.run(load, check=True, capture_output=True, timeout=300)
    return command


@pytest.mark.parametrize(("reach", "cache"), [(0.0, 8), (8.0, 4)])
def test_the_engine_has_about_as_many_of_the_blocks(db_bench: list[str], reach: float, cache: int) -> None:
    """They are read twice, of which what the longer one reads more is warm."""
    values, keys = {**LOADED, "cache_size": cache * MIB}, LOADED_KEYS
    counted = []
    for reads in (60_000, 120_000):
        more = ["--benchmarks=readrandom", "--use_existing_db=1", "--seed=1007", "--statistics", f"--reads={reads}"]
        more += [f"--cache_size={cache * MIB}", f"--read_random_exp_range={reach}"]
        argv = [*db_bench, *more, "--disable_auto_compactions=1"]
        out = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=300).stdout
        found = (re.search(rf"rocksdb\.block\.cache\.data\.{kind} COUNT : (\d+)", out) for kind in ("hit", "miss"))
        counted.append([int(match[1]) if match else 0 for match in found])
    hits, misses = (later - sooner for sooner, later in zip(*counted, strict=True))
    outcome = run_phases(values, [Writes(keys, keys, 16, 400, order=Order.UNIFORM)])
    law = Popularity.RECIPROCAL if reach else Popularity.UNIFORM
    said = run_reads(values, outcome.shape, Reads(keys, law, reach=reach))
    assert said.blocks == pytest.approx((hits + misses) / 60_000, abs=0.08)
    assert said.hit_share == pytest.approx(hits / (hits + misses), abs=0.06)
