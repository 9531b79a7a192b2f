"""The model of a tree under LevelDB's rules, FIFO compaction and with blob files that are collected."""

import json
import math
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tree_parts import at_work, memtable_level

from lsmtune.backends.leveldb import find_leveldb_bench, read_log
from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.lsm_model.tree import Costs, Fifo, Machine, Order, Outcome, Rules, Writes, run_phases
from lsmtune.lsm_model.tree._events import run_load
from lsmtune.lsm_model.tree._plan import plan_of
from lsmtune.lsm_model.tree._state import BLOBS, BYTES, FIRST, HIGH, LEVEL, LOW, MOST_SLOTS, USED, Tree, empty_tree
from lsmtune.model import Value

MIB = 1 << 20
FREE = Costs(write_us=((1e6, 1.0),), merge_ns=1e-6, flush_ns=1e-6, flush_us=1e-3, job_us=1e-3, file_us=0.0)
"""Work that costs nothing, so that only the rules say what is merged."""
MANY = Machine(64)
LEVELDB = Writes(keys=600_000, operations=600_000, key_bytes=16, value_bytes=400, rules=Rules.LEVELDB)
FILL = Writes(keys=200_000, operations=200_000, key_bytes=16, value_bytes=400)
FIFO: dict[str, Value] = {"compaction_style": "fifo", "write_buffer_size": MIB, "compression_type": "none"}
VALUES = Writes(keys=40_000, operations=120_000, key_bytes=16, value_bytes=1000)
BLOBS_APART: dict[str, Value] = {
    "write_buffer_size": MIB,
    "target_file_size_base": MIB // 4,
    "max_bytes_for_level_base": MIB // 2,
    "compression_type": "none",
    "enable_blob_files": True,
    "enable_blob_garbage_collection": True,
}


def filled(writes: Writes, options: dict[str, Value]) -> Tree:
    """Return a tree after a load."""
    tree = empty_tree(plan_of(options, writes, FREE, MANY), *writes.classes())
    run_load(tree)
    return tree


def kept_only(limit: float, **fields: object) -> Outcome:
    """Return what FIFO compaction comes to that keeps so many bytes."""
    return run_phases(FIFO, [replace(FILL, fifo=Fifo(limit), **fields)], FREE, MANY)  # type: ignore[arg-type]


def collected(**options: Value) -> Outcome:
    return run_phases({**BLOBS_APART, **options}, [VALUES], FREE, MANY)


# ---------------------------------------------------------------- LevelDB


@pytest.mark.parametrize("options", [{}, {"write_buffer_size": MIB}, {"max_file_size": 8 * MIB}])
def test_leveldb_keeps_about_the_keys_that_were_drawn(options: dict[str, Value]) -> None:
    tree = filled(LEVELDB, options)
    total = sum(float(tree.files[level, : tree.counts[level], FIRST:].sum()) for level in range(len(tree.counts)))
    drawn = LEVELDB.keys * (1 - math.exp(-1))
    assert drawn * 0.999 <= total <= drawn * 1.2
    for level in range(1, len(tree.counts)):
        files = tree.files[level, : tree.counts[level]]
        assert (files[1:, LOW] >= files[:-1, HIGH] - 1e-9).all(), "files of a level do not meet"


def test_keys_of_leveldb_that_come_once_are_all_kept() -> None:
    tree = filled(replace(LEVELDB, order=Order.UNIQUE), {})
    total = sum(float(tree.files[level, : tree.counts[level], FIRST:].sum()) for level in range(len(tree.counts)))
    assert total == pytest.approx(LEVELDB.operations)


def test_a_settled_leveldb_is_within_its_limits() -> None:
    outcome = run_phases({}, [replace(LEVELDB, compression_ratio=1.0)], FREE, MANY)
    assert outcome.level_files[0] < 4
    assert 0 < outcome.level_bytes[1] <= 10 * MIB
    assert 0 < outcome.level_bytes[2] <= 100 * MIB
    assert outcome.level_bytes[3] > 0


def test_files_of_leveldb_are_as_large_as_asked_for_and_cut_where_they_meet_too_much() -> None:
    tree = filled(LEVELDB, {})
    sizes = tree.files[2, : tree.counts[2], BYTES]
    assert sizes.max() <= 2 * MIB * (1 + 1e-9)
    # 10 files two levels down are met by 1 at most, but for the one in which the cut falls, and those not yet merged.
    first = tree.files[1, : tree.counts[1]]
    assert (first[:, HIGH] - first[:, LOW]).max() < 1


