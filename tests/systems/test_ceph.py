"""Lines for ceph.conf under Debian's Ceph: what the RocksDB of a new OSD then runs with is what was meant.

`make test-systems` runs this; `make test` does not, as Ceph is fetched for it. The OSD lies in a file, no cluster runs.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from system_loaders import (
    differing,
    everything,
    exported,
    libraries,
    meant,
    newest_options,
    unpacked,
    used,
    words,
    wrong_defaults,
)
from target_builders import TUNED

from lsmtune.exporters import find_target
from lsmtune.model import Value

TARGET = find_target("ceph@16")
LINKED = ("none", "snappy", "lz4", "lz4hc", "zlib", "disabled")
"""What the RocksDB of Debian's Ceph can compress with."""
SHARDS = ("m-0", "p-0", "O-0", "L", "P")
BASE = """
[global]
fsid = 5b6b7b1e-0000-4000-8000-000000000001
mon_host = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
admin_socket =
run_dir = {folder}
log_file = {folder}/log
plugin_dir = {lib}/ceph
erasure_code_dir = {lib}/ceph/erasure-code
[osd]
osd_objectstore = bluestore
osd_data = {folder}/data
osd_class_dir = {lib}/rados-classes
bluestore_block_size = 1073741824
"""


class RefusedError(Exception):
    """An OSD could not be made."""


def made(text: str, folder: Path) -> Path:
    """Make an OSD with an exported section [osd], and return the folder that its BlueFS was copied into."""
    root = unpacked("ceph-osd")
    (folder / "data").mkdir(parents=True)
    lib = next(root.glob("usr/lib/*-linux-gnu"))
    configuration = folder / TARGET.file
    configuration.write_text(BASE.format(folder=folder, lib=lib) + text)

    def run(*arguments: str) -> None:
        done = subprocess.run(
            arguments,
            check=False,
            capture_output=True,
            text=True,
            env={**libraries(root), "CEPH_CONF": str(configuration)},
            timeout=100,
        )
        if done.returncode:
            raise RefusedError(done.stderr + (folder / "log").read_text(errors="replace"))

    data, out = str(folder / "data"), str(folder / "out")
    run(f"{root}/usr/bin/ceph-osd", "-i", "0", "--mkfs", "-c", str(configuration), "--no-mon-config")
    run(f"{root}/usr/bin/ceph-bluestore-tool", "bluefs-export", "--path", data, "--out-dir", out)
    return folder / "out" / "db"


def loadable(values: Mapping[str, Value]) -> dict[str, Value]:
    """The values, with LZ4 in place of what Debian's Ceph cannot compress with."""
    return {
        name: "lz4" if name in ("compression_type", "bottommost_compression") and value not in LINKED else value
        for name, value in values.items()
    }


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_an_osd_runs_every_shard_with_what_was_meant(values: Mapping[str, Value] | None, tmp_path: Path) -> None:
    asked = loadable(everything(TARGET) if values is None else values)
    options = newest_options(made(exported(TARGET, asked, whole=values is not None), tmp_path))
    for shard in ("default", *SHARDS):
        assert differing(TARGET, used(TARGET, options, shard), meant(asked)) == {}, shard
    log = (tmp_path / "log").read_text(errors="replace")
    assert f"RocksDB version: {TARGET.rocksdb}\n" in log


def test_the_defaults_of_the_table_are_those_of_an_osd(tmp_path: Path) -> None:
    assert wrong_defaults(TARGET, used(TARGET, newest_options(made("", tmp_path)))) == {}


def test_an_osd_knows_every_word_of_the_table(tmp_path: Path) -> None:
    for place, values in enumerate(map(loadable, words(TARGET))):
        found = used(TARGET, newest_options(made(exported(TARGET, values, whole=False), tmp_path / str(place))))
        assert {name: found[name] for name in values} == values


def test_an_osd_has_two_paths_and_thus_no_fifo_compaction_for_which_the_table_has_no_word(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="only supported in universal and level compaction styles"):
        made("bluestore_rocksdb_options_annex = compaction_style=kCompactionStyleFIFO\n", tmp_path)
    (key,) = [key for key in TARGET.keys if "compaction_style" in key.options]
    assert set(key.values) == {"level", "universal"}


def test_an_osd_does_not_start_with_zstandard_as_the_note_says(tmp_path: Path) -> None:
    assert any("Zstandard" in note for note in TARGET.notes)
    with pytest.raises(RefusedError, match="Compression type ZSTD is not linked"):
        made(exported(TARGET, {"compression_type": "zstd"}, whole=False), tmp_path)
