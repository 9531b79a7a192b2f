"""Try `lsmtune check --canary` on six databases that the driver works on, three of which change half-way.

    lsmtune build driver && python tools/try_canaries.py [--keep FOLDER]

Each database is loaded and updated with a small memtable, closed, and opened again for as many updates: the controls as
they were, the canaries with larger memtables. What the command then says is printed. With --keep, the LOGs are left in
FOLDER as LOG.gz, one folder an instance, without the lines that nothing reads. A few minutes.
"""

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from lsmtune.backends.ycsb import find_driver

_INSTANCES = 3
_RECORDS, _UPDATES = 150_000, 150_000
_COMMON = {
    "stats_dump_period_sec": "1",
    "max_bytes_for_level_base": str(16 << 20),
    "target_file_size_base": str(4 << 20),
}
_BEFORE, _AFTER = {"write_buffer_size": str(2 << 20)}, {"write_buffer_size": str(16 << 20)}
_UNREAD = re.compile(
    r"^\d{4}/.*(?:Level summary|\[default\] \[JOB|Generated table|compacted to|files\[)"
    r"|^\*\* (?:Level|File)|^[\[(] +\d+,"
    r"|^(?:Count|Min|Percentiles): |^rocksdb\.|^-{9,}$|^$"
)
_TABLE = re.compile(r'.*"event": "table_file_creation".*?"file_size": \d+')


def main() -> None:
    """Make the databases, compare them, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the LOGs there")
    keep = parser.parse_args().keep
    with tempfile.TemporaryDirectory() as scratch:
        names = [f"{kind}-{number}" for kind in ("canary", "control") for number in range(1, _INSTANCES + 1)]
        folders = {name: Path(scratch) / name for name in names}
        for seed, folder in enumerate(folders.values(), 1):
            _work(folder, "load,run", _BEFORE, seed)
        for seed, (name, folder) in enumerate(folders.items(), 1):
            _work(folder, "run", _AFTER if name.startswith("canary") else _BEFORE, seed)
        words = [word for name, folder in folders.items() for word in (f"--{name.split('-')[0]}", str(folder))]
        subprocess.run([sys.executable, "-m", "lsmtune", "check", *words], check=True)
        if keep is not None:
            for name, folder in folders.items():
                _keep(folder, keep / name)


def _work(folder: Path, phases: str, options: dict[str, str], seed: int) -> None:
    """Run phases on a database: updates of records of 1 KB, chosen by a Zipf distribution."""
    properties = {
        "recordcount": str(_RECORDS),
        "operationcount": str(_UPDATES + 10_000 * seed),
        "fieldcount": "1",
        "fieldlength": "1000",
        "readproportion": "0",
        "updateproportion": "1",
        "requestdistribution": "zipfian",
        "lsmtune.seed": str(seed),
    }
    argv = [str(find_driver(None, "")), "--engine", "rocksdb", "--db", str(folder), "--phases", phases]
    argv += [word for name, value in properties.items() for word in ("-p", f"{name}={value}")]
    argv += [word for name, value in {**_COMMON, **options}.items() for word in ("-o", f"{name}={value}")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr}")


def _keep(folder: Path, where: Path) -> None:
    """Write what is read of all LOGs of a database, in their order, gzipped."""
    where.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("LOG*")):
        lines = filter(None, map(_kept, path.read_text().splitlines(keepends=True)))
        text = "".join(lines).replace(str(folder), "/service")
        (where / f"{path.name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def _kept(line: str) -> str:
    """Return what is read of a line; nothing of those of single jobs but the sizes of tables."""
    if "EVENT_LOG_v1" in line:
        match = _TABLE.match(line)
        return "" if match is None else f"{match[0]}}}\n"
    return "" if _UNREAD.match(line) else line


if __name__ == "__main__":
    main()
