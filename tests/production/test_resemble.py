"""The experiment that resembles a service: what is inferred from a real database is what ran, and guesses say so."""

import gzip
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from test_canary import head
from test_findings import dump, written

from lsmtune import api
from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.backends.ycsb import find_driver
from lsmtune.errors import UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.production import read_service

MIB = 1 << 20


def filled(folder: Path, *words: str, num: int = 60_000, value_size: int = 400) -> Path:
    """A database of db_bench with memtables of 1 MB."""
    argv = [
        find_db_bench(),
        f"--num={num}",
        f"--value_size={value_size}",
        f"--db={folder}",
        "--write_buffer_size=1000000",
    ]
    subprocess.run([*map(str, argv), "--stats_dump_period_sec=1", *words], check=True, capture_output=True, timeout=300)
    return folder


def read(text: str, folder: Path) -> dict[str, Any]:
    """The tables of an experiment that lsmtune takes."""
    parse_experiment(text, folder / "service.toml")
    return tomllib.loads(text)


@pytest.mark.parametrize(("value_size", "num"), [(100, 300_000), (1000, 60_000)])
def test_a_fill_is_inferred_within_a_tenth(tmp_path: Path, value_size: int, num: int) -> None:
    folder = filled(tmp_path / "db", "--benchmarks=fillrandom", value_size=value_size, num=num)
    table = read(api.resemble(folder), tmp_path)
    workload = table["workload"]
    assert workload["benchmarks"] == "fillrandom"
    assert workload["key_size"] == 16
    assert workload["value_size"] == value_size
    assert workload["num"] == pytest.approx(num, rel=0.1)
    assert workload["compression_ratio"] == pytest.approx(0.5, rel=0.1)
    assert table["engine"]["options_file"].startswith(str(folder / "OPTIONS-"))
    assert table["engine"]["options"]["cache_size"] == 8 * MIB


def test_a_list_of_compressors_that_lsmtune_cannot_write_anew_is_left_as_it_is(tmp_path: Path) -> None:
    folder = filled(tmp_path / "db", "--benchmarks=fillrandom")
    assert "exclude" not in read(api.resemble(folder), tmp_path)["space"]
    newest = max(folder.glob("OPTIONS-*"))
    listed = "compression_per_level=kNoCompression:kLZ4Compression:kZSTD"
    text, changed = re.subn(r"\n  compression=\S+", rf"\g<0>\n  {listed}", newest.read_text())
    assert changed == 1
    newest.write_text(text)
    assert read(api.resemble(folder), tmp_path)["space"]["exclude"] == ["compression_type"]


def test_a_fill_in_order_is_told_from_one_at_random(tmp_path: Path) -> None:
    table = read(api.resemble(filled(tmp_path / "db", "--benchmarks=fillseq")), tmp_path)
    assert table["workload"]["benchmarks"] == "fillseq"


def test_a_service_without_a_block_cache_is_resembled_without_one(tmp_path: Path) -> None:
    text = api.resemble(filled(tmp_path / "db", "--benchmarks=fillrandom", "--cache_size=-1"))
    assert read(text, tmp_path)["engine"]["options"]["cache_size"] == 0


def test_a_log_alone_gives_the_options_that_it_prints(tmp_path: Path) -> None:
    folder = filled(tmp_path / "db", "--benchmarks=fillrandom", "--max_background_jobs=3", "--compression_type=zstd")
    table = read(api.resemble(folder / "LOG"), tmp_path)
    assert "options_file" not in table["engine"]
    options = table["engine"]["options"]
    assert (options["write_buffer_size"], options["max_background_jobs"]) == (1_000_000, 3)
    assert options["compression_type"] == "zstd"


def test_a_log_alone_gives_the_options_as_they_were_set_since_the_opening(tmp_path: Path) -> None:
    """What is not said by the LOG any more, as it is the default again, is left to the build."""
    given = (
        "SetOptions() on column family [default], inputs:",
        f"write_buffer_size: {32 * MIB}",
        "[default] SetOptions() succeeded",
    )
    set_later = "".join(f"2026/11/01-00:00:02.000000 9 [db/db_impl/db_impl.cc:1238] {words}\n" for words in given)
    text = head(0, 8 * MIB, "A") + set_later + written(3, 0, "Write Buffer Full", raw_key_size=2_400_000) + dump()
    (tmp_path / "LOG").write_text(text)
    assert read(api.resemble(tmp_path / "LOG"), tmp_path)["engine"]["options"]["write_buffer_size"] == 32 * MIB
    (tmp_path / "LOG").write_text(text.replace(str(32 * MIB), str(64 * MIB)))
    assert "write_buffer_size" not in read(api.resemble(tmp_path / "LOG"), tmp_path)["engine"]["options"]


