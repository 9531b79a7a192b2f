"""Exports for rocksdict and SetOptions under a real RocksDB: what it then runs with is what was meant."""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from export_builders import result
from rocksdict import Options, Rdict
from target_builders import TUNED, code_of, planned, study, unusual, with_neighbours

from lsmtune.backends.rocksdb import effective_values
from lsmtune.exporters import export_for, find_target
from lsmtune.model import Value
from lsmtune.space import catalogue

TARGET = find_target("rocksdict")
HELD = sorted({name for key in TARGET.keys for name in key.options})
IN_LOG = {
    "rate_limiter_bytes_per_sec": r"Options\.rate_limiter: 0x",
    "row_cache_size": r"Options\.row_cache: (?!None)",
    "cache_type": r"block_cache_name: \w*HyperClockCache",
}
"""What a LOG says of options that no OPTIONS file has."""


def options_from(text: str) -> Options:
    """What a user of the module gets."""
    module: dict[str, Any] = {}
    exec(compile(text, "tuned_options.py", "exec"), module)
    options: Options = module["tuned_options"](raw_mode=True)
    return options


@contextmanager
def opened(options: Options, folder: Path) -> Iterator[Rdict]:
    database = Rdict(str(folder), options)
    try:
        yield database
    finally:
        database.close()


def used(folder: Path) -> Mapping[str, Value]:
    """What the engine runs with, by option, from the OPTIONS file that it wrote last."""
    newest = max(folder.glob("OPTIONS-*"), key=lambda path: path.name)
    return effective_values(newest.read_text(), tuple(catalogue().options.values()), TARGET.rocksdb, Fraction(1))


def bits_of_filters(database: Rdict) -> float:
    """Bits that the filters of a database take for a key, once some have been written."""
    for number in range(20_000):
        database[b"%08d" % number] = b"value"
    database.flush()
    said = database.property_value("rocksdb.aggregated-table-properties") or ""
    told = {name.strip(): value for name, _, value in (pair.partition("=") for pair in said.split(";"))}
    return float(told["filter block size"]) * 8 / float(told["# entries"])


def as_meant(name: str, found: Value, meant: Value) -> bool:
    """Whether a value is what was meant; where that is "choose yourself", any choice is."""
    option = catalogue().option(name)
    return found == meant or (meant in option.special and not isinstance(meant, bool))


def test_an_exported_study_runs_with_what_was_meant_option_by_option(tmp_path: Path) -> None:
    text = export_for("rocksdict", result(study(), TUNED), study().build)
    with opened(options_from(text), tmp_path / "db"):
        found = used(tmp_path / "db")
    meant = {**study().space.reference, **TUNED}
    compared = [name for name in HELD if name in found and name in meant]
    assert len(compared) >= 40
    assert {name: found[name] for name in compared if not as_meant(name, found[name], meant[name])} == {}


@pytest.mark.parametrize("name", HELD)
def test_each_key_sets_its_option_and_the_engine_keeps_it(name: str, tmp_path: Path) -> None:
    option = catalogue().option(name)
    with opened(options_from(code_of(TARGET, with_neighbours(option))), tmp_path / "db") as database:
        capacity = database.property_int_value("rocksdb.block-cache-capacity")
        found = used(tmp_path / "db")
        bits = bits_of_filters(database) if name == "bloom_bits" else None
    if name == "cache_size":
        assert capacity == unusual(option)
    elif name == "bloom_bits":  # the OPTIONS file has no bits, as the filter came through RocksDB's C interface
        assert bits == pytest.approx(unusual(option), rel=0.15)
    elif name in found:
        assert found[name] == unusual(option)
    else:
        assert re.search(IN_LOG[name], (tmp_path / "db" / "LOG").read_text()), name


def test_the_defaults_of_the_table_are_those_of_rocksdict(tmp_path: Path) -> None:
    with opened(Options(raw_mode=True), tmp_path / "db"):
        found = used(tmp_path / "db")
    stated = {name: TARGET.default(catalogue().option(name)) for name in found}
    known = {name: default for name, default in stated.items() if default is not None}
    assert len(known) >= 40
    assert {
        name: (found[name], default) for name, default in known.items() if not as_meant(name, found[name], default)
    } == {}


def test_a_running_database_takes_what_can_be_changed_online(tmp_path: Path) -> None:
    target = find_target("set-options")
    online = [name for key in target.keys if key.on != "database" for name in key.options]
    values = {name: unusual(study().catalogue.option(name)) for name in online if name in study().catalogue.options}
    values["level0_slowdown_writes_trigger"] = 9  # the stop trigger has to stay above it
    assert len(planned(target, values).settings) == len(values)
    text = code_of(target, values)
    calls = text.partition("SetOptions(family, {")[2].partition("\n    });")[0]
    pairs = dict(ast.literal_eval(f"({line[1:-2]})") for line in map(str.strip, calls.splitlines()) if line[:1] == "{")
    with opened(Options(raw_mode=True), tmp_path / "db") as database:
        database.set_options(pairs)
        found = used(tmp_path / "db")
    assert {name: found[name] for name in values if name in found} == {
        name: values[name] for name in values if name in found
    }
    assert len(values.keys() & found.keys()) >= 30
