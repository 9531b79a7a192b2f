"""LevelDB's own db_bench, as `lsmtune build leveldb` builds it, tuned on small data through the commands."""

import json
from pathlib import Path

import pytest
from cli_fixtures import AS_IT_IS, Lsmtune

from lsmtune.backends.leveldb import find_leveldb_bench
from lsmtune.backends.rocksdb import find_db_bench

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
ENGINE = '[engine]\nname = "leveldb"\n'
SPACE = '[space]\npreset = "balanced"\n[space.fixed]\nmax_open_files = 500\n'
FILL = '[workload]\nbenchmarks = ["fillrandom", "readrandom"]\nnum = "20k"\n'
SHARED = '[workload]\nload = ["fillseq", "compact"]\nbenchmarks = ["readrandom"]\nnum = "20k"\n'


@pytest.mark.parametrize("workload", [FILL, SHARED], ids=["fill and read", "shared load"])
def test_a_study_of_leveldb_is_tuned_and_its_result_can_be_taken_home(lsmtune: Lsmtune, workload: str) -> None:
    Path("x.toml").write_text(ENGINE + workload + SPACE + REST)
    code, out, err = lsmtune("tune", "x.toml", "--study", "study", "--json", "--quiet")
    assert code == 0, err
    result = json.loads(out)
    assert result["build"]["engine"] == "leveldb"
    assert Path(result["build"]["path"]) == find_leveldb_bench()
    assert "throughput_ops_s" in result["noise"]
    code, out, err = lsmtune("export", "study", *AS_IT_IS)
    assert code == 0, err
    assert "options.max_open_files = 500;" in out
    assert "db_bench of leveldb" in out
    code, out, err = lsmtune("export", "study", "--format", "json", *AS_IT_IS)
    assert code == 0, err
    assert json.loads(out)["values"]["max_open_files"] == 500
    for foreign in ("options-file", "flags", "ycsb-properties"):
        code, _, err = lsmtune("export", "study", "--format", foreign, *AS_IT_IS)
        assert code == 2
        assert f'"{foreign}" is not for leveldb' in err
    code, _, err = lsmtune("export", "study", "--for", "kvrocks", *AS_IT_IS)
    assert (code, "Kvrocks embeds RocksDB, and the study measured" in err) == (2, True)
    code, out, err = lsmtune("show", "study")
    assert code == 0, err
    assert "LevelDB's default" in " ".join(out.split())
    assert "seed-reuse:" in out


def test_a_binary_of_another_engine_is_refused_in_one_sentence(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(ENGINE + FILL + SPACE + REST)
    code, _, err = lsmtune("tune", "x.toml", "--study", "study", "--db-bench", str(find_db_bench()))
    assert code in (1, 2)
    assert 'write name = "rocksdb" under [engine]' in " ".join(err.split())
    Path("y.toml").write_text(FILL + '[space]\npreset = "write-heavy"\n' + REST)
    code, _, err = lsmtune("tune", "y.toml", "--study", "study", "--db-bench", str(find_leveldb_bench()))
    assert code in (1, 2)
    assert 'write name = "leveldb" under [engine]' in " ".join(err.split())
    assert "Traceback" not in err


def test_an_option_that_has_no_flag_is_refused_and_one_of_a_preset_is_left_out(lsmtune: Lsmtune) -> None:
    text = ENGINE + FILL + SPACE + REST
    Path("x.toml").write_text(text.replace('preset = "balanced"', 'options = ["block_restart_interval"]'))
    code, _, err = lsmtune("tune", "x.toml", "--study", "study")
    assert code == 2
    assert "what runs here has no block_restart_interval" in " ".join(err.split())


def test_a_machine_without_the_binary_is_told_how_to_get_it(lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LSMTUNE_LEVELDB_BENCH", "/nowhere/db_bench")
    Path("x.toml").write_text(ENGINE + FILL + SPACE + REST)
    code, _, err = lsmtune("tune", "x.toml", "--study", "study")
    assert code in (1, 2)
    assert "run lsmtune build leveldb" in " ".join(err.split())
