"""A search proposes nothing that passes a bound on memory: at a scale that is one on what is computed for full size."""

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lsmtune.errors import SamplerError
from lsmtune.experiment import parse_experiment
from lsmtune.full_size import FullSize
from lsmtune.indicators import Guard, Limit
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.samplers import SAMPLERS, Trial, make_sampler
from lsmtune.space import Space, build_space, catalogue, library_values
from lsmtune.study import _memory, prepare
from lsmtune.study.plans._designs import design_points
from lsmtune.testing import fake_db_bench

MIB = 1 << 20
NAMES = ("write_buffer_size", "max_write_buffer_number", "min_write_buffer_number_to_merge")
FILL = Workload(("fillrandom",), "fillrandom", num=100_000_000, key_size_bytes=16, value_size_bytes=84)
READ = replace(FILL, load=("fillseq",), benchmarks=("readrandom",), measure="readrandom")
WHOLE, SCALED = Fraction(1), Fraction(1, 64)
BUILD = EngineBuild("rocksdb", "7.8.3", Path("/usr/bin/db_bench"), "0123456789abcdef", False, ("snappy", "zstd"), ())


def limit(mib: int) -> tuple[Limit, ...]:
    return (Limit("memory_peak_bytes", "<=", mib * MIB), Limit("space_amp", "<=", 1.5))


def space_of(names: tuple[str, ...] = NAMES, **reference: Value) -> Space:
    known = catalogue("rocksdb").for_version((7, 8, 3))
    return build_space(known, names, {**library_values(known, (7, 8, 3)), **reference})


def full_size(space: Space, workload: Workload, scale: Fraction) -> FullSize:
    return FullSize(BUILD, workload, scale, space.reference)


def fit_memory(
    space: Space, bounds: Iterable[Guard | Limit], workload: Workload, scale: Fraction
) -> tuple[Space, tuple[str, ...]]:
    return _memory.fit_memory(space, bounds, full_size(space, workload, scale))


def drawn(space: Space, name: str) -> int:
    rng = np.random.default_rng(1)
    return max(int({**space.reference, **space.sample(rng)}[name]) for _ in range(300))


def test_no_draw_has_a_memtable_beyond_the_limit() -> None:
    assert drawn(space_of(), "write_buffer_size") > 400 * MIB
    fitted, notes = fit_memory(space_of(), limit(150), FILL, WHOLE)
    assert drawn(fitted, "write_buffer_size") <= 200 * MIB  # three quarters of it are sure to be filled
    assert len(notes) == 1


def test_the_share_that_is_left_out_is_said_with_the_limit() -> None:
    space, rng = space_of(), np.random.default_rng(7)
    fitted, (note,) = fit_memory(space, limit(150), FILL, WHOLE)
    share = float(note.partition(" %")[0])
    points = [space.from_unit(rng.random(len(NAMES))) for _ in range(4000)]
    feasible = [point for point in points if not space.violations(point)]
    out = sum(bool(fitted.violations(point)) for point in feasible) / len(feasible)
    assert share == pytest.approx(100 * out, abs=3)
    assert "where one full memtable or the memtables of one flush alone would pass the limit of 150 MiB" in note


def test_at_a_scale_a_limit_is_one_on_computed_memory_and_all_that_is_left_keeps_it() -> None:
    space = space_of((*NAMES, "block_size"))
    fitted, (note,) = fit_memory(space, limit(400), FILL, SCALED)
    rng, need = np.random.default_rng(3), full_size(space, FILL, SCALED).memory
    needs = [need(fitted.sample(rng)) for _ in range(300)]
    assert max(memory.total_bytes for memory in needs if memory) <= 400 * MIB
    assert max(memory.total_bytes for memory in needs if memory) > 300 * MIB
    assert "would be above 400 MiB: the limit on memory_peak_bytes is 400 MiB" in note
    out, of = (
        int(text.split()[-1].strip("(").replace(",", "")) for text in note.split(" configurations")[0].split(" of ")[1:]
    )
    assert 0 < out < of


def test_what_is_broken_is_said_with_its_values() -> None:
    fitted, _ = fit_memory(space_of(), limit(400), FILL, SCALED)
    (said,) = fitted.violations({"write_buffer_size": 512 * MIB, "max_write_buffer_number": 8})
    assert said.startswith("memory at full size <= 400 MiB is broken: it is 4.0")
    assert "max_write_buffer_number = 8, write_buffer_size = 512 MiB" in said


