"""A search holds no memtables that the data cannot fill."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from lsmtune.experiment import parse_experiment
from lsmtune.model import Settle, Value, Workload
from lsmtune.space import Override, Space, build_space, catalogue, library_values
from lsmtune.study import prepare
from lsmtune.study._memtables import fit_memtables, written_bytes
from lsmtune.testing.fake_builds import install_build

MIB = 1 << 20
NAMES = ("write_buffer_size", "max_write_buffer_number", "block_size")
FILL = Workload(("fillrandom",), "fillrandom", num=1000, key_size_bytes=16, value_size_bytes=84)


def space_of(
    engine: str = "rocksdb",
    names: tuple[str, ...] = NAMES,
    ranges: dict[str, Override] | None = None,
    **reference: Value,
) -> Space:
    known = catalogue(engine).for_version((7, 8, 3))
    return build_space(known, names, {**library_values(known, (7, 8, 3)), **reference}, ranges)


def largest(space: Space) -> int:
    """The most that the memtables of 200 draws and of the corners take."""
    rng = np.random.default_rng(1)
    drawn = [space.sample(rng) for _ in range(200)]
    corners = [space.from_unit(np.array(corner)) for corner in product((0.0, 1.0), repeat=len(space))]
    repaired = [found for corner in corners if (found := space.repair(corner)) is not None]
    assert repaired
    values = [{**space.reference, **each} for each in (*drawn, *repaired)]
    return max(int(each["write_buffer_size"]) * int(each.get("max_write_buffer_number", 2)) for each in values)


@pytest.mark.parametrize("data_mib", [200, 333, 1000, 3000])
def test_no_draw_has_memtables_that_hold_the_data(data_mib: int) -> None:
    whole = space_of()
    assert largest(whole) >= 3000 * MIB
    fitted, notes = fit_memtables(whole, data_mib * MIB, ())
    assert largest(fitted) < data_mib * MIB
    assert notes[-1].startswith("all memtables of a trial together stay below the data (")


def test_the_cut_is_said_with_both_ends_and_the_data() -> None:
    fitted, notes = fit_memtables(space_of(), 200 * MIB, ())
    assert notes[0] == (
        "write_buffer_size is searched up to 96 MiB instead of 512 MiB, as the data (200 MiB) does not fill more"
    )
    assert fitted.by_name["write_buffer_size"].high == 96 * MIB
    assert fitted.by_name["max_write_buffer_number"] == space_of().by_name["max_write_buffer_number"]


def test_data_that_fills_all_memtables_leaves_the_space_as_it_is() -> None:
    assert fit_memtables(space_of(), 4097 * MIB, ()) == (space_of(), ())


def test_a_reference_that_holds_the_data_leaves_the_space_as_it_is() -> None:
    assert fit_memtables(space_of(), 128 * MIB, ()) == (space_of(), ())


def test_a_range_of_the_users_own_stays_and_only_the_product_is_bounded() -> None:
    ranges = {"write_buffer_size": Override(low="64MiB", high="256MiB")}
    space = space_of(ranges=ranges)
    fitted, notes = fit_memtables(space, 300 * MIB, {"write_buffer_size"})
    assert fitted.by_name["write_buffer_size"] == space.by_name["write_buffer_size"]
    assert largest(fitted) < 300 * MIB
    assert len(notes) == 1 + (fitted.by_name["max_write_buffer_number"].high != 8)


def test_a_range_of_the_users_own_that_lies_beyond_the_data_is_not_made_impossible() -> None:
    space = space_of(names=("write_buffer_size",), ranges={"write_buffer_size": Override(low="200MiB", high="256MiB")})
    assert fit_memtables(space, 300 * MIB, {"write_buffer_size"}) == (space, ())


def test_leveldb_has_two_memtables() -> None:
    names = ("write_buffer_size", "block_size")
    fitted, notes = fit_memtables(space_of("leveldb", names), 222 * MIB, ())
    assert fitted.by_name["write_buffer_size"].high == 96 * MIB
    assert (len(notes), fitted.constraints) == (1, space_of("leveldb", names).constraints)
    assert largest(fitted) < 222 * MIB


def test_the_memory_of_all_column_families_is_bounded_too() -> None:
    fitted, _ = fit_memtables(space_of(names=("db_write_buffer_size",)), 1000 * MIB, ())
    assert fitted.by_name["db_write_buffer_size"].high == 896 * MIB


def test_each_column_family_has_memtables_for_its_part_of_the_data() -> None:
    fitted, notes = fit_memtables(space_of(), 4000 * MIB, (), 4)
    assert largest(fitted) < 1000 * MIB
    assert notes[-1] == "all memtables of a trial together stay below the data (3.906 GiB in 4 column families)"
    assert fit_memtables(space_of(), 512 * MIB, (), 4) == (space_of(), ())
    together, _ = fit_memtables(space_of(names=("db_write_buffer_size",)), 1000 * MIB, (), 4)
    assert together.by_name["db_write_buffer_size"].high == 896 * MIB


def test_a_search_has_memtables_for_the_column_families_of_db_bench(tmp_path: Path) -> None:
    program = install_build(tmp_path / "bin", "7.8.3")
    text = (
        f'[engine]\ndb_bench = "{program}"\n[workload]\nbenchmarks = "fillrandom"\nnum = "16M"\n'
        '[workload.flags]\nnum_column_families = 4\n[space]\noptions = ["write_buffer_size"]\n'
    )
    (note, *_) = prepare(parse_experiment(text, tmp_path / "e.toml")).searching().notes
    assert note.endswith("as the data (1.729 GiB in 4 column families) does not fill more")


def test_a_space_without_memtables_stays_as_it_is() -> None:
    space = space_of(names=("block_size",))
    assert fit_memtables(space, 200 * MIB, ()) == (space, ())


@pytest.mark.parametrize(
    ("workload", "written"),
    [
        (FILL, 100_000),
        (replace(FILL, load=("fillseq",), benchmarks=("overwrite",), measure="overwrite", operations=5000), 500_000),
        (replace(FILL, load=("fillseq",), benchmarks=("readrandom",), measure="readrandom", operations=50), 100_000),
        (replace(FILL, load=("fillseq",), benchmarks=("overwrite",), measure="overwrite", duration_s=9.0), None),
        (replace(FILL, tool="ycsb", benchmarks=("load", "a"), measure="a", settle=Settle.WAIT), 100_000),
    ],
)
def test_what_a_workload_writes_follows_from_its_keys_and_operations(workload: Workload, written: int | None) -> None:
    assert written_bytes(workload) == written
