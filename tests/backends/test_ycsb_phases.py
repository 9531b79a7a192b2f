"""The phases of a workload, as the driver runs them, and how large its records are."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from ycsb_builders import LOAD_AND_A, bench

from lsmtune.backends.ycsb import CORE_WORKLOADS, record_bytes, unsupported
from lsmtune.backends.ycsb._phases import phases_of
from lsmtune.backends.ycsb._records import ROW_PROPERTIES, sizes_are_known
from lsmtune.errors import UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.model import Workload
from lsmtune.space import library_values

SHARES = ("readproportion", "updateproportion", "scanproportion", "insertproportion", "readmodifywriteproportion")


def of(*names: str, flags: dict[str, str] | None = None, **phases: dict[str, str]) -> Workload:
    own = tuple((name, tuple(properties.items())) for name, properties in phases.items())
    return replace(LOAD_AND_A, benchmarks=names, measure=names[-1], flags=tuple((flags or {}).items()), phases=own)


def test_the_shares_of_each_core_workload_add_up_to_one() -> None:
    for letter, properties in CORE_WORKLOADS.items():
        assert sum(float(properties.get(name, "0")) for name in SHARES) == pytest.approx(1.0), letter


def test_core_workloads_are_those_of_the_paper() -> None:
    """Cooper et al. 2010, table 2: operations and distribution of A to E; F came with the code."""
    told = {
        letter: {name.removesuffix("proportion"): float(core[name]) for name in SHARES if float(core.get(name, 0))}
        for letter, core in CORE_WORKLOADS.items()
    }
    assert told == {
        "a": {"read": 0.5, "update": 0.5},
        "b": {"read": 0.95, "update": 0.05},
        "c": {"read": 1.0},
        "d": {"read": 0.95, "insert": 0.05},
        "e": {"scan": 0.95, "insert": 0.05},
        "f": {"read": 0.5, "readmodifywrite": 0.5},
    }
    assert [core["requestdistribution"] for core in CORE_WORKLOADS.values()] == ["zipfian"] * 3 + [
        "latest",
        "zipfian",
        "zipfian",
    ]


def test_only_c_of_the_core_workloads_writes_nothing() -> None:
    assert [phase.name for phase in phases_of(of(*"abcdef")) if not phase.may_write] == ["c"]


@pytest.mark.parametrize("does", ["read", "scan", "update", "readmodifywrite"])
def test_a_phase_reads_where_it_looks_for_records(does: str) -> None:
    """An update of the driver reads the record that it changes."""
    idle = {f"{each}proportion": "0" for each in ("read", "scan", "update", "readmodifywrite")}
    inserts = {**idle, "insertproportion": "1"}
    phases = phases_of(of("load", "x", "y", x=inserts, y={**inserts, f"{does}proportion": "0.1"}))
    assert [phase.may_read for phase in phases] == [False, False, True]


def test_a_phase_of_ones_own_updates_unless_it_says_that_it_does_not() -> None:
    """YCSB updates with 5 % of the operations where nothing is said."""
    phases = phases_of(
        of("x", "y", "z", x={"readproportion": "1"}, y={"updateproportion": "0"}, z={"updateproportion": "?"})
    )
    assert [phase.may_write for phase in phases] == [True, False, True]


def test_properties_of_a_phase_win_over_common_ones_and_those_over_a_core_workload_s() -> None:
    common = {"requestdistribution": "uniform", "fieldlength": "50"}
    own = {"requestdistribution": "hotspot", "readproportion": "1", "updateproportion": "0"}
    core, phase = phases_of(of("a", "mine", flags=common, mine=own))
    assert core.properties == {**CORE_WORKLOADS["a"], "requestdistribution": "uniform"}
    assert phase.properties == own


@pytest.mark.parametrize(
    ("phase", "hint"),
    [("laod", "did you mean load"), ("nightlyy", "did you mean nightly"), ("q", "there are load, settle, a, b, c")],
)
def test_an_unknown_phase_is_refused_with_names_that_are_near(phase: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f'"{phase}" is not a phase of YCSB; {hint}'):
        bench("leveldb", of(phase, nightly={}))


def test_a_name_that_would_break_the_list_of_phases_is_refused() -> None:
    with pytest.raises(UsageError, match="rename it"):
        bench("leveldb", of("a,b", **{"a,b": {}}))


def test_data_is_built_by_a_load_alone() -> None:
    with pytest.raises(UsageError, match='"fillrandom" does not build the data of YCSB; write "load"'):
        bench("rocksdb", replace(LOAD_AND_A, load=("fillrandom",)))


def test_records_are_as_large_as_the_driver_made_them() -> None:
    """20000 records of rocksdb.jsonl are 23257596 B; hashes with fewer than 19 digits make keys 0.12 B shorter."""
    key, row = record_bytes({})
    assert (key, row) == (23, 1140)
    assert key + row == pytest.approx(23_257_596 / 20_000, abs=0.2)


@pytest.mark.parametrize(
    ("properties", "records", "expected"),
    [
        ({"fieldcount": "1", "fieldlength": "1000"}, None, (23, 4 + 6 + 4 + 1000)),
        ({"fieldcount": "12", "fieldlength": "0", "fieldnameprefix": "f"}, None, (23, 10 * 10 + 2 * 11)),
        ({"fieldlengthdistribution": "uniform", "minfieldlength": "50"}, None, (23, 10 * (4 + 6 + 4 + 75))),
        ({"field_len_dist": "zipfian"}, None, (23, 1140)),
        ({"insertorder": "ordered"}, 1000, (4 + 3, 1140)),
        ({"insertorder": "ordered", "zeropadding": "12"}, 1000, (16, 1140)),
        ({"zeropadding": "24"}, None, (28, 1140)),
    ],
)
def test_sizes_follow_the_properties(
    properties: dict[str, str], records: int | None, expected: tuple[int, int]
) -> None:
    assert record_bytes(properties, records) == expected


def test_blind_updates_read_nothing() -> None:
    own = (("write", (("updateproportion", "1"), ("readproportion", "0"))),)
    asked = Workload(("write",), "write", num=1000, tool="ycsb", phases=own)
    (looking,) = phases_of(asked)
    (blind,) = phases_of(replace(asked, flags=(("lsmtune.blindupdates", "yes"),)))
    assert (looking.may_read, blind.may_read, blind.may_write) == (True, False, True)


def test_keys_in_order_have_the_digits_of_their_number(tmp_path: Path) -> None:
    text = '[workload]\ntool = "ycsb"\nbenchmarks = ["load"]\nnum = 1000\n'
    text += '[workload.properties]\ninsertorder = "ordered"\n[space]\noptions = ["write_buffer_size"]\n'
    assert parse_experiment(text, tmp_path / "e.toml").workload().key_size_bytes == 7


def test_sizes_of_uneven_fields_are_not_known() -> None:
    assert sizes_are_known({"fieldlengthdistribution": "uniform"})
    assert not sizes_are_known({"field_len_dist": "zipfian"})
    assert sizes_are_known({"field_len_dist": "zipfian", "fieldlengthdistribution": "constant"})


def test_all_that_sizes_of_rows_are_read_from_is_listed() -> None:
    """A phase that states one of these has rows of its own, so that no swept size of a value reaches it."""
    stated, read = {"fieldlengthdistribution": "uniform"}, set()

    class Noted(Mapping[str, str]):
        def __getitem__(self, key: str) -> str:
            read.add(key)
            return stated[key]

        def __iter__(self) -> Iterator[str]:
            return iter(stated)

        def __len__(self) -> int:
            return len(stated)

    record_bytes(Noted())
    assert read - {"insertorder", "zeropadding"} == ROW_PROPERTIES, "the two in front decide about keys alone"


def test_a_count_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match='property "fieldcount" is "ten"; write a whole number'):
        record_bytes({"fieldcount": "ten"})


@pytest.mark.parametrize(("version", "cache", "dynamic"), [("7.8.3", 8 << 20, False), ("11.8.1", 32 << 20, True)])
def test_default_values_are_those_of_the_library_and_not_of_db_bench(version: str, cache: int, dynamic: bool) -> None:
    commands = bench("rocksdb", LOAD_AND_A, version=version).commands
    defaults = library_values(commands.catalogue, commands.build.version_tuple)
    assert (defaults["cache_size"], defaults["level_compaction_dynamic_level_bytes"]) == (cache, dynamic)
    assert (defaults["enable_pipelined_write"], defaults["delayed_write_rate"]) == (False, 16 << 20)


def test_default_values_of_leveldb_are_all_there() -> None:
    commands = bench("leveldb", LOAD_AND_A).commands
    defaults = library_values(commands.catalogue, commands.build.version_tuple)
    assert defaults.keys() == commands.catalogue.options.keys()
    assert (defaults["write_buffer_size"], defaults["compression"]) == (4 << 20, "snappy")


@pytest.mark.parametrize(("engine", "expected"), [("rocksdb", ["cache_type", "row_cache_size"]), ("leveldb", [])])
def test_the_driver_cannot_set_the_kind_of_the_block_cache_and_the_row_cache_and_all_else(
    engine: str, expected: list[str]
) -> None:
    commands = bench(engine, LOAD_AND_A).commands
    options = commands.catalogue.options.values()
    assert [option.name for option in options if unsupported(option, commands.build)] == expected
