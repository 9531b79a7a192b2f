"""What is known of the values of single options: how the table is read, and that the one of RocksDB stands for it."""

import importlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsmtune.model import Value
from lsmtune.space import catalogue, effects_of
from lsmtune.space._effects import read_effects

ROOT = Path(__file__).parents[2]
SETS = ROOT / "reproductions" / "samplers" / "sets"
TABLE = """option\tvalue\twrites waf\tmixed waf
codec\tlz4\t0.1\t
codec\tnone\t0.4\t
size\t0\t1.0\t0
size\t1024\t0.0\t0
size\t65536\t-0.4\t0
on\tfalse\t0\t0
on\ttrue\t-0.2\t0
"""
REFERENCE: dict[str, Value] = {"codec": "none", "size": 1024, "on": False, "other": 7}


def expected(**columns: list[Any]) -> list[float]:
    told = {name: np.array(values, dtype=object) for name, values in columns.items()}
    found = read_effects(TABLE.splitlines())
    assert not found.expected(told, REFERENCE, ("mixed", "waf")).any(), "an empty cell says that nothing is known"
    effects: list[float] = found.expected(told, REFERENCE, ("writes", "waf")).tolist()
    return effects


def test_effects_are_differences_to_the_reference_and_add_up() -> None:
    assert expected(codec=["lz4", "none"]) == pytest.approx([-0.3, 0.0])
    assert expected(on=[True, False]) == pytest.approx([-0.2, 0.0])
    assert expected(codec=["lz4"], on=[True], size=[65536]) == pytest.approx([-0.9])


def test_numbers_between_are_interpolated_on_a_logarithmic_axis_and_those_beyond_are_as_the_ends() -> None:
    low, middle, high, beyond = expected(size=[1024, 8192, 65536, 1 << 30])
    assert [low, high, beyond] == pytest.approx([0.0, -0.4, -0.4])
    assert middle == pytest.approx(-0.2, abs=1e-3)


def test_a_value_that_another_kind_of_workload_was_run_with_bends_no_curve() -> None:
    lines = ["option\tvalue\twrites waf\tmixed waf", "size\t1024\t0.0\t0.1", "size\t8192\t\t0.5", "size\t65536\t-0.4\t"]
    found, sizes = read_effects(lines), {"size": np.array([8192, 65536, 1 << 30])}
    assert found.expected(sizes, REFERENCE, ("writes", "waf")) == pytest.approx([-0.2, -0.4, -0.4], abs=1e-3)
    assert found.expected(sizes, REFERENCE, ("mixed", "waf")) == pytest.approx([0.4, 0.4, 0.4])
    alone = read_effects([*lines, "other\t7\t\t0.1", "other\t9\t\t0.2"])
    assert alone.expected({"other": np.array([7, 9])}, REFERENCE, ("writes", "waf")).tolist() == [0.0, 0.0]


def test_nothing_is_expected_of_words_and_options_that_are_not_known() -> None:
    assert expected(codec=["zstd"]) == pytest.approx([-0.4]), "an unknown word counts as 0, the reference as 0.4"
    assert expected(other=[1, 9]) == [0.0, 0.0]


def test_of_an_engine_without_a_table_nothing_is_known() -> None:
    assert effects_of("leveldb") is None


def test_the_table_of_rocksdb_names_options_of_the_catalogue_and_takes_them_for_what_they_are() -> None:
    known, found = catalogue("rocksdb"), effects_of("rocksdb")
    assert found is not None
    assert {kind for kind, _ in found.quantities} == {"writes", "mixed"}
    for name, curve in found.curves.items():
        option = known.option(name)
        assert set(curve.words) <= {*option.choices, *option.only_if_named}
        assert all(low < high for low, high in pairwise(curve.knots.tolist()))


def test_larger_memtables_are_expected_to_write_faster_and_a_slow_codec_slower() -> None:
    found = effects_of("rocksdb")
    assert found is not None
    reference: dict[str, Value] = {"write_buffer_size": 64 << 20, "compression_type": "snappy"}
    rate = ("writes", "throughput_settled_ops_s")
    sizes = np.array([8 << 20, 64 << 20, 512 << 20])
    small, same, large = found.expected({"write_buffer_size": sizes}, reference, rate).tolist()
    assert small < same == 0.0 < large
    codecs = np.array(["bzip2", "none"], dtype=object)
    slow, fast = found.expected({"compression_type": codecs}, reference, rate).tolist()
    assert slow < -1.0 < 0.0 < fast


def test_the_table_of_rocksdb_is_what_the_tool_learns_from_the_recorded_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One indicator of one kind of workload, anew from its two sets."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    tool = importlib.import_module("learn_effects")
    files = (SETS / name / "runs.parquet" for name in ("readwhilewriting", "ycsb-a-rocksdb"))
    tables = [tool.effects_of(path, ["space_bytes"]) for path in files]
    learnt, found = tool.averaged(tables), effects_of("rocksdb")
    assert found is not None
    number = found.quantities.index(("mixed", "space_bytes"))
    for (_, option, value), effect in learnt.items():
        told = found.curves[option].at(np.array([value], dtype=object), number)[0]
        assert told == pytest.approx(effect, abs=0.01), f"{option} = {value}"
