"""A search proposes nothing that surely passes a limit on memory."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from lsmtune.experiment import parse_experiment
from lsmtune.indicators import Limit
from lsmtune.model import Value, Workload
from lsmtune.space import Space, build_space, catalogue, library_values
from lsmtune.study import prepare
from lsmtune.study._memory import fit_memory
from lsmtune.testing import fake_db_bench

MIB = 1 << 20
NAMES = ("write_buffer_size", "max_write_buffer_number", "min_write_buffer_number_to_merge")
FILL = Workload(("fillrandom",), "fillrandom", num=100_000_000, key_size_bytes=16, value_size_bytes=84)
READ = replace(FILL, load=("fillseq",), benchmarks=("readrandom",), measure="readrandom")
WHOLE = Fraction(1)


def limit(mib: int) -> tuple[Limit, ...]:
    return (Limit("memory_peak_bytes", "<=", mib * MIB), Limit("space_amp", "<=", 1.5))


def space_of(names: tuple[str, ...] = NAMES, **reference: Value) -> Space:
    known = catalogue("rocksdb").for_version((7, 8, 3))
    return build_space(known, names, {**library_values(known, (7, 8, 3)), **reference})


def drawn(space: Space, name: str) -> int:
    rng = np.random.default_rng(1)
    return max(int({**space.reference, **space.sample(rng)}[name]) for _ in range(300))


def test_no_draw_has_a_memtable_beyond_the_limit() -> None:
    assert drawn(space_of(), "write_buffer_size") > 400 * MIB
    fitted, notes = fit_memory(space_of(), limit(150), FILL, WHOLE)
    assert drawn(fitted, "write_buffer_size") <= 200 * MIB  # three quarters of it are sure to be filled
    assert len(notes) == 1


def test_the_share_that_is_left_out_is_said_with_the_limit() -> None:
    (note,) = fit_memory(space_of(), limit(150), FILL, WHOLE)[1]
    share = float(note.partition(" %")[0])
    rng = np.random.default_rng(7)
    points = [space_of().from_unit(rng.random(len(NAMES))) for _ in range(4000)]
    fitted, _ = fit_memory(space_of(), limit(150), FILL, WHOLE)
    feasible = [point for point in points if not space_of().violations(point)]
    out = sum(bool(fitted.violations(point)) for point in feasible) / len(feasible)
    assert share == pytest.approx(100 * out, abs=3)
    assert "where one full memtable or the memtables of one flush alone would pass the limit of 150 MiB" in note


def test_a_limit_at_the_scale_of_the_run_is_held_against_scaled_memtables() -> None:
    fitted, _ = fit_memory(space_of(), limit(10), FILL, Fraction(1, 64))
    assert 200 * MIB < drawn(fitted, "write_buffer_size") <= 512 * MIB  # 8 MiB in the run
    assert fit_memory(space_of(), limit(150), FILL, Fraction(1, 64)) == (space_of(), ())


def test_reads_that_fill_the_cache_bound_it() -> None:
    names = ("cache_size", "block_size")
    fitted, _ = fit_memory(space_of(names), limit(500), READ, WHOLE)
    assert 400 * MIB < drawn(fitted, "cache_size") <= 560 * MIB
    skewed = (("read_random_exp_range", "25"),)
    for other in (replace(READ, operations=1000), replace(READ, flags=skewed)):
        assert fit_memory(space_of(names), limit(500), other, WHOLE) == (space_of(names), ())


@pytest.mark.parametrize(
    "workload",
    [
        replace(FILL, duration_s=30.0),
        replace(FILL, num=1000),
        replace(FILL, operations=1000),
        replace(FILL, flags=(("value_size_distribution_type", "normal"),)),
        READ,
    ],
)
def test_what_may_not_be_filled_is_not_left_out(workload: Workload) -> None:
    assert fit_memory(space_of(), limit(150), workload, WHOLE) == (space_of(), ())


def test_without_a_limit_on_memory_the_space_stays_as_it_is() -> None:
    lower = (Limit("memory_peak_bytes", ">=", MIB),)
    assert fit_memory(space_of(), (), FILL, WHOLE) == (space_of(), ())
    assert fit_memory(space_of(), lower, FILL, WHOLE) == (space_of(), ())


def test_a_reference_that_cannot_fit_is_said_and_the_search_goes_on_with_what_may() -> None:
    space = space_of(write_buffer_size=512 * MIB)
    fitted, notes = fit_memory(space, limit(150), FILL, WHOLE)
    assert notes[-1] == "the reference itself surely needs more than 150 MiB"
    assert drawn(fitted, "write_buffer_size") <= 200 * MIB


def test_a_prepared_search_says_it_first_and_starts_from_the_bounded_space(tmp_path: Path) -> None:
    text = """
        scale = "1/16"
        [workload]
        benchmarks = "fillrandom"
        num = "40M"
        [space]
        options = ["write_buffer_size", "block_size"]
        [guards]
        memory_peak_bytes = "<= 20MiB"
    """
    experiment = parse_experiment(text, tmp_path / "fill.toml")
    prepared = prepare(experiment, fake_db_bench.install(tmp_path)).searching()
    said = [sentence for sentence in prepared.introduction(tmp_path) if "of the space is left out" in sentence]
    assert len(said) == 1
    assert "20 MiB" in said[0]
    assert drawn(prepared.search_settings().space, "write_buffer_size") * Fraction(3, 64) <= 20 * MIB
