"""lsmtune memory: of OPTIONS files, of experiments, of values alone; wrong input is one sentence."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import Lsmtune

from lsmtune.testing import fake_db_bench

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "memory.md"
OPTIONS = Path(__file__).parents[1] / "fixtures" / "db_bench-7.8.3" / "OPTIONS-000007.ini"
NEWER = Path(__file__).parents[1] / "fixtures" / "db_bench-11.8.1" / "OPTIONS-000007.ini"
MIB = 1 << 20


def told(answer: tuple[int, str, str]) -> dict[str, Any]:
    code, out, err = answer
    assert (code, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    return document


def part(document: dict[str, Any], name: str) -> int:
    found: int = next(each["bytes"] for each in document["parts"] if each["name"] == name)
    return found


def test_an_options_file_gives_parts_with_formula_share_and_source(lsmtune: Lsmtune) -> None:
    document = told(lsmtune("memory", str(OPTIONS), "--data", "1GiB", "--json"))
    assert part(document, "memtables") == MIB  # two of 512 KiB
    assert part(document, "indexes") == 262144 * 29
    assert sum(each["share"] for each in document["parts"]) == pytest.approx(1)
    assert document["total_bytes"] == sum(each["total_bytes"] for each in document["parts"])
    assert all(each["formula"] and each["source"] for each in document["parts"])


def test_the_card_has_a_table_with_bars_formulas_and_what_is_assumed(lsmtune: Lsmtune) -> None:
    code, out, err = lsmtune("memory", str(OPTIONS), "--data", "1GiB", "--set", "cache_size=64MiB")
    assert (code, err) == (0, "")
    assert "resident at its peak" in out
    assert "block cache" in out
    assert "█" in out
    assert "cache_size 64 MiB, full" in out
    assert "Assumed" in out


@pytest.mark.parametrize(("file", "cache_mib"), [(OPTIONS, 8), (NEWER, 32)])
def test_the_block_cache_that_no_options_file_holds_is_that_of_its_version(
    lsmtune: Lsmtune, file: Path, cache_mib: int
) -> None:
    document = told(lsmtune("memory", str(file), "--json"))
    assert part(document, "block cache") == cache_mib * MIB
    assert document["assumptions"][0].startswith(
        f"no OPTIONS file holds the block cache: it is RocksDB's own of {cache_mib}"
    )
    assert document["unknown"] == ["indexes"]


def test_the_folder_of_a_database_stands_for_its_newest_options_file(lsmtune: Lsmtune, tmp_path: Path) -> None:
    shutil.copy(NEWER, tmp_path / "OPTIONS-000005")
    shutil.copy(OPTIONS, tmp_path / "OPTIONS-000017")
    assert part(told(lsmtune("memory", ".", "--json")), "block cache") == 8 * MIB


def test_each_column_family_has_its_memtables(lsmtune: Lsmtune, tmp_path: Path) -> None:
    text = OPTIONS.read_text()
    second = text[text.index('[CFOptions "default"]') :].replace('"default"', '"lock"')
    (tmp_path / "two.ini").write_text(text + second.replace("write_buffer_size=524288", "write_buffer_size=1048576"))
    document = told(lsmtune("memory", "two.ini", "--json"))
    assert part(document, "memtables of default") == MIB
    assert part(document, "memtables of lock") == 2 * MIB


@pytest.mark.parametrize(
    ("policy", "bits"), [("bloomfilter:12:false", 12), ("ribbonfilter:10:0", 7), ("{id=someone.else;}", 0)]
)
def test_a_filter_policy_is_counted_or_said_to_be_left_out(
    lsmtune: Lsmtune, tmp_path: Path, policy: str, bits: int
) -> None:
    (tmp_path / "one.ini").write_text(OPTIONS.read_text().replace("filter_policy=nullptr", f"filter_policy={policy}"))
    document = told(lsmtune("memory", "one.ini", "--data", "1GiB", "--json"))
    left_out = f'the filters of "default" are left out, as filter_policy={policy} is not understood; give bloom_bits'
    if bits:
        assert part(document, "filters") == round((1 << 30) / 116 * bits / 8)
    assert (left_out in document["assumptions"]) is (bits == 0)


def test_stores_multiply_their_parts_and_may_share_the_cache(lsmtune: Lsmtune) -> None:
    streams = ("memory", "--set", "cache_size=50MiB", "--set", "write_buffer_size=16MiB", "--stores", "100", "--json")
    apart, shared = told(lsmtune(*streams)), told(lsmtune(*streams, "--shared-cache"))
    assert apart["total_bytes"] - shared["total_bytes"] == 99 * 50 * MIB
    assert {each["name"]: each["count"] for each in shared["parts"]}["block cache"] == 1


def test_what_is_known_of_the_workload_is_taken_from_the_options(lsmtune: Lsmtune) -> None:
    known = ("--data", "1GiB", "--pair", "24+1000", "--threads", "2", "--iterators", "50", "--flush-lag", "0.5")
    more = ("--malloc-arenas", "1", "--process", "200MiB", "--set", "bloom_bits=10", "--json")
    document = told(lsmtune("memory", *known, *more))
    assert part(document, "filters") == round((1 << 30) / 1024 * 10 / 8)
    assert part(document, "memtables filled during a flush") == 32 * MIB
    assert part(document, "blocks pinned by iterators") == 50 * 10 * 4096
    assert part(document, "process") == 200 * MIB
    assert "held back by malloc" not in {each["name"] for each in document["parts"]}


def test_leveldb_has_parts_of_its_own(lsmtune: Lsmtune) -> None:
    document = told(lsmtune("memory", "--engine", "leveldb", "--set", "write_buffer_size=16MiB", "--json"))
    assert part(document, "memtables") == 32 * MIB


def test_an_option_without_effect_on_memory_is_named(lsmtune: Lsmtune) -> None:
    document = told(lsmtune("memory", "--set", "compaction_pri=by_compensated_size", "--json"))
    assert "compaction_pri does not change memory" in document["assumptions"]


def test_an_option_under_the_engine_s_own_key_is_that_option(lsmtune: Lsmtune) -> None:
    large = ("memory", "--data", "100GiB", "--json")
    by_name = told(lsmtune(*large, "--set", "mmap_read=true", "--set", "subcompactions=4"))
    by_key = told(lsmtune(*large, "--set", "allow_mmap_reads=true", "--set", "max_subcompactions=4"))
    assert part(by_key, "mapped table files") > 99 << 30
    assert by_key == by_name


def test_an_experiment_is_taken_as_its_runs_have_it(
    lsmtune: Lsmtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LSMTUNE_DB_BENCH", str(fake_db_bench.install(tmp_path)))
    (tmp_path / "fill.toml").write_text(
        'scale = "1/16"\n[workload]\nbenchmarks = "fillrandom"\nnum = "1.6M"\nthreads = 2\n'
        '[space.fixed]\nwrite_buffer_size = "32MiB"\n'
    )
    document = told(lsmtune("memory", "fill.toml", "--json"))
    assert part(document, "memtables") == 4 * MIB
    assert part(document, "process") == 16 * MIB
    assert part(document, "indexes") == round(100_000 * 116 / 4096 * 29)
    assert "at a scale of 1/16" in document["assumptions"][0]


def test_a_cache_that_an_experiment_leaves_to_its_options_file_is_rocksdbs_own_at_every_scale(
    lsmtune: Lsmtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LSMTUNE_DB_BENCH", str(fake_db_bench.install(tmp_path)))
    shutil.copy(OPTIONS, tmp_path / "mine.ini")
    (tmp_path / "read.toml").write_text(
        'scale = "1/16"\n[engine]\noptions_file = "mine.ini"\n[engine.options]\ncache_size = -1\n'
        'cache_type = "lru_cache"\n[workload]\nload = "fillseq"\nbenchmarks = "readrandom"\nnum = "16M"\n'
    )
    assert part(told(lsmtune("memory", "read.toml", "--json")), "block cache") == 8 * MIB


def test_an_experiment_has_the_column_families_of_its_flags(
    lsmtune: Lsmtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LSMTUNE_DB_BENCH", str(fake_db_bench.install(tmp_path)))
    (tmp_path / "fill.toml").write_text(
        '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n[workload.flags]\nnum_column_families = 3\n'
        '[space.fixed]\nwrite_buffer_size = "8MiB"\n'
    )
    document = told(lsmtune("memory", "fill.toml", "--json"))
    assert part(document, "memtables of default") == 16 * MIB
    assert part(document, "memtables of column_family_name_000002") == 16 * MIB


def test_what_nobody_said_of_the_workload_is_said(lsmtune: Lsmtune) -> None:
    bare = told(lsmtune("memory", "--json"))["assumptions"]
    assert "1 client thread and pairs of 16 B + 100 B, as nothing else was given" in bare
    known = told(lsmtune("memory", "--threads", "1", "--pair", "8+8", "--json"))["assumptions"]
    assert not any("nothing else was given" in sentence for sentence in known)


@pytest.mark.parametrize("block", re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE))
def test_the_page_shows_what_its_commands_print(lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch, block: str) -> None:
    monkeypatch.chdir(ROOT)
    command, _, shown = block.partition("\n")
    code, out, err = lsmtune(*command.removeprefix("$ lsmtune ").split())
    assert (code, err) == (0, "")
    assert [line.rstrip() for line in out.splitlines()] == shown.splitlines()


def test_the_table_of_the_page_is_what_was_measured() -> None:
    page = PAGE.read_text()
    with (ROOT / "reproductions" / "memory" / "measured.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        predicted, measured = (int(row[f"{which}_bytes"]) / MIB for which in ("predicted", "measured"))
        error = predicted / measured - 1
        assert float(row["error"]) == pytest.approx(error, abs=1e-4)
        assert (
            f"| {row['configuration']} | {predicted:.1f} MiB | {measured:.1f} MiB | {error:+.1%}".replace("%", " %")
            in page
        )
    errors = sorted(abs(float(row["error"])) for row in rows)
    large = [row for row in rows if float(row["configured_over_fixed"]) >= 4]
    said = f"median error {errors[len(errors) // 2]:.1%}, largest {errors[-1]:.1%}".replace("%", " %")
    assert said in page
    assert f"{len(rows)} configurations" in page
    assert f"{len(large)} of them" in page


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["missing.ini"], ["missing.ini", "cannot be read"]),
        (["missing.toml"], ["missing.toml does not exist"]),
        (["."], ["has no OPTIONS file"]),
        (["text"], ["text:1", "stands before the first"]),
        (["empty"], ["empty has no [Version] section"]),
        (["binary"], ["binary is not text"]),
        (["--set", "cache_size"], ['"cache_size"', "cache_size=1GiB"]),
        (["--set", "cache_size=much"], ['"much" is not a size']),
        (["--set", "cash_size=1GiB"], ['did you mean "cache_size"?']),
        (["--set", "no_block_cache=1GiB"], ["give true or false"]),
        (["--set", "writable_file_max_buffer_size=x"], ["writable_file_max_buffer_size", '"x"']),
        (["--set", "cache_size=1GiB", "--set", "cache_size=2GiB"], ["cache_size two values, 1GiB and 2GiB"]),
        ([str(OPTIONS), "--engine", "leveldb"], ["is of rocksdb, and not of leveldb; leave the engine out"]),
        (["--data", "much"], ['"much" is not a size']),
        (["--pair", "100"], ['--pair "100"', "16+100"]),
        (["--pair", "0+0"], ["pair_bytes is 0"]),
        (["--stores", "0"], ["--stores"]),
        (["--stores", "9" * 400], ["stores", "64 bits"]),
        (["--flush-lag", "inf"], ["flush_lag is inf", "64 bits"]),
        (["--data", "9999P"], ['"9999P" is more than', "64 bits"]),
        (["--data", "9" * 5000], ["is not a size"]),
        (["--set", "max_bytes_for_level_multiplier=1e300"], ["max_bytes_for_level_multiplier", "1e300"]),
        (["--engine", "badger"], ["badger"]),
    ],
)
def test_wrong_input_is_one_sentence(lsmtune: Lsmtune, tmp_path: Path, words: list[str], parts: list[str]) -> None:
    (tmp_path / "text").write_text("hello\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    code, out, err = lsmtune("memory", *words)
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1
    for each in parts:
        assert each in err


def test_a_terminal_without_unicode_gets_bars_of_other_characters() -> None:
    command = [sys.executable, "-m", "lsmtune", "memory", str(OPTIONS), "--data", "1GiB"]
    for encoding, bar in (("ascii", b"###"), ("utf-8", "███".encode())):
        surroundings = {**os.environ, "PYTHONIOENCODING": encoding}
        answer = subprocess.run(command, env=surroundings, capture_output=True, timeout=300, check=False)
        assert (answer.returncode, answer.stderr) == (0, b"")
        assert bar in answer.stdout
