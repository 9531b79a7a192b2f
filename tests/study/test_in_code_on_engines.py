"""A database as operators run it, from its OPTIONS file: the stated block cache is what the real engine opens with."""

import re
import subprocess
from pathlib import Path

import pytest

from lsmtune.backends.rocksdb import discover, find_db_bench, open_with
from lsmtune.errors import UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.model import Purpose, Run
from lsmtune.study import Prepared, prepare

WORKLOADS = {
    "db_bench": 'benchmarks = ["fillrandom", "readrandom"]\nvalue_size = 100\n',
    "ycsb": 'tool = "ycsb"\nbenchmarks = ["load", "a"]\n',
}
KIND = {"db_bench": 'cache_type = "lru_cache"\n', "ycsb": ""}
TOOLS = pytest.mark.parametrize("tool", WORKLOADS)


def operators(folder: Path, tool: str, said: str) -> Prepared:
    """An experiment at 1/64 on the file of a database with lz4, bloom filters and blocks of 16 KiB."""
    flags = ("--compression_type=lz4", "--bloom_bits=10", "--block_size=16384", "--cache_size=536870912")
    (folder / "OPTIONS-000007").write_text(open_with(discover(find_db_bench()), None, flags))
    table = f"[engine.options]\n{said}" if said else ""
    text = (
        f'scale = "1/64"\n[engine]\noptions_file = "OPTIONS-000007"\n{table}[workload]\nnum = "256k"\nsettle = "none"\n'
        f'{WORKLOADS[tool]}[space]\noptions = ["write_buffer_size"]\n'
    )
    return prepare(parse_experiment(text, folder / "e.toml"))


@TOOLS
def test_the_file_alone_is_refused(tmp_path: Path, tool: str) -> None:
    missing = "cache_size and cache_type" if KIND[tool] else "cache_size"
    with pytest.raises(UsageError, match=rf"nothing of {missing} \(the workload reads\), which an OPTIONS file cannot"):
        operators(tmp_path, tool, "")


@TOOLS
@pytest.mark.parametrize(
    ("cache", "capacity", "named"),
    [("512MiB", 8 << 20, False), ("default", 128 << 10, True)],  # RocksDB's own 8 MiB become eight blocks
)
def test_the_engine_opens_with_the_stated_cache_at_scale(
    tmp_path: Path, tool: str, cache: str, capacity: int, named: bool
) -> None:
    study = operators(tmp_path, tool, f'cache_size = "{cache}"\n{KIND[tool]}')
    run = Run(1, Purpose.BASELINE, "options_file", None, study.rules.start, 11, 7)
    for step in study.bench().processes(run, tmp_path / "db"):
        subprocess.run(step.argv, check=True, capture_output=True)
    log = (tmp_path / "db" / "LOG").read_text()
    assert re.findall(r"block_cache_options:\n +capacity : (\d+)", log) == [str(capacity)]
    assert "block_cache_name: LRUCache" in log
    assert "block_size: 16384" in log
    assert "filter_policy: bloomfilter" in log
    assert "Options.compression: LZ4" in log
    assert [each.rule.code for each in study.findings()] == ["shrunk-cache"] * named


@TOOLS
def test_the_first_lines_say_what_was_stated_and_what_was_not(tmp_path: Path, tool: str) -> None:
    study = operators(tmp_path, tool, f'cache_size = "default"\n{KIND[tool]}')
    lines = "\n".join(study.introduction(tmp_path))
    assert "your options file, with what the file cannot hold: " in lines
    assert "cache_size 8 MiB (128 KiB at scale), the engine's default, as stated" in lines
    assert "row_cache_size 0 B" in lines
    assert "shrunk-cache: reference: the scale makes 128 KiB of the block cache of 8 MiB: 8 blocks of 16 KiB" in lines
    assert "db_bench's cache_size" not in lines
