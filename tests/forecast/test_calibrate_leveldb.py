"""What LevelDB's db_bench is measured for the model of its tree."""

from pathlib import Path

import pytest

from lsmtune import api
from lsmtune.backends.leveldb import discover_leveldb, find_leveldb_bench
from lsmtune.backends.leveldb_bench._calibrate import LevelDbCalibrator, merge_of
from lsmtune.errors import RunError, UsageError
from lsmtune.forecast import Calibration, predicted
from lsmtune.lsm_model.tree import Costs, Rules, Step, Writes

KIB, MIB = 1 << 10, 1 << 20
LOG = """\
2026/11/25-01:00:00.000000 7f Recovering log #3
2026/11/25-01:00:00.100000 7f Level-0 table #5: started
2026/11/25-01:00:00.200000 7f Level-0 table #5: 1000 bytes OK
2026/11/25-01:00:00.300000 7f Delete type=0 #3
2026/11/25-01:00:02.000000 7f Level-0 table #7: started
2026/11/25-01:00:02.500000 7f Level-0 table #7: 800 bytes OK
2026/11/25-01:00:02.600000 7f Compacting 2@0 + 0@1 files
2026/11/25-01:00:03.600000 7f Compacted 2@0 + 0@1 files => 1000 bytes
"""


def database(folder: Path, log: str) -> Path:
    (folder / "LOG").write_text(log)
    return folder


def test_a_log_tells_what_a_flush_and_a_merge_of_two_known_tables_took(tmp_path: Path) -> None:
    found = merge_of(database(tmp_path, LOG), 100)
    assert (found.flush_us, found.merge_us) == pytest.approx((500_000, 1_000_000))
    assert (found.flushed, found.merged, found.written) == pytest.approx((80, 180, 1000))
    assert found.merge_ns(10) == pytest.approx(1e9 / 1800)
    assert found.flush_ns(10) == pytest.approx(5e8 / 800)


@pytest.mark.parametrize("left_out", ["Recovering", "#7", "Compacted"])
def test_a_log_of_something_else_is_refused(tmp_path: Path, left_out: str) -> None:
    log = "".join(line for line in LOG.splitlines(True) if left_out not in line)
    with pytest.raises(RunError, match=r"tells of \d tables .* \d flushes and \d merges where one of each"):
        merge_of(database(tmp_path, log), 100)


def test_a_real_leveldb_is_measured(tmp_path: Path) -> None:
    steps: list[Step] = []
    build = discover_leveldb(find_leveldb_bench())
    costs = LevelDbCalibrator(build, tmp_path, steps.append, memtables=(256 * KIB, MIB), filled=2 * MIB).costs()
    assert [step.number for step in steps] == list(range(1, steps[0].of + 1))
    assert all(time_us > 0 for _, time_us in costs.write_us)
    assert costs.flush_us > 0
    assert costs.job_us > 0
    assert costs.flush_ns + costs.flush_entry_ns > 0
    assert costs.merge_ns + costs.merge_entry_ns > 0
    assert 0 < costs.crowded <= 1
    assert costs.rules is Rules.LEVELDB
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_costs_of_leveldb_are_kept_as_such(tmp_path: Path) -> None:
    costs = Costs(rules=Rules.LEVELDB, assumed=(), origin="measured here")
    path = tmp_path / "host.toml"
    path.write_text(Calibration("host", "here", 2, "build", "1.22", "2026-11-25T00:00:00+00:00", costs).text())
    assert Calibration.read(path).costs == costs


def test_only_costs_of_another_engine_are_called_so() -> None:
    writes = Writes(100_000, 100_000, 16, 100, rules=Rules.LEVELDB)
    own, other = (predicted({}, [writes], Costs(rules=rules), 2) for rules in (Rules.LEVELDB, Rules.ROCKSDB))
    assert not any("costs of RocksDB" in sentence for sentence in own.assumptions)
    assert any("costs of RocksDB" in sentence for sentence in other.assumptions)


def test_an_engine_without_a_db_bench_is_wrong_use() -> None:
    with pytest.raises(UsageError, match=r"--engine pebble .* choose one of rocksdb, leveldb"):
        api.calibrate(engine="pebble", quiet=True)