def test_a_memtable_of_leveldb_goes_down_to_the_second_level_where_it_meets_nothing() -> None:
    tree = empty_tree(plan_of({}, LEVELDB, FREE, MANY), *LEVELDB.classes())
    assert memtable_level(tree) == 2
    tree.files[2, 0, [LOW, HIGH, BYTES]] = 0.0, 1.0, 2 * MIB
    tree.counts[2] = 1
    assert memtable_level(tree) == 1
    tree.files[2, 0, BYTES] = 21 * MIB  # more than ten files
    assert memtable_level(tree) == 0


def test_leveldb_loads_ordered_keys_into_its_second_level() -> None:
    few = replace(LEVELDB, order=Order.SEQUENTIAL, keys=100_000, operations=100_000)
    outcome = run_phases({}, [few], FREE, MANY)
    assert [level for level, files in enumerate(outcome.level_files) if files] == [2]
    assert outcome.waf == pytest.approx(outcome.space_bytes / (few.operations * few.pair_bytes))


def test_leveldb_merges_less_with_larger_memtables() -> None:
    wafs = [run_phases({"write_buffer_size": size * MIB}, [LEVELDB], FREE, MANY).waf for size in (1, 4, 16, 64)]
    assert wafs == sorted(wafs, reverse=True)


def test_leveldb_holds_each_write_back_for_a_millisecond_where_level_0_is_full() -> None:
    slow = replace(FREE, merge_ns=200.0)
    outcome = run_phases({}, [LEVELDB], slow, Machine(2))
    assert outcome.delayed > 0.5
    assert outcome.runs <= 12.5
    # A thousand writes in a second, and what is written freely between.
    rate = LEVELDB.operations / outcome.load_s
    assert rate < 50_000
    several = run_phases({}, [replace(LEVELDB, threads=4)], slow, Machine(2))
    assert several.delayed < outcome.delayed


def test_leveldb_lays_a_compaction_aside_while_it_flushes() -> None:
    tree = empty_tree(plan_of({}, LEVELDB, FREE, MANY), *LEVELDB.classes())
    tree.rows["jobs"][0, :2]["is_flush"] = 0, 1
    tree.clock[0]["jobs"] = 2
    assert not at_work(tree, 0)
    assert at_work(tree, 1)
    tree.clock[0]["jobs"] = 1
    assert at_work(tree, 0)


def test_memtables_of_leveldb_wait_for_the_only_thread() -> None:
    outcome = run_phases({}, [LEVELDB], replace(FREE, flush_us=50_000.0), Machine(2))
    assert outcome.stopped > 0.5
    assert outcome.load_s > outcome.flushes * 0.05 * 0.9


# ---------------------------------------------------------------- FIFO


@pytest.mark.parametrize("limit", [0, 8 * MIB, 40 * MIB])
def test_what_fifo_compaction_writes_is_kept_or_dropped(limit: int) -> None:
    outcome = kept_only(limit)
    written = outcome.waf * FILL.operations * FILL.pair_bytes
    assert outcome.space_bytes + outcome.dropped_bytes == pytest.approx(written)
    assert outcome.space_bytes <= limit
    assert outcome.space_bytes >= limit - 1.1 * MIB
    assert outcome.compactions == 0


def test_fifo_compaction_loses_more_keys_the_less_it_keeps() -> None:
    lost = [kept_only(size * MIB).lost_keys for size in (1000, 60, 30, 10, 0)]
    assert lost[0] == 0
    assert lost == sorted(lost)
    assert lost[-1] == pytest.approx(FILL.keys * (1 - math.exp(-1)))


def test_keys_that_fifo_compaction_has_in_younger_files_are_not_lost() -> None:
    often = kept_only(40 * MIB, keys=10_000)
    assert often.dropped_bytes > 0
    assert often.lost_keys < 10  # each was written ten times in what is kept
    once = kept_only(40 * MIB, order=Order.UNIQUE)
    share = once.dropped_bytes / (once.dropped_bytes + once.space_bytes)
    assert once.lost_keys == pytest.approx(FILL.operations * share)


def test_fifo_compaction_deletes_what_is_too_old() -> None:
    writes = replace(FILL, rate=10_000.0, fifo=Fifo(1e12, ttl_s=5.0))
    outcome = run_phases(FIFO, [writes], FREE, MANY)
    assert outcome.space_bytes == pytest.approx(5.0 * 10_000 * 425, abs=2 * MIB)


def test_files_of_fifo_compaction_hold_no_writes_back() -> None:
    outcome = kept_only(1e12)
    assert outcome.flushes > 36  # level0_stop_writes_trigger
    assert not outcome.stalls
    assert outcome.runs > 36


