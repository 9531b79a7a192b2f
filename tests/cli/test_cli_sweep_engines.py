"""Grids in which another engine or build is a column, on the real ones."""

import json
import re
from pathlib import Path

from cli_fixtures import Lsmtune

from lsmtune.backends.leveldb import find_leveldb_bench
from lsmtune.backends.rocksdb import find_db_bench

REST = """
[search]
noise_runs = 3
[host]
min_free = "1MiB"
disturbed = "use"
[sweep]
rival = "style"
repeats = 2
"""
YCSB = '[workload]\ntool = "ycsb"\nbenchmarks = ["load", "settle", "c"]\nnum = "5k"\noperations = "5k"\n'
FILL = '[workload]\nbenchmarks = "fillrandom"\nnum = "20k"\nsettle = "none"\n'


def test_leveldb_is_a_column_beside_styles_of_rocksdb(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(
        YCSB + REST + "[sweep.axes]\nthreads = [1, 2]\n[sweep.variants]\nstyle = ["
        '{ name = "leveled", set = { compaction_style = "level" } }, { name = "leveldb", engine = "leveldb" },'
        '{ name = "small", engine = "leveldb", set = { write_buffer_size = "64KiB" } }]\n'
    )
    code, _, err = lsmtune("sweep", "x.toml", "--quiet", "--budget", "9 runs")
    assert code == 0, err
    code, out, err = lsmtune("sweep", "x.toml", "--quiet", "--json", "--indicator", "flush_count")
    assert code == 0, err
    cells = json.loads(out)["cells"]
    assert {(cell["values"]["variant.style"], cell["values"]["workload.threads"]) for cell in cells} == {
        (style, threads) for style in ("leveled", "leveldb", "small") for threads in (1, 2)
    }
    assert {(cell["runs"], cell["lost"]) for cell in cells} == {(2, 0)}
    flushes = {cell["values"]["variant.style"]: cell["levels"]["flush_count"] for cell in cells}
    assert flushes["small"] > 10 * flushes["leveldb"] > 0, "what is set there is set there"
    code, out, err = lsmtune("show", "studies/x-sweep")
    assert code == 0, err
    assert re.search(r"leveldb ran on leveldb \d", " ".join(out.split()))
    code, out, err = lsmtune("report", "studies/x-sweep", "-o", "x.html")
    assert code == 0, err
    page = Path("x.html").read_text()
    assert page.count("leveldb: leveldb 1") == 2, "one line for all its cells, in the summary and at the end"


def test_other_programs_are_columns_and_what_is_not_there_is_told(lsmtune: Lsmtune) -> None:
    columns = [
        '{ name = "rocksdb", engine = "rocksdb" }',
        f'{{ name = "same", db_bench = "{find_db_bench()}" }}',
        f'{{ name = "leveldb", engine = "leveldb", db_bench = "{find_leveldb_bench()}" }}',
    ]
    grid = f"[sweep.axes]\nvalue_size = [100, 400]\n[sweep.variants]\nstyle = [{', '.join(columns)}]\n"
    Path("x.toml").write_text(FILL + REST + grid)
    code, out, err = lsmtune("sweep", "x.toml", "--quiet", "--json", "--indicator", "throughput_ops_s")
    assert code == 0, err
    cells = json.loads(out)["cells"]
    assert json.loads(out)["elsewhere"].keys() == {"same", "leveldb"}
    assert len(cells) == 6
    assert all(cell["levels"]["throughput_ops_s"] > 0 for cell in cells)

    Path("gone.toml").write_text((FILL + REST + grid).replace(str(find_leveldb_bench()), "/nowhere/db_bench"))
    code, _, err = lsmtune("sweep", "gone.toml")
    assert code in (1, 2)
    assert '"leveldb" under [sweep.variants]' in err
    assert "/nowhere/db_bench" in err
    Path("small.toml").write_text('scale = "1/2"\n' + FILL + REST + grid)
    code, _, err = lsmtune("sweep", "small.toml")
    assert code in (1, 2)
    assert '"leveldb" under [sweep.variants]: LevelDB runs at full size only' in " ".join(err.split())
    assert not Path("studies/small-sweep").exists()
