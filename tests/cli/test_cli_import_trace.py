"""lsmtune import trace: an experiment from what db_bench recorded, and one sentence for what is no trace."""

import random
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from trace_builders import END, get, header, put, write

from lsmtune.experiment import load_experiment


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    draw = random.Random(2)
    keys = [b"user%06d" % draw.randrange(4000) for _ in range(3000)]
    records = [
        get(key, at * 500) if at % 3 else write(put(key, bytes(80)), micros=at * 500) for at, key in enumerate(keys)
    ]
    path = tmp_path / "service.trace"
    path.write_bytes(b"".join([header(), *records, END]))
    return path


def test_a_trace_becomes_an_experiment_on_stdout_or_in_a_file(trace: Path, lsmtune: Lsmtune, tmp_path: Path) -> None:
    code, out, err = lsmtune("import", "trace", str(trace), "--num", "5k")
    assert (code, err) == (0, "")
    assert 'benchmarks = "mixgraph"' in out
    assert "num = 5000                          # as you said; the trace has " in out
    assert "mix_get_ratio = 0.6667              # 2,000 look-ups" in out
    code, out, err = lsmtune("import", "trace", str(trace), "-o", "service.toml", "--scan-length", "7", "--hold-rate")
    assert (code, out, err) == (0, "", "lsmtune: wrote service.toml\n")
    experiment = load_experiment(tmp_path / "service.toml")
    assert dict(experiment.workload().flags)["sine_d"] == "2000"
    assert experiment.weights == {"read_latency_p99_s": 1, "write_latency_p99_s": 1}


def test_a_replay_names_the_trace_and_the_db_bench(trace: Path, lsmtune: Lsmtune) -> None:
    code, out, err = lsmtune("import", "trace", str(trace), "--replay", "--db-bench", "/opt/db_bench")
    assert (code, err) == (0, "")
    assert f'trace_file = "{trace}"' in out
    assert 'db_bench = "/opt/db_bench"' in out


def test_a_db_bench_is_named_in_full_wherever_the_experiment_is_put(
    trace: Path, lsmtune: Lsmtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for given, meant in (("bin/db_bench", "bin/db_bench"), ("~/db_bench", "home/db_bench")):
        out = lsmtune("import", "trace", str(trace), "--replay", "--db-bench", given)[1]
        assert f'db_bench = "{tmp_path / meant}"' in out


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "is empty; record one with DB::StartTrace, or with db_bench --trace_file"),
        (random.Random(8).randbytes(200), "is no trace of RocksDB's queries"),
        (b"2026/11/23-14:44:25.435455 974 RocksDB version: 7.8.3\n" * 40, "is no trace of RocksDB's queries"),
        (header()[:50], "has a header that is damaged"),
        (header("1.0", "12.0") + END, "is a trace of format 1.0, recorded by RocksDB 12.0"),
        (header() + get(b"key")[:20], f"holds no query: it is damaged at byte {len(header())}, as a record stops"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_sentence(lsmtune: Lsmtune, tmp_path: Path, data: bytes, part: str) -> None:
    (tmp_path / "given").write_bytes(data)
    code, out, err = lsmtune("import", "trace", "given")
    assert (code, out) == (2, "")
    assert err.startswith("lsmtune: given ")
    assert part in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["gone.trace"], "gone.trace cannot be read: No such file or directory"),
        (["service.trace", "--num", "many"], "many"),
        (["service.trace", "--scan-length", "0"], "the scan length is 0; write 1 or more"),
        (["service.trace", "--replay", "--hold-rate"], "a replay takes keys, scans and pace from the trace"),
    ],
)
@pytest.mark.usefixtures("trace")
def test_wrong_use_is_one_sentence(lsmtune: Lsmtune, words: list[str], part: str) -> None:
    code, out, err = lsmtune("import", "trace", *words)
    assert (code, out) == (2, "")
    assert part in err