def test_reads_and_writes_become_a_mix_with_the_shares_of_the_statistics(tmp_path: Path) -> None:
    tickers = {"number.keys.read": 63_000, "number.db.seek": 21_000, "number.keys.written": 42_000}
    text = head(0, 64, "A") + written(3, 0, "Write Buffer Full", num_entries=42_000) + dump(tickers=tickers)
    (tmp_path / "LOG").write_text(text)
    table = read(api.resemble(tmp_path / "LOG"), tmp_path)
    phase = table["workload"]["phases"]["service"]
    assert table["workload"]["tool"] == "ycsb"
    assert phase["readproportion"] == pytest.approx(0.5, abs=0.01)
    assert phase["updateproportion"] == pytest.approx(1 / 3, abs=0.01)
    assert phase["scanproportion"] == pytest.approx(1 / 6, abs=0.01)


@pytest.mark.parametrize("version", ["7.8.3", "11.8.1"])
def test_records_that_flushes_begin_with_are_read_under_both_names(tmp_path: Path, version: str) -> None:
    packed = Path(__file__).parents[1] / "fixtures" / f"db_bench-{version}" / "LOG.txt.gz"
    (tmp_path / "LOG").write_bytes(gzip.decompress(packed.read_bytes()))
    family = read_service([tmp_path]).last.events.families["default"]
    assert family.buffered >= family.flushed.entries > 0


def test_every_guess_says_so(tmp_path: Path) -> None:
    text = api.resemble(filled(tmp_path / "db", "--benchmarks=fillrandom", "--compression_type=none", num=20_000))
    lines = {line.partition(" =")[0]: line for line in text.splitlines() if " = " in line and not line.startswith("#")}
    for key in ("threads", "compression_ratio", "benchmarks"):
        assert "GUESS" in lines[key]
    assert "GUESS" not in lines["value_size"]


