"""Memory and space of configurations at full size: computed, and extrapolated from runs at a scale."""

from dataclasses import replace
from fractions import Fraction

import pytest
from full_size_builders import BUILD, FILL, KNOWN, LEVELED, MEASURED, MIB, SCALE, UNIVERSAL, full_size

from lsmtune import extras
from lsmtune.backends.registry import backend_of
from lsmtune.full_size import FullSize, described_writes
from lsmtune.lsm_model.tree import run_phases
from lsmtune.model import (
    FULL_SIZE_OPTIONS,
    Configuration,
    Measurement,
    Outcome,
    Purpose,
    Run,
    Settle,
    Status,
    Value,
    Workload,
)
from lsmtune.space import library_values, scale_values
from lsmtune.study import Figures, bounds_at_full_size
from lsmtune.testing import fake_rules

KEEPING_256_MIB = """[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[CFOptions "default"]
  compaction_style=kCompactionStyleFIFO
  compaction_options_fifo={allow_compaction=false;max_table_files_size=268435456;}
"""


def test_eight_large_memtables_take_many_times_the_defaults_memory_whatever_the_scale_hides() -> None:
    reference, winner = (full_size().memory(values) for values in ({}, UNIVERSAL))
    assert reference is not None
    assert winner is not None
    assert winner.total_bytes > 8 * 512 * MIB
    assert winner.total_bytes / reference.total_bytes > 7.4
    assert full_size().figures(UNIVERSAL, MEASURED)["memory_full_size_bytes"] == winner.total_bytes


def test_memory_under_fifo_compaction_is_that_of_what_it_keeps() -> None:
    values: dict[str, Value] = {"compaction_style": "fifo", "compression_type": "none", "bloom_bits": 10}

    def filter_bytes(computes: FullSize) -> int | None:
        memory = computes.memory(values)
        return None if memory is None else memory.by_name["filters"].bytes

    def limited(mib: int) -> FullSize:
        return full_size(replace(FILL, flags=(("fifo_compaction_max_table_files_size_mb", str(mib)),)))

    assert filter_bytes(limited(512)) == pytest.approx(512 * MIB / FILL.pair_bytes * 10 / 8, rel=0.05)
    assert filter_bytes(limited(100_000)) == FILL.num * 10 / 8
    file = replace(limited(512), options_file=KEEPING_256_MIB)
    assert filter_bytes(file) == pytest.approx(256 * MIB / FILL.pair_bytes * 10 / 8, rel=0.05)


@pytest.mark.parametrize(("table", "cache_mib"), [("", 8), ("  no_block_cache=true\n", 0)])
def test_a_cache_that_is_left_to_the_options_file_takes_memory_as_rocksdbs_own(table: str, cache_mib: int) -> None:
    text = f'{KEEPING_256_MIB}[TableOptions/BlockBasedTable "default"]\n{table}'
    reads = replace(FILL, load=("fillrandom",), benchmarks=("readrandom",), measure="readrandom")
    need = replace(full_size(reads), options_file=text).memory({"cache_size": -1})
    assert need is not None
    assert sum(part.bytes or 0 for part in need.parts if part.name == "block cache") == cache_mib * MIB


def test_each_column_family_of_db_bench_has_its_memtables() -> None:
    alone = full_size().memory({})
    several = full_size(replace(FILL, flags=(("num_column_families", "4"),))).memory({})
    assert alone is not None
    assert several is not None
    memtables = [part.bytes for part in several.parts if part.name.startswith("memtables of ")]
    assert memtables == [alone.by_name["memtables"].bytes] * 4
    assert several.by_name["indexes of column_family_name_000003"].bytes == pytest.approx(
        (alone.by_name["indexes"].bytes or 0) / 4, rel=1e-6
    )


def test_runs_keep_under_fifo_compaction_as_much_less_as_they_have_less_data() -> None:
    (phase,) = described_writes(backend_of(BUILD), FILL, SCALE, KEEPING_256_MIB)
    assert phase.fifo.most_bytes == 4 * MIB


def test_space_is_what_was_measured_times_how_the_model_grows() -> None:
    phases = [backend_of(BUILD).tree_writes(FILL, scale) for scale in (SCALE, Fraction(1))]
    whole = {**library_values(KNOWN, (7, 8, 3)), **LEVELED}
    scaled, _ = scale_values(KNOWN.options, whole, SCALE)
    small, large = run_phases(scaled, phases[0]), run_phases(whole, phases[1])
    found = full_size().figures(LEVELED, MEASURED)
    grown = large.space_bytes / small.space_bytes
    assert found["space_full_size_bytes"] == pytest.approx(80e6 * grown)
    assert found["space_peak_full_size_bytes"] == pytest.approx(100e6 * large.space_peak_bytes / small.space_peak_bytes)
    assert found["space_amp_full_size"] == pytest.approx(0.64 * grown / 64)
    assert 50 < grown < 80


