"""Builders for tests of lsmtune.backends.rocksdb: fixtures, options, a db_bench that is a script."""

import gzip
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from lsmtune.backends.rocksdb import OptionsFile, find_db_bench
from lsmtune.model import Value
from lsmtune.space import Kind, Option

FIXTURES = Path(__file__).parent.parent / "fixtures"
VERSIONS = ("7.8.3", "11.8.1")

MINIMAL = '[Version]\n  rocksdb_version=7.8.3\n[CFOptions "default"]\n  write_buffer_size=64\n'

COMPRESSIONS = {"none": "kNoCompression", "snappy": "kSnappyCompression", "zstd": "kZSTD"}
STYLES = {"level": "kCompactionStyleLevel", "universal": "kCompactionStyleUniversal"}
MEMTABLES = {"skip_list": "SkipListFactory", "vector": "{id=VectorRepFactory;count=0;}"}


def fixture(version: str, name: str) -> str:
    return (FIXTURES / f"db_bench-{version}" / name).read_text()


def fixture_log(version: str) -> list[str]:
    with gzip.open(FIXTURES / f"db_bench-{version}" / "LOG.txt.gz", "rt") as lines:
        return list(lines)


def options_fixture(version: str = "7.8.3") -> OptionsFile:
    return OptionsFile.parse(fixture(version, "OPTIONS-000007.ini"), "OPTIONS-000007")


_DEFAULTS: dict[Kind, Value] = {Kind.INT: 1, Kind.FLOAT: 1.0, Kind.BOOL: False}


def option(name: str, section: str = "CF", kind: Kind = Kind.INT, **given: Any) -> Option:
    """An option whose key is its name unless told; the values of a choice are those of its `key_values`."""
    if kind is Kind.CHOICE:
        given["choices"] = tuple(given["key_values"])
    defaults = {"7.8": given["choices"][0] if kind is Kind.CHOICE else _DEFAULTS[kind]}
    fixed: dict[str, Any] = {
        "flag": name,
        "key": name,
        "unit": "",
        "db_bench_default": defaults,
        "library_default": defaults,
    }
    return Option(name=name, section=section, kind=kind, **fixed | given)


CATALOGUE = (
    option("write_buffer_size", scaled=True, floor=65536),
    option("max_compaction_bytes", scaled=True, special={0: "25 x target_file_size_base"}),
    option("soft_pending_compaction_bytes_limit", scaled=True, special={0: "hard"}),
    option("hard_pending_compaction_bytes_limit", scaled=True),
    option("db_write_buffer_size", "DB", scaled=True),
    option("max_write_buffer_number"),
    option("min_write_buffer_number_to_merge"),
    option("level0_file_num_compaction_trigger"),
    option("level0_slowdown_writes_trigger"),
    option("level0_stop_writes_trigger"),
    option("num_levels"),
    option("max_bytes_for_level_multiplier", kind=Kind.FLOAT),
    option("memtable_bloom_size_ratio", kind=Kind.FLOAT, key="memtable_prefix_bloom_size_ratio"),
    option("level_compaction_dynamic_level_bytes", kind=Kind.BOOL),
    option("compaction_style", kind=Kind.CHOICE, key_values=STYLES),
    option("compression_type", kind=Kind.CHOICE, key="compression", key_values=COMPRESSIONS),
    option("memtablerep", kind=Kind.CHOICE, key="memtable_factory", key_values=MEMTABLES),
    option("compression_level", key="compression_opts.level"),
    option("universal_size_ratio", key="compaction_options_universal.size_ratio"),
    option("min_level_to_compress", key="compression_per_level"),
    option("bloom_bits", section="Table", key="filter_policy"),
    option("block_size", section="Table"),
    option("partition_index_and_filters", "Table", Kind.BOOL, key="partition_filters"),
    option("subcompactions", section="DB", key="max_subcompactions"),
    option("open_files", section="DB", key="max_open_files"),
    option("delayed_write_rate", section="DB"),
    option("cache_size", section="tool", key=None),
)


def script(folder: Path, body: str) -> Path:
    """Write an executable shell script that stands for a db_bench."""
    path = folder / "db_bench"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


# Takes every --compression_type, but writes snappy and uncompressed tables only.
FALLING_BACK = r"""
if [ "$1" = --help ]; then
  echo '    -benchmarks (What to run.) type: string default: "fillseq"'
  exit 0
fi
name=NoCompression
for argument in "$@"; do
  case "$argument" in
    --db=*) folder="${argument#--db=}" ;;
    --compression_type=snappy) name=Snappy ;;
  esac
done
echo "RocksDB:    version 9.1.0" >&2
event='"event": "table_file_creation"'
echo "EVENT_LOG_v1 {$event, \"compression\": \"$name\"}" > "$folder/LOG"
"""


def run_db_bench(*arguments: str, folder: Path | None = None) -> tuple[str, str]:
    """Run the real db_bench for a moment; return its output and the LOG."""
    with tempfile.TemporaryDirectory() as private:
        database = folder or Path(private)
        command = [str(find_db_bench()), *arguments, "--seed=1", f"--db={database}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
        return done.stdout, (database / "LOG").read_text()