def driven(folder: Path, phases: str, **properties: float | str) -> Path:
    """A database of the driver, with memtables of 1 MiB and rows of one field of 400 B."""
    given = {"recordcount": 50_000, "operationcount": 100_000, "fieldcount": 1, "fieldlength": 400, **properties}
    argv = [find_driver(None, ""), "--engine", "rocksdb", "--db", folder, "--phases", phases]
    argv += [word for name, value in given.items() for word in ("-p", f"{name}={value}")]
    options = {"write_buffer_size": MIB, "max_bytes_for_level_base": 4 * MIB, "stats_dump_period_sec": 1}
    argv += [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    subprocess.run(list(map(str, argv)), check=True, capture_output=True, timeout=300)
    return folder


def test_the_skew_of_puts_is_inferred_from_what_flushes_drop(tmp_path: Path) -> None:
    shares: dict[str, float | str] = {"readproportion": 0, "updateproportion": 1, "requestdistribution": "zipfian"}
    driven(tmp_path / "db", "load,settle", **shares)
    paced: dict[str, float | str] = {"lsmtune.blindupdates": "true", "target": 30_000}  # so that dumps see it
    driven(tmp_path / "db", "run,settle", **shares, **paced)
    table = read(api.resemble(tmp_path / "db"), tmp_path)
    workload, phase = table["workload"], table["workload"]["phases"]["service"]
    assert (workload["tool"], workload["load"]) == ("ycsb", "load")
    assert phase["requestdistribution"] == "zipfian"
    assert phase["zipfian_const"] == pytest.approx(0.99, abs=0.03)
    assert phase["updateproportion"] == 1.0
    assert workload["num"] == pytest.approx(50_000, rel=0.1)
    assert workload["properties"]["fieldlength"] == pytest.approx(400, rel=0.1)


def test_keys_are_a_guess_without_a_dump_near_the_end(tmp_path: Path) -> None:
    shares: dict[str, float | str] = {"readproportion": 0, "updateproportion": 1, "requestdistribution": "zipfian"}
    folder = driven(tmp_path / "db", "load,settle", recordcount=3_000)
    driven(folder, "run", **shares, operationcount=4_000, recordcount=3_000)
    (line,) = (line for line in api.resemble(folder).splitlines() if line.startswith("num = "))
    assert "GUESS: as many keys as writes" in line


def test_uniform_puts_into_a_database_that_was_there_are_no_fill(tmp_path: Path) -> None:
    folder = filled(tmp_path / "db", "--benchmarks=filluniquerandom,waitforcompaction", num=50_000)
    filled(folder, "--benchmarks=overwrite,waitforcompaction", "--use_existing_db=1", num=50_000)
    workload = read(api.resemble(folder), tmp_path)["workload"]
    assert (workload["load"], workload["benchmarks"]) == ("filluniquerandom", "overwrite")
    assert workload["operations"] == pytest.approx(50_000, rel=0.1)


def test_a_compaction_that_closing_cut_off_dropped_nothing(tmp_path: Path) -> None:
    done = written(7, 1, "LevelL0FilesNum", num_entries=90_000)
    cut = "".join(line for line in done.splitlines(keepends=True) if "table_file_creation" not in line)
    (tmp_path / "LOG").write_text(
        head(0, 64, "A") + written(3, 0, "Write Buffer Full") + cut.replace('"job": 7', '"job": 8')
    )
    (family,) = api.diagnose(tmp_path / "LOG").last.events.families.values()
    assert (family.records_in, family.records_out, family.dropped) == (0, 0, 0.0)


def test_what_is_wrong_becomes_steps(tmp_path: Path) -> None:
    stall = "2026/11/01-00:00:05.000000 9 [WARN] [default] Stalling writes because we have 21 level-0 files rate 1\n"
    text = (
        head(0, 64, "A") + written(3, 0, "Write Buffer Full", raw_key_size=2_400_000) + stall * 30 + dump(percent=12.0)
    )
    (tmp_path / "LOG").write_text(text)
    table = read(api.resemble(tmp_path / "LOG"), tmp_path)
    assert any(each["because"].startswith("stalls-l0: ") for each in table["steps"])


def test_no_steps_are_announced_where_the_only_one_would_choose_a_compressor_beside_a_list(tmp_path: Path) -> None:
    table = written(3, 0, "Write Buffer Full", raw_key_size=2_400_000, file_size=100 * MIB)
    (tmp_path / "LOG").write_text(head(0, 64, "A") + table + dump())
    text = '[Version]\nrocksdb_version=7.8.3\n[DBOptions]\n[CFOptions "default"]\n  compression=kSnappyCompression\n'
    (tmp_path / "OPTIONS-000009").write_text(text)
    (step,) = read(api.resemble(tmp_path), tmp_path)["steps"]
    assert step["set"] == {"compression_type": "none"}
    (tmp_path / "OPTIONS-000009").write_text(f"{text}  compression_per_level=kNoCompression:kLZ4Compression:kZSTD\n")
    assert "--sampler steps" not in api.resemble(tmp_path)


def test_what_cannot_be_modelled_is_told(tmp_path: Path) -> None:
    (tmp_path / "LOG").write_text(head(0, 64, "A"))
    with pytest.raises(UsageError, match="no line about a table"):
        api.resemble(tmp_path / "LOG")
    (tmp_path / "LOG").write_text(head(0, 64, "A") + written(3, 0, "Write Buffer Full"))
    with pytest.raises(UsageError, match='has no column family "lok"; choose one of default'):
        api.resemble(tmp_path / "LOG", family="lok")


def test_keys_are_counted_at_the_moment_of_the_dump_also_over_a_rotated_log(tmp_path: Path) -> None:
    """Two flushes and a compaction that dropped half of what they brought; then one flush that no dump saw."""
    recovered = "2026/11/01-00:00:00.500000 9 Recovered from manifest file:X succeeded,last_sequence is 77, x\n"
    opened = head(0, 64, "A") + recovered
    first = opened + written(3, 0, "Write Buffer Full", num_entries=150_000)
    done = written(4, 1, "LevelL0FilesNum", num_entries=90_000)  # of 200,000 records
    rows = "  L1     12/0   500.00 MB   0.9  0.2  2.0  9\n"
    second = head(20, 64, "A") + done + dump(rows=rows) + written(5, 0, "Write Buffer Full", num_entries=150_000)
    (tmp_path / "LOG.old.1").write_text(first)
    (tmp_path / "LOG").write_text(second)
    (opening,) = api.diagnose(tmp_path).openings
    assert opening.dump is not None
    assert opening.dump.grown == {"default": 150_000 - 110_000}
    assert opening.sequence == 77