def test_runs_of_full_size_need_nothing_computed() -> None:
    assert full_size(scale=Fraction(1)).figures(LEVELED, MEASURED) == {}


def test_a_run_with_less_data_is_extrapolated_further() -> None:
    whole, quarter = (full_size().figures(LEVELED, MEASURED, rung) for rung in (Fraction(1), Fraction(1, 4)))
    assert quarter["space_full_size_bytes"] / whole["space_full_size_bytes"] == pytest.approx(4, rel=0.2)
    assert quarter["memory_full_size_bytes"] == whole["memory_full_size_bytes"]


def test_what_was_not_measured_is_not_extrapolated() -> None:
    assert "space_amp_full_size" not in full_size().figures(LEVELED, {**MEASURED, "space_amp": None})


@pytest.mark.parametrize(
    ("workload", "why"),
    [
        (replace(FILL, benchmarks=("deleteseq",), measure="deleteseq", load=("fillseq",)), '"deleteseq" writes'),
        (replace(FILL, settle=Settle.NONE), "before what is due has run"),
    ],
)
def test_what_the_model_does_not_describe_is_carried_over_in_proportion(workload: Workload, why: str) -> None:
    found = full_size(workload)
    assert why in found.untold
    assert found.figures(LEVELED, MEASURED)["space_full_size_bytes"] == 80e6 * 64
    assert not found.space(LEVELED).modelled


def test_another_style_of_compaction_is_carried_over_in_proportion() -> None:
    found = full_size()
    assert not found.untold
    assert found.space({"compaction_style": "fifo"}).steady == 64
    assert found.space(LEVELED).modelled


def test_space_under_fifo_compaction_ends_at_a_limit_that_did_not_shrink_with_the_data() -> None:
    shrunk = full_size(replace(FILL, flags=(("fifo_compaction_max_table_files_size_mb", "1024"),)))
    fifo: dict[str, Value] = {"compaction_style": "fifo"}
    found = replace(shrunk, shrinks_tree=False).figures(fifo, MEASURED)
    assert found["space_full_size_bytes"] == 1024 * MIB
    assert found["space_peak_full_size_bytes"] == 1024 * MIB + 20e6
    assert found["space_amp_full_size"] == MEASURED["space_amp"]
    assert shrunk.figures(fifo, MEASURED)["space_full_size_bytes"] == 80e6 * 64


def test_an_engine_whose_growth_was_never_held_against_runs_has_its_memory_computed() -> None:
    build = replace(BUILD, engine="leveldb", version="1.23")
    found = FullSize(build, FILL, SCALE, {"write_buffer_size": 64 * MIB})
    assert "no runs of this engine at several scales" in found.untold
    assert found.figures({}, MEASURED)["memory_full_size_bytes"] > 2 * 64 * MIB
    assert not found.space({}).modelled


def test_without_the_library_of_the_model_space_is_carried_over_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert "needs numba" in full_size().untold
    assert full_size().figures(LEVELED, MEASURED)["space_full_size_bytes"] == 80e6 * 64


def test_runs_with_options_of_full_size_have_their_tree_extrapolated_from_there() -> None:
    shrunk = full_size()
    whole = replace(shrunk, shrinks_tree=False)
    phases = backend_of(BUILD).tree_writes(FILL, SCALE)
    values = {**library_values(KNOWN, (7, 8, 3)), **LEVELED}
    large = run_phases(values, backend_of(BUILD).tree_writes(FILL, Fraction(1)))
    found = whole.figures(LEVELED, MEASURED)
    assert found["space_full_size_bytes"] == pytest.approx(
        80e6 * large.space_bytes / run_phases(values, phases).space_bytes
    )
    assert found["memory_full_size_bytes"] == shrunk.figures(LEVELED, MEASURED)["memory_full_size_bytes"]


@pytest.mark.parametrize(("scenario", "told"), [({FULL_SIZE_OPTIONS: True}, True), ({"threads": 2}, False)])
def test_figures_are_told_of_larger_scales_and_of_no_other_workload(scenario: dict[str, bool], told: bool) -> None:
    rules = replace(fake_rules(), full_size=bounds_at_full_size(full_size()))
    figures = Figures.of(full_size(), {}, rules)
    assert figures is not None
    run = Run(1, Purpose.CLIMB, "a", 0, Configuration.of(LEVELED), 1, 1, tuple(scenario.items()), Fraction(4))
    outcome = figures.added(run, Outcome(Status.OK, 0, 1, "", Measurement(MEASURED)))
    assert outcome.measurement is not None
    assert ("space_full_size_bytes" in outcome.measurement.indicators) == told