def test_more_files_than_there_is_room_for_stand_in_one_row() -> None:
    many = replace(FILL, keys=2_000_000, operations=2_000_000, fifo=Fifo(1e12))
    options: dict[str, Value] = {**FIFO, "write_buffer_size": MIB // 4}
    tree, outcome = filled(many, options), run_phases(options, [many], FREE, MANY)
    assert outcome.flushes > 3000
    assert tree.files[0, : tree.counts[0], LEVEL].sum() == outcome.flushes
    assert outcome.space_bytes == pytest.approx(outcome.waf * many.operations * many.pair_bytes)
    half = run_phases(options, [replace(many, fifo=Fifo(outcome.space_bytes / 2))], FREE, MANY)
    assert half.space_bytes + half.dropped_bytes == pytest.approx(outcome.space_bytes)
    assert half.space_bytes == pytest.approx(outcome.space_bytes / 2, rel=0.01)


def test_small_files_are_merged_where_fifo_compaction_may() -> None:
    options: dict[str, Value] = {**FIFO, "compression_type": "snappy"}
    apart = run_phases(options, [replace(FILL, fifo=Fifo(1e12))], FREE, MANY)
    merged = run_phases(options, [replace(FILL, fifo=Fifo(1e12, merges=True))], FREE, MANY)
    assert merged.runs < 0.5 * apart.runs
    assert merged.waf > 1.5 * apart.waf


# ---------------------------------------------------------------- blob files


@pytest.mark.parametrize("options", [{}, {"compaction_style": "universal"}, {"max_background_jobs": 8}])
def test_each_value_in_a_table_lies_in_one_slot(options: dict[str, Value]) -> None:
    tree = filled(VALUES, {**BLOBS_APART, "blob_garbage_collection_age_cutoff": 0.5, **options})
    first = tree.files.shape[2] - MOST_SLOTS
    used = np.zeros(MOST_SLOTS)
    for level in range(len(tree.counts)):
        rows = tree.files[level, : tree.counts[level]]
        assert rows[:, first:].sum(axis=1) == pytest.approx(rows[:, FIRST], rel=1e-6)
        used += rows[:, first:].sum(axis=0)
    slots = int(tree.clock[0]["slots"])
    assert tree.slots[:slots, USED] == pytest.approx(used[:slots], abs=1e-3)
    assert used[slots:].sum() == 0
    assert (tree.slots[:slots, USED] <= tree.slots[:slots, BLOBS] * (1 + 1e-6)).all(), "no more is used than is there"


def test_blob_files_hold_what_was_written_where_nothing_dies() -> None:
    once, whole = replace(VALUES, order=Order.UNIQUE), VALUES.operations * (16 + 1000 + 32)
    left = run_phases({**BLOBS_APART, "enable_blob_garbage_collection": False}, [once], FREE, MANY)
    assert left.blob_bytes == pytest.approx(whole, rel=1e-6)
    # A file stays until its last value has been moved.
    assert (
        run_phases({**BLOBS_APART, "blob_garbage_collection_age_cutoff": 1.0}, [once], FREE, MANY).blob_bytes >= whole
    )
    loaded = replace(VALUES, order=Order.SEQUENTIAL, operations=VALUES.keys)
    assert run_phases(BLOBS_APART, [loaded], FREE, MANY).blob_bytes == pytest.approx(VALUES.keys * 1048, rel=0.01)


def test_collecting_more_blob_files_takes_writes_and_saves_space() -> None:
    none = collected(enable_blob_garbage_collection=False)
    found = [none, *(collected(blob_garbage_collection_age_cutoff=share) for share in (0.1, 0.5, 1.0))]
    wafs, spaces = [each.waf for each in found], [each.space_bytes for each in found]
    assert wafs == sorted(wafs)
    assert spaces == sorted(spaces, reverse=True)
    live = VALUES.keys * 0.95 * 1048
    assert spaces[0] > 2 * live
    assert found[-1].blob_bytes >= live * 0.95


def test_garbage_beyond_a_share_forces_compactions() -> None:
    usual = collected()
    forced = collected(blob_garbage_collection_force_threshold=0.2)
    assert forced.space_bytes < usual.space_bytes
    assert forced.waf > usual.waf
    assert not forced.is_stuck


def test_overwritten_values_of_an_ordered_load_become_garbage() -> None:
    loaded = replace(VALUES, order=Order.SEQUENTIAL, operations=VALUES.keys)
    plain: dict[str, Value] = {**BLOBS_APART, "enable_blob_garbage_collection": False}
    apart = run_phases(plain, [loaded, VALUES], FREE, MANY)
    half = run_phases({**BLOBS_APART, "blob_garbage_collection_age_cutoff": 0.5}, [loaded, VALUES], FREE, MANY)
    assert apart.blob_bytes > 3 * VALUES.keys * 1048
    assert VALUES.keys * 1048 * 0.95 < half.blob_bytes < 0.75 * apart.blob_bytes


# ---------------------------------------------------------------- the engines


def test_leveldb_writes_and_keeps_about_as_much(tmp_path: Path) -> None:
    """A real LevelDB: 150,000 pairs of 416 B; what its last memtable holds stays in the log."""
    argv = [str(find_leveldb_bench()), "--num=150000", "--value_size=400", f"--db={tmp_path / 'db'}"]
    waiting = ",".join(["crc32c"] * 8)  # the database is left alone while it compacts
    argv = [*argv, f"--benchmarks=fillrandom,{waiting}", "--write_buffer_size=1048576", "--compression_ratio=1"]
    subprocess.run(argv, check=True, capture_output=True, timeout=300)
    log = read_log((tmp_path / "db" / "LOG").read_text().splitlines())
    written = sum(each.bytes for each in log.flushes) + sum(each.output_bytes for each in log.compactions)
    writes = replace(LEVELDB, keys=150_000, operations=150_000, compression_ratio=1.0)
    said = run_phases({"write_buffer_size": MIB}, [writes])
    assert written / (writes.operations * writes.pair_bytes) == pytest.approx(said.waf, rel=0.5)
    assert sum(each.bytes for each in log.flushes) == pytest.approx(writes.operations * 416, rel=0.05)


def rocksdb(folder: Path, benchmarks: str, *flags: str) -> tuple[str, float, float]:
    """Run db_bench; return what it printed, and the bytes that it wrote and kept."""
    argv = [str(find_db_bench()), f"--benchmarks={benchmarks}", f"--db={folder}", "--key_size=16", *flags]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=300)
    lines = (folder / "LOG").read_text().splitlines()
    events = [json.loads(line.partition("EVENT_LOG_v1 ")[2]) for line in lines if "EVENT_LOG_v1" in line]
    written = sum(each["file_size"] for each in events if each["event"] == "table_file_creation")
    written += sum(each["total_blob_bytes"] for each in events if each["event"] == "blob_file_creation")
    return (
        done.stdout,
        written,
        sum(path.stat().st_size for path in folder.iterdir() if path.suffix in (".sst", ".blob")),
    )


