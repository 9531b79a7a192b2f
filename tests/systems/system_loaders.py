"""What the tests of targets under their real systems share: programs, odd values, and what an engine then runs with."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from export_builders import result
from target_builders import code_of, study, with_neighbours

from lsmtune.backends.rocksdb import OptionsFile, effective_values
from lsmtune.exporters import export_for
from lsmtune.exporters.targets import Target
from lsmtune.model import Value
from lsmtune.space import OLDEST_VERSION, Kind, Option, catalogue

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lsmtune" / "systems"
OF_DIRECT_IO = ("use_direct_reads", "use_direct_io_for_flush_and_compaction", "mmap_read", "mmap_write")
COMPILED_IN = ("none", "snappy", "lz4", "lz4hc", "zlib", "zstd", "disabled")
"""What every system's RocksDB can compress with."""


def unpacked(package: str) -> Path:
    """The folder that `unpack.sh` put a Debian package into."""
    folder = CACHE / package
    assert folder.is_dir(), f"{package} is not in {folder}: make test-systems fetches it"
    return folder


def jars(target: Target) -> Path:
    """The folder of the jars that a target's loader needs, fetched if they are not there."""
    folder = CACHE / f"{target.name}-{target.version}"
    if not list(folder.glob("*.jar")):
        pom = HERE / target.name / "pom.xml"
        subprocess.run(
            ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={folder}"],
            check=True,
        )
    return folder


def built_rocksdb(version: str) -> Path:
    """The folder that `make rocksdb` installed a RocksDB into."""
    folder = CACHE.parent / "rocksdb" / version
    assert (folder / "lib" / "librocksdb.a").is_file(), f"RocksDB is not in {folder}: make test-systems builds it"
    return folder


def libraries(root: Path) -> dict[str, str]:
    """The environment in which a program of an unpacked package finds its libraries."""
    found = (*root.glob("usr/lib/*-linux-gnu"), *root.glob("usr/lib/*-linux-gnu/ceph"), *root.glob("lib/*-linux-gnu"))
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, found))}


def used(target: Target, options_file: Path, family: str = "default") -> Mapping[str, Value]:
    """What the engine runs a column family with, by option."""
    text = OptionsFile.parse(options_file.read_text(), "OPTIONS").as_default(family).text()
    version = target.rocksdb if _numbers(target.rocksdb) > _numbers(OLDEST_VERSION) else OLDEST_VERSION
    return effective_values(text, tuple(catalogue().options.values()), version, Fraction(1))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def newest_options(folder: Path) -> Path:
    """The OPTIONS file that an engine wrote last."""
    return max(folder.glob("OPTIONS-*"), key=lambda path: path.name)


def differing(
    target: Target, found: Mapping[str, Value], meant: Mapping[str, Value], at_least: int = 40
) -> Mapping[str, tuple[Value, Value]]:
    """The options that are not as they were meant; where that is "choose yourself", any choice is."""
    held = {name for key in target.keys for name in key.options}
    compared = [name for name in held if name in found and name in meant]
    assert len(compared) >= at_least
    return {name: (found[name], meant[name]) for name in compared if not _as_meant(name, found[name], meant[name])}


def _as_meant(name: str, found: Value, meant: Value) -> bool:
    return found == meant or (meant in catalogue().option(name).special and not isinstance(meant, bool))


def wrong_defaults(target: Target, found: Mapping[str, Value]) -> Mapping[str, tuple[Value, Value]]:
    """The options whose default is not what the target's table says, where it says something."""
    stated = {name: target.default(catalogue().option(name)) for name in found}
    assert len(stated) >= 40
    return {
        name: (found[name], default)
        for name, default in stated.items()
        if default is not None and not _as_meant(name, found[name], default)
    }


def bits_of_filters(properties: str) -> float:
    """Bits that filters take for a key, from RocksDB's aggregated properties of tables."""
    told = {name.strip(): value for name, _, value in (pair.partition("=") for pair in properties.split(";"))}
    return float(told["filter block size"]) * 8 / float(told["# entries"])


def everything(target: Target) -> dict[str, Value]:
    """An unusual value of every option, as far as the target holds it and files and other options do not forbid it."""
    values: dict[str, Value] = {}
    for key in target.keys:
        for name in key.options:
            if name in study().catalogue.options and name not in OF_DIRECT_IO:
                values.update(with_neighbours(catalogue().option(name)))
                known = key.values or (key.lines if name == key.by and not key.line else {})
                if known and catalogue().option(name).kind is Kind.CHOICE and values[name] not in known:
                    values[name] = list(known)[-1]
    return values | {"level0_slowdown_writes_trigger": 9}


def words(target: Target) -> Iterator[dict[str, Value]]:
    """Configurations which together have every word that the target has for a choice."""
    choices = {
        name: [word for word in key.values if word in option.choices and _is_compiled_in(option, word)]
        for key in target.keys
        for name, option in ((name, catalogue().option(name)) for name in key.options)
        if key.values and name in study().catalogue.options and option.kind is Kind.CHOICE
    }
    for place in range(max(map(len, choices.values()))):
        values: dict[str, Value] = {name: known[place % len(known)] for name, known in choices.items()}
        if values.get("memtablerep", "skip_list") != "skip_list":
            values["allow_concurrent_memtable_write"] = False
        yield values


def _is_compiled_in(option: Option, word: str) -> bool:
    return "zstd" not in option.choices or word in COMPILED_IN


def exported(target: Target, values: Mapping[str, Value], *, whole: bool = True) -> str:
    """What is exported of a study that ended with `values`; without its head where no engine is to be asked."""
    if not whole:
        return code_of(target, values)
    return export_for(f"{target.name}@{target.version}", result(study(), values), study().build)


def meant(values: Mapping[str, Value]) -> dict[str, Value]:
    """All that a study measured which ended with `values`."""
    return {**study().space.reference, **values}


def assert_runs_as_meant(
    target: Target, asked: Mapping[str, Value], database: Path, told: tuple[int, str], version: str
) -> None:
    """Assert that a database runs with what was meant.

    Args:
        target: what was exported for.
        asked: the configuration.
        database: its folder.
        told: what no OPTIONS file has, or none of a filter that came through RocksDB's C interface: the size of its
            cache, and the aggregated properties of its tables.
        version: of the RocksDB that is linked.
    """
    capacity, properties = told
    assert differing(target, used(target, newest_options(database)), meant(asked)) == {}
    assert capacity == asked["cache_size"]
    if not asked.get("optimize_filters_for_hits"):
        assert bits_of_filters(properties) == pytest.approx(asked["bloom_bits"], rel=0.15)
    log = (database / "LOG").read_text()
    assert re.search(r"Options\.rate_limiter: 0x", log)
    assert f"RocksDB version: {version}\n" in log


def assert_has_words(target: Target, values: Mapping[str, Value], database: Path) -> None:
    """Assert that a database runs with the words of a configuration, as far as an OPTIONS file has them."""
    found = used(target, newest_options(database))
    assert {name: found[name] for name in values if name in found} == {
        name: value for name, value in values.items() if name in found
    }