def test_a_guard_on_memory_bounds_it_by_the_reference() -> None:
    space = space_of()
    fitted, (note,) = fit_memory(space, (Guard("memory_peak_bytes", 1.0),), FILL, SCALED)
    reference = full_size(space, FILL, SCALED).memory({})
    assert reference is not None
    rng = np.random.default_rng(3)
    for _ in range(100):
        memory = full_size(space, FILL, SCALED).memory(fitted.sample(rng))
        assert memory is not None
        assert memory.total_bytes <= reference.total_bytes
    assert not fitted.violations({})
    assert "the guard on memory_peak_bytes allows 1.00x the reference's" in note


@cache
def fitted_scaled(bounds: tuple[Guard | Limit, ...]) -> tuple[Space, Space]:
    """A space of three options, and what bounds leave of it at a scale: the same for all samplers."""
    space = space_of(("write_buffer_size", "max_write_buffer_number", "compression_type"))
    return space, fit_memory(space, bounds, FILL, SCALED)[0]


@pytest.mark.parametrize("name", sorted(SAMPLERS))
def test_no_sampler_proposes_what_cannot_fit(name: str) -> None:
    _, fitted = fitted_scaled(limit(400))
    sampler = make_sampler(name, fitted, 1, 4)
    assert not any(fitted.violations(sampler.ask()) for _ in range(6))


@pytest.mark.parametrize("name", sorted(SAMPLERS))
def test_no_sampler_is_led_beyond_a_guard_on_memory_by_gains_that_lie_there(name: str) -> None:
    space, fitted = fitted_scaled((Guard("memory_peak_bytes", 1.0),))
    need = full_size(space, FILL, SCALED).memory
    most = need({})
    assert most is not None
    sampler = make_sampler(name, fitted, 1, 4)
    for _ in range(8):
        values = sampler.ask()
        memory = need(values)
        assert memory is not None
        assert memory.total_bytes <= most.total_bytes
        sampler.tell(Trial(values, -math.log(memory.total_bytes / most.total_bytes)))


@pytest.mark.parametrize("design", ["sobol", "lhs", "random", "plackett-burman"])
def test_no_design_has_points_that_cannot_fit(design: str) -> None:
    fitted, _ = fit_memory(space_of(), (Guard("memory_peak_bytes", 1.0),), FILL, SCALED)
    points = design_points(fitted, design, 16, 1)
    assert points
    assert not any(fitted.violations(point.values) for point in points)


@pytest.mark.parametrize("name", ["agp", "random"])
def test_where_nothing_fits_that_is_said_with_what_one_would_need(name: str) -> None:
    fitted, notes = fit_memory(space_of(), limit(1), FILL, SCALED)
    assert notes[0].startswith("100.0 % of the space is left out")
    with pytest.raises(SamplerError, match="for example memory at full size <= 1 MiB is broken: it is"):
        make_sampler(name, fitted, 1, 4).ask()


def test_at_full_size_a_guard_leaves_out_what_surely_passes_all_that_it_can_allow() -> None:
    fitted, (note,) = fit_memory(space_of(), (Guard("memory_peak_bytes", 1.0),), FILL, WHOLE)
    reference = full_size(space_of(), FILL, WHOLE).memory({})
    assert reference is not None
    assert drawn(space_of(), "write_buffer_size") > 400 * MIB
    assert drawn(fitted, "write_buffer_size") <= 1.25 * reference.total_bytes / 0.75
    assert not fitted.violations({})
    assert "the most that the guard on memory_peak_bytes can come to" in note


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


def test_a_reference_beyond_a_computed_limit_is_said_with_what_it_needs() -> None:
    _, notes = fit_memory(space_of(write_buffer_size=512 * MIB), limit(400), FILL, SCALED)
    assert notes[-1].startswith("the reference itself needs 1.0")


def test_a_prepared_search_says_it_first_and_starts_from_the_bounded_space(tmp_path: Path) -> None:
    text = """
        scale = "1/16"
        [workload]
        benchmarks = "fillrandom"
        num = "40M"
        [space]
        options = ["write_buffer_size", "block_size"]
        [guards]
        memory_peak_bytes = "<= 320MiB"
    """
    experiment = parse_experiment(text, tmp_path / "fill.toml")
    prepared = prepare(experiment, fake_db_bench.install(tmp_path)).searching()
    said = list(prepared.introduction(tmp_path))
    assert len([sentence for sentence in said if "of the space is left out" in sentence]) == 1
    assert "bounds on memory are of full size, 16 times the data of a run" in " ".join(said)
    largest = drawn(prepared.search_settings().space, "write_buffer_size")
    assert 2 * largest <= 320 * MIB
    assert largest > 64 * MIB
