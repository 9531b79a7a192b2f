"""Lines for Flink's config.yaml under a local cluster of the real jars: its RocksDB runs with what was meant.

`make test-systems` runs this; `make test` does not, as Maven fetches about 100 MB for it.
"""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from system_loaders import (
    HERE,
    differing,
    everything,
    exported,
    jars,
    meant,
    newest_options,
    used,
    words,
    wrong_defaults,
)
from target_builders import TUNED

from lsmtune.exporters import find_target
from lsmtune.model import Value

TARGET = find_target("flink")
STATE = "counted"
"""The column family of the loader's only state."""
LEVELS = 7
"""RocksDB's number, for which Flink has no key."""
UNMANAGED = "state.backend.rocksdb.memory.managed: false\n"
OPENED = ("java.base/java.lang=ALL-UNNAMED", "java.base/java.util=ALL-UNNAMED")
"""What Flink's serializers need of newer versions of Java."""
SPELLED = {
    "none": "kNoCompression",
    "snappy": "kSnappyCompression",
    "lz4": "kLZ4Compression",
    "lz4hc": "kLZ4HCCompression",
    "zlib": "kZlibCompression",
    "zstd": "kZSTD",
}


def loaded(text: str, folder: Path) -> Path:
    """Run a job under an exported file, and return the folder with what RocksDB wrote while it was open."""
    for name in ("classes", "conf", "states", "kept"):
        (folder / name).mkdir(parents=True)
    (folder / "conf" / TARGET.file).write_text(text)
    path = f"{jars(TARGET)}/*"
    lint = "-Xlint:all,-processing,-classfile"
    source = HERE / TARGET.name / "Load.java"
    subprocess.run(["javac", "-Werror", lint, "-cp", path, "-d", str(folder / "classes"), str(source)], check=True)
    opened = [f"--add-opens={each}" for each in OPENED]
    arguments = [str(folder / name) for name in ("conf", "states", "kept")]
    done = subprocess.run(
        ["java", *opened, "-cp", f"{folder / 'classes'}:{path}", "Load", *arguments],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "kept"


def found_in(kept: Path) -> dict[str, Value]:
    """What the column family of the state runs with; the compression is in `levels`, which overrules the option."""
    found = dict(used(TARGET, newest_options(kept), STATE))
    del found["compression_type"]
    return found


def levels(kept: Path) -> list[str]:
    """The compression of each level of the column family of the state; the last that is named holds for those below."""
    text = newest_options(kept).read_text().partition(f'[CFOptions "{STATE}"]')[2]
    (told, *_) = re.findall(r"^  compression_per_level=(.*)$", text, re.MULTILINE)
    named = str(told).split(":")
    return named + named[-1:] * (LEVELS - len(named))


def levels_meant(values: Mapping[str, Value]) -> list[str]:
    asked = meant(values)
    plain = max(int(asked["min_level_to_compress"]), 0)
    return [SPELLED["none"]] * plain + [SPELLED[str(asked["compression_type"])]] * (LEVELS - plain)


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_flink_runs_a_state_with_what_was_meant(values: Mapping[str, Value] | None, tmp_path: Path) -> None:
    asked = everything(TARGET) if values is None else values
    kept = loaded(exported(TARGET, asked, whole=values is not None), tmp_path)
    assert differing(TARGET, found_in(kept), meant(asked), at_least=10) == {}
    assert levels(kept) == levels_meant(asked)
    log = (kept / "LOG").read_text()
    assert f"RocksDB version: {TARGET.rocksdb}\n" in log
    assert set(re.findall(r"^\s+capacity : (\d+)$", log, re.MULTILINE)) == {str(asked["cache_size"])}


def test_the_defaults_of_the_table_are_those_of_flink(tmp_path: Path) -> None:
    kept = loaded(UNMANAGED, tmp_path)
    assert wrong_defaults(TARGET, found_in(kept)) == {}
    assert levels(kept) == ["kSnappyCompression"] * LEVELS


def test_with_managed_memory_flink_overrules_the_cache_as_the_table_says(tmp_path: Path) -> None:
    kept = loaded("state.backend.rocksdb.block.cache-size: 640mb\n", tmp_path)
    found = found_in(kept)
    assert (found["cache_index_and_filter_blocks"], found["pin_l0_filter_and_index_blocks_in_cache"]) == (True, True)
    capacities = set(re.findall(r"^\s+capacity : (\d+)$", (kept / "LOG").read_text(), re.MULTILINE))
    assert str(640 << 20) not in capacities


def test_flink_knows_every_word_of_the_table(tmp_path: Path) -> None:
    for place, values in enumerate(words(TARGET)):
        kept = loaded(exported(TARGET, values, whole=False), tmp_path / str(place))
        assert found_in(kept)["compaction_style"] == values["compaction_style"]
        assert levels(kept) == levels_meant(values)
