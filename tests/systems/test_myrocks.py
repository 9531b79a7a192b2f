"""Lines for MyRocks under Debian's MariaDB: what its RocksDB then runs with is what was meant.

`make test-systems` runs this; `make test` does not, as a server is fetched for it.
"""

import getpass
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from system_loaders import (
    differing,
    everything,
    exported,
    libraries,
    meant,
    newest_options,
    unpacked,
    used,
    words,
    wrong_defaults,
)
from target_builders import TUNED

from lsmtune.exporters import find_target
from lsmtune.model import Value

TARGET = find_target("myrocks")
START_S = 60
ROWS = 20_000

Ask = Callable[[str], str]


@contextmanager
def served(text: str, folder: Path) -> Iterator[Ask]:
    """Run a server of its own in a folder, with a file of options, and yield what asks it; its database is emptied."""
    root = unpacked("mariadb-plugin-rocksdb")
    data = folder / "data"
    data.mkdir(parents=True)
    (folder / TARGET.file).write_text(text)
    arguments = [
        f"--defaults-file={folder / TARGET.file}",
        f"--basedir={root}/usr",
        f"--lc-messages-dir={root}/usr/share/mysql",
        f"--character-sets-dir={root}/usr/share/mysql/charsets",
        f"--plugin-dir={root}/usr/lib/mysql/plugin",
        f"--datadir={data}",
        "--plugin-load-add=ha_rocksdb",
        "--rocksdb=FORCE",  # a server that refuses the options has to stop, not to run without its engine
        "--innodb=OFF",
        "--default-storage-engine=RocksDB",
        "--skip-grant-tables",
        "--skip-networking",
        "--socket=s",  # within the data folder, as the path of a socket may be short only
        f"--user={getpass.getuser()}",
    ]

    def ask(statements: str) -> str:
        done = subprocess.run(
            [f"{root}/usr/bin/mariadb", "--no-defaults", "--socket=s", "-N", "-B", "-e", statements],
            check=False,
            capture_output=True,
            text=True,
            cwd=data,
            env=libraries(root),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [f"{root}/usr/sbin/mariadbd", *arguments], stdout=log, stderr=log, env=libraries(root)
        )
        try:
            until = time.monotonic() + START_S
            while not (data / "s").exists():
                assert server.poll() is None, (folder / "server.log").read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
            yield ask
        finally:
            server.terminate()
            ended = server.wait(60)
    assert ended == 0, (folder / "server.log").read_text()


def filled(ask: Ask) -> float:
    """Write a table to files, and return how many bits its filters take for a key."""
    ask(
        f"CREATE DATABASE d; USE d; CREATE TABLE t (a INT PRIMARY KEY, b TEXT) "
        f"SELECT seq AS a, 'text' AS b FROM seq_1_to_{ROWS};"
        "SET GLOBAL rocksdb_force_flush_memtable_now = 1;"
    )
    told = ask(
        "SELECT SUM(FILTER_BLOCK_SIZE) * 8 / SUM(ENTRIES) FROM information_schema.ROCKSDB_SST_PROPS "
        f"WHERE ENTRIES >= {ROWS}"
    )
    return float(told)


def log_of(folder: Path) -> str:
    return (folder / "data" / "#rocksdb" / "LOG").read_text(errors="replace")


@pytest.mark.parametrize("values", [TUNED, None], ids=["as a study ends", "every option"])
def test_myrocks_runs_every_column_family_with_what_was_meant(
    values: Mapping[str, Value] | None, tmp_path: Path
) -> None:
    asked = everything(TARGET) if values is None else values
    with served(exported(TARGET, asked, whole=values is not None), tmp_path) as ask:
        bits = filled(ask)
        options = newest_options(tmp_path / "data" / "#rocksdb")
        for family in ("default", "__system__"):
            assert differing(TARGET, used(TARGET, options, family), meant(asked)) == {}
        # What no OPTIONS file of this version has.
        assert int(ask("SELECT @@rocksdb_block_cache_size")) == asked["cache_size"]
        assert (
            f"rate_limiter={asked['rate_limiter_bytes_per_sec']}"
            == "rate_limiter=" + ask("SELECT @@rocksdb_rate_limiter_bytes_per_sec").strip()
        )
        if not asked.get("optimize_filters_for_hits"):
            assert bits == pytest.approx(asked["bloom_bits"], rel=0.15)
    assert re.search(r"Options\.rate_limiter: 0x", log_of(tmp_path))
    assert f"RocksDB version: {TARGET.rocksdb}\n" in log_of(tmp_path)


def test_the_defaults_of_the_table_are_those_of_the_server(tmp_path: Path) -> None:
    with served("[mariadb]\n", tmp_path) as ask:
        found = used(TARGET, newest_options(tmp_path / "data" / "#rocksdb"))
        assert wrong_defaults(TARGET, found) == {}
        assert int(ask("SELECT @@rocksdb_block_cache_size")) == TARGET.defaults["cache_size"]


def test_the_server_knows_every_word_of_the_table(tmp_path: Path) -> None:
    for place, values in enumerate(words(TARGET)):
        with served(exported(TARGET, values, whole=False), tmp_path / str(place)) as ask:
            filled(ask)
            found = used(TARGET, newest_options(tmp_path / str(place) / "data" / "#rocksdb"))
        assert {name: found[name] for name in values if name in found} == values


def test_the_server_stops_at_the_first_flush_with_blob_files_which_the_table_therefore_does_not_write(
    tmp_path: Path,
) -> None:
    assert "enable_blob_files" not in {name for key in TARGET.keys for name in key.options}
    with (
        pytest.raises(AssertionError, match="AddUserKey"),
        served('[mariadb]\nrocksdb_default_cf_options = "enable_blob_files=true"\n', tmp_path) as ask,
        pytest.raises(AssertionError, match="Lost connection"),
    ):
        filled(ask)
