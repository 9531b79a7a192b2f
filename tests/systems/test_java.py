"""Classes for RocksJava and Kafka Streams under the real jars: what the engine then writes is what was meant.

`make test-systems` runs this; `make test` does not, as Maven fetches about 200 MB for it.
"""

import os
import subprocess
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from export_builders import result
from target_builders import TUNED, code_of, study, with_neighbours

from lsmtune.backends.rocksdb import effective_values
from lsmtune.exporters import export_for, find_target
from lsmtune.exporters.targets import Target
from lsmtune.model import Value
from lsmtune.space import catalogue

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lsmtune" / "systems"
OF_DIRECT_IO = ("use_direct_reads", "use_direct_io_for_flush_and_compaction", "mmap_read", "mmap_write")


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


def loaded(target: Target, text: str, folder: Path, *arguments: str) -> str:
    """Compile an export with the target's loader, run that, and return what it printed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / target.file).write_text(text)
    path = f"{jars(target)}/*"
    loader = HERE / target.name / "Load.java"
    subprocess.run(
        [
            "javac",
            "-Werror",
            "-Xlint:all,-processing",
            "-cp",
            path,
            "-d",
            str(folder),
            str(folder / target.file),
            str(loader),
        ],
        check=True,
    )
    done = subprocess.run(
        ["java", "-cp", f"{folder}:{path}", "Load", *arguments], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def used(target: Target, options_file: Path) -> Mapping[str, Value]:
    """What the engine runs with, by option."""
    return effective_values(options_file.read_text(), tuple(catalogue().options.values()), target.rocksdb, Fraction(1))


def differing(
    target: Target, found: Mapping[str, Value], meant: Mapping[str, Value]
) -> Mapping[str, tuple[Value, Value]]:
    """The options that are not as they were meant; where that is "choose yourself", any choice is."""
    held = {name for key in target.keys for name in key.options}
    compared = [name for name in held if name in found and name in meant]
    assert len(compared) >= 40
    chosen = {name for name in compared if meant[name] in catalogue().option(name).special}
    return {name: (found[name], meant[name]) for name in compared if found[name] != meant[name] and name not in chosen}


def everything(target: Target) -> dict[str, Value]:
    """An unusual value of every option that a file system and the other options do not forbid."""
    values: dict[str, Value] = {}
    for key in target.keys:
        for name in key.options:
            if name in study().catalogue.options and name not in OF_DIRECT_IO:
                values.update(with_neighbours(catalogue().option(name)))
    return values | {"level0_slowdown_writes_trigger": 9}


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_rocksjava_runs_with_what_was_meant_option_by_option(
    values: Mapping[str, Value] | None, tmp_path: Path
) -> None:
    target = find_target("rocksjava")
    asked = everything(target) if values is None else values
    text = code_of(target, asked) if values is None else export_for("rocksjava", result(study(), asked), study().build)
    capacity = loaded(target, text, tmp_path / "classes", str(tmp_path / "db"))
    newest = max((tmp_path / "db").glob("OPTIONS-*"), key=lambda path: path.name)
    assert differing(target, used(target, newest), {**study().space.reference, **asked}) == {}
    assert int(capacity) == asked["cache_size"]


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_kafka_streams_runs_every_store_with_what_was_meant(values: Mapping[str, Value] | None, tmp_path: Path) -> None:
    target = find_target("kafka-streams")
    asked = everything(target) if values is None else values
    text = (
        code_of(target, asked) if values is None else export_for("kafka-streams", result(study(), asked), study().build)
    )
    (tmp_path / "kept").mkdir()
    loaded(target, text, tmp_path / "classes", str(tmp_path / "states"), str(tmp_path / "kept"))
    kept = sorted((tmp_path / "kept").iterdir())
    assert {path.name.split("-OPTIONS")[0] for path in kept} == {"0-first", "0-second", "1-first", "1-second"}
    for path in kept:
        assert differing(target, used(target, path), {**study().space.reference, **asked}) == {}
