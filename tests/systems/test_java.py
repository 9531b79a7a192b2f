"""Classes for RocksJava and Kafka Streams under the real jars: what the engine then writes is what was meant.

`make test-systems` runs this; `make test` does not, as Maven fetches about 200 MB for it.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from system_loaders import HERE, differing, everything, exported, jars, meant, newest_options, used, wrong_defaults
from target_builders import TUNED

from lsmtune.exporters import find_target
from lsmtune.exporters.targets import Target
from lsmtune.model import Value


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


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_rocksjava_runs_with_what_was_meant_option_by_option(
    values: Mapping[str, Value] | None, tmp_path: Path
) -> None:
    target = find_target("rocksjava")
    asked = everything(target) if values is None else values
    capacity = loaded(
        target, exported(target, asked, whole=values is not None), tmp_path / "classes", str(tmp_path / "db")
    )
    assert differing(target, used(target, newest_options(tmp_path / "db")), meant(asked)) == {}
    assert int(capacity) == asked["cache_size"]


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_kafka_streams_runs_every_store_with_what_was_meant(values: Mapping[str, Value] | None, tmp_path: Path) -> None:
    target = find_target("kafka-streams")
    asked = everything(target) if values is None else values
    text = exported(target, asked, whole=values is not None)
    (tmp_path / "kept").mkdir()
    loaded(target, text, tmp_path / "classes", str(tmp_path / "states"), str(tmp_path / "kept"))
    kept = sorted((tmp_path / "kept").iterdir())
    assert {path.name.split("-OPTIONS")[0] for path in kept} == {"0-first", "0-second", "1-first", "1-second"}
    for path in kept:
        assert differing(target, used(target, path), meant(asked)) == {}


ROCKSJAVA_ITSELF = """
public final class TunedOptions implements AutoCloseable {
    public org.rocksdb.DBOptions dbOptions() {
        return new org.rocksdb.DBOptions();
    }

    public org.rocksdb.ColumnFamilyOptions columnFamilyOptions() {
        return new org.rocksdb.ColumnFamilyOptions();
    }

    @Override
    public void close() {}
}
"""
KAFKA_STREAMS_ITSELF = """
public final class TunedRocksDbConfig implements org.apache.kafka.streams.state.RocksDBConfigSetter {
    @Override
    public void setConfig(
            final String store, final org.rocksdb.Options options, final java.util.Map<String, Object> configs) {}

    @Override
    public void close(final String store, final org.rocksdb.Options options) {}
}
"""


def test_the_defaults_of_the_tables_are_those_of_rocksjava_and_kafka_streams(tmp_path: Path) -> None:
    target = find_target("rocksjava")
    loaded(target, ROCKSJAVA_ITSELF, tmp_path / "rocksjava", str(tmp_path / "db"))
    assert wrong_defaults(target, used(target, newest_options(tmp_path / "db"))) == {}
    target = find_target("kafka-streams")
    (tmp_path / "kept").mkdir()
    loaded(target, KAFKA_STREAMS_ITSELF, tmp_path / "streams", str(tmp_path / "states"), str(tmp_path / "kept"))
    for path in (tmp_path / "kept").iterdir():
        # RocksDB takes dynamic levels back under universal compaction, which Streams begins with.
        assert wrong_defaults(target, used(target, path)) == {"level_compaction_dynamic_level_bytes": (False, True)}
