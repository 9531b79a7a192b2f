"""A study on property files as YCSB-cpp and YCSB have them, with the real driver."""

import json
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

REST = """
[budget]
runs = 20
[search]
noise_runs = 3
finalists = 1
sampler = "random"
[host]
min_free = "1MiB"
disturbed = "use"
"""
WORKLOAD = (
    "# a mix of our own\nrecordcount=5\noperationcount=5\nworkload=site.ycsb.workloads.CoreWorkload\n"
    "readallfields=true\nreadproportion=0.6\nupdateproportion=0.4\nscanproportion=0\ninsertproportion=0\n"
    "requestdistribution=zipfian\nfieldlength=50\n"
)
OF = {
    "rocksdb": (
        "rocksdb.dbname=/nowhere/db\nrocksdb.format=single\nrocksdb.destroy=false\nrocksdb.sync=false\n"
        "rocksdb.compression=snappy\nrocksdb.max_background_jobs=2\nrocksdb.target_file_size_base=33554432\n"
        "rocksdb.target_file_size_multiplier=1\nrocksdb.max_bytes_for_level_base=134217728\n"
        "rocksdb.write_buffer_size=1048576\nrocksdb.max_open_files=-1\nrocksdb.max_write_buffer_number=3\n"
        "rocksdb.use_direct_io_for_flush_compaction=false\nrocksdb.use_direct_reads=false\n"
        "rocksdb.allow_mmap_writes=false\nrocksdb.allow_mmap_reads=false\nrocksdb.cache_size=8388608\n"
        "rocksdb.bloom_bits=0\nrocksdb.compressed_cache_size=0\nrocksdb.increase_parallelism=false\n"
        "rocksdb.optimize_level_style_compaction=false\n"
    ),
    "leveldb": (
        "leveldb.dbname=/nowhere/db\nleveldb.format=single\nleveldb.destroy=false\nleveldb.write_buffer_size=1048576\n"
        "leveldb.max_file_size=2097152\nleveldb.max_open_files=1000\nleveldb.compression=snappy\n"
        "leveldb.cache_size=4194304\nleveldb.filter_bits=10\nleveldb.block_restart_interval=16\n"
    ),
}


@pytest.mark.parametrize("engine", OF)
def test_a_study_runs_on_the_files_of_ycsb_as_they_are(lsmtune: Lsmtune, engine: str) -> None:
    Path("db.properties").write_text(OF[engine])
    Path("workload").write_text(WORKLOAD)
    Path("x.toml").write_text(
        f'[engine]\nname = "{engine}"\n'
        '[workload]\ntool = "ycsb"\nbenchmarks = ["load", "a"]\nnum = "2k"\n'
        'property_files = ["db.properties", "workload"]\n'
        '[space]\noptions = ["block_size"]\n' + REST
    )
    code, out, err = lsmtune("tune", "x.toml", "--study", "study")
    assert code == 0, err
    said = " ".join((out + err).split())
    assert "fixed by db.properties, workload:" in said
    assert "write_buffer_size = 1 MiB" in said
    Path("db.properties").unlink()
    code, out, err = lsmtune("show", "study")
    assert code == 0, err
    assert "write_buffer_size = 1 MiB" in " ".join(out.split())
    code, out, err = lsmtune("show", "study", "--json")
    assert code == 0, err
    values = json.loads(out)["rules"]["baselines"][engine]["values"]
    assert values["write_buffer_size"] == 1 << 20
    assert values["cache_size"] == (8 << 20 if engine == "rocksdb" else 4 << 20)
    Path("db.properties").write_text(OF[engine].replace("write_buffer_size=1048576", "write_buffer_size=2097152"))
    code, out, err = lsmtune("tune", "x.toml", "--study", "study")
    assert (code, out) == (2, "")
    assert "study was made from property files with other content (kept there as experiment.toml)" in err
    Path("db.properties").write_text(OF[engine])
    code, out, err = lsmtune("tune", "x.toml", "--study", "study", "--budget", "22 runs")
    assert code == 0, err