def test_a_real_fifo_compaction_keeps_and_loses_about_as_much(tmp_path: Path) -> None:
    flags = ("--compaction_style=2", "--fifo_compaction_max_table_files_size_mb=16", "--compression_type=none")
    sizes = ("--num=100000", "--value_size=400", "--write_buffer_size=1048576", "--reads=5000")
    limited = (*flags, *sizes, "--fifo_compaction_allow_compaction=false")
    out, written, space = rocksdb(tmp_path / "db", "fillrandom,flush,readrandom", *limited)
    writes = replace(FILL, keys=100_000, operations=100_000, fifo=Fifo(16 * MIB))
    said = run_phases(FIFO, [writes])
    found = re.search(r"\((\d+) of (\d+) found\)", out)
    assert found is not None
    assert written / (writes.operations * writes.pair_bytes) == pytest.approx(said.waf, rel=0.05)
    assert space == pytest.approx(said.space_bytes, rel=0.15)
    still = (writes.keys * (1 - math.exp(-1)) - said.lost_keys) / writes.keys
    assert int(found[1]) / int(found[2]) == pytest.approx(still, rel=0.15)


def test_real_blob_files_are_collected_about_as_much(tmp_path: Path) -> None:
    """How far compactions fall behind decides how much is collected when: what is left swings, but not the order."""
    collection = ("--enable_blob_garbage_collection=true", "--blob_garbage_collection_age_cutoff=0.5")
    tables = ("--write_buffer_size=1048576", "--target_file_size_base=262144", "--max_bytes_for_level_base=524288")
    sizes = ("--num=40000", "--writes=120000", "--value_size=1000", "--compression_type=none")
    flags = ("--enable_blob_files=true", *tables, *sizes)
    benchmarks = "fillrandom,flush,waitforcompaction"
    _, kept_written, kept_space = rocksdb(tmp_path / "kept", benchmarks, *flags)
    _, written, space = rocksdb(tmp_path / "collected", benchmarks, *flags, *collection)
    kept = run_phases({**BLOBS_APART, "enable_blob_garbage_collection": False}, [VALUES])
    said = run_phases({**BLOBS_APART, "blob_garbage_collection_age_cutoff": 0.5}, [VALUES])
    user = VALUES.operations * VALUES.pair_bytes
    assert kept_written / user == pytest.approx(kept.waf, rel=0.2)
    assert kept_space == pytest.approx(kept.space_bytes, rel=0.2)
    assert 1 < written / kept_written < 2 * said.waf / kept.waf
    assert said.space_bytes < kept.space_bytes
    assert 0.5 * said.space_bytes < space < 0.95 * kept_space
