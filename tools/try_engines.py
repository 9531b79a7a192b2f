"""Tunes, sweeps and exports with each db_bench that is built here, and writes docs/reference/engine-versions.md.

Usage: python tools/try_engines.py [VERSION... | PATH...]

Without one: all that `lsmtune build rocksdb` has built, and the distribution's. PATH is that of another db_bench, with
a slash in it. Each version has its row as soon as it has run. One that fails is named there with its reason. One that
does not even say what it is, or ends in an error that nobody foresaw, is named on stderr and keeps the row that it had.
The exit code is 1 then. Rows of versions that are not run this time stay as they are, with the day on which they were.
"""

import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import lsmtune
from lsmtune.api import Study
from lsmtune.backends import cache_folder
from lsmtune.backends.db_bench import can_flush
from lsmtune.backends.registry import catalogue_of, options_of
from lsmtune.backends.rocksdb import OptionsFile, discover, find_db_bench, read_values
from lsmtune.errors import LsmtuneError
from lsmtune.model import EngineBuild, Purpose
from lsmtune.native_builds import ROCKSDB_VERSIONS
from lsmtune.store import read_study, write_file

_PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "engine-versions.md"
_TRIALS = 3
_SWEPT = {"write_buffer_size": ["32MiB", "64MiB"], "compression_type": ["none", "zlib"]}
_FILL = {
    "scale": "1/64",
    "workload": {"benchmarks": "fillrandom", "num": "4M", "value_size": 400},
    "host": {"disturbed": "use"},
}
_HEAD = """\
# Versions of RocksDB

<!-- Written by tools/try_engines.py (make test-engines) from what it ran. Do not edit. -->

lsmtune runs the `db_bench` of every version from 6.2.4 to 11.8.1. `lsmtune build rocksdb --version V` builds those of
the table ([building RocksDB](../how-to/building-engines.md)). Name any other one with `--db-bench PATH`. For each
version that was built, the table says what `make test-engines` did with it on one machine: a tuning of {trials} trials,
a sweep of {swept} points, an export that the engine opens, whether the options that the engine used are those that
were asked for, and the day. What is not in the table was not run.

"""
_TAIL = """
## What older versions lack

- **Before 7.3 there is no `flush` that works.** Up to 6.18 `db_bench` has neither `flush` nor `waitforcompaction`. From
  6.19 to 7.2 its `flush` does nothing in a database with one column family (facebook/rocksdb issue 9880), and says no
  word of it. So compactions finish in another way. The output
  of `db_bench` is held after its last result until its compactions have ended, as for newer versions. Then a second
  process opens the database, which writes the last memtable from the log, and is held in the same way. Its LOG counts
  with that of the first. The waiting time of each process is kept with the run (`waited`). With the log off the first
  process writes its memtable while it closes. Statistics that the engine prints (STATISTICS, the table of compactions,
  `waf_table`) are those of the first process, so they lack the last memtable. A command that `lsmtune export` writes
  for such a version settles nothing, and says so. `lsmtune calibrate` refuses it.
- **Before 7.1 a result has only a rate.** Operations are counted by its histogram, and the time is operations over the
  rate. If an operation of the histogram is a batch, both are missing.
- **Options that a version lacks** are left out of the space, and named when a study begins. One that is named under
  `[space]` is refused. The same holds for choices of options: `compaction_pri = "round_robin"` came with 7.5.
- **trace_analyzer** is built from 7.9 on, the library and its headers from 6.11 on.
"""


@dataclass(frozen=True)
class _Row:
    """What a version did: a word for each thing, and what it lacks."""

    build: EngineBuild
    done: dict[str, str]
    missing: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        settled = "`flush`" if can_flush(self.build) else "opened again"
        lacking = ", ".join(f"`{name}`" for name in self.missing) or "nothing"
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        return (self.build.version, settled, *self.done.values(), today, lacking)


def main(versions: list[str]) -> int:
    """Run all versions; return 1 where one failed."""
    _enter()
    failed = []
    for program in _programs(versions):
        try:
            row = _tried(program)
        except Exception:  # whatever is wrong with one, the others are still to be run
            traceback.print_exc()
            failed.append(str(program))
            continue
        _enter(row)
        if any(word.startswith("no") for word in row.done.values()):
            failed.append(row.build.version)
    print(f"wrote {_PAGE}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _enter(*rows: _Row) -> None:
    """Write the page with these rows in the place of those that it has of their versions."""
    table = {cells[0]: cells for cells in (*_kept(_PAGE.read_text()), *(row.cells for row in rows))}
    write_file(_PAGE, _page([table[version] for version in sorted(table, key=_by_number)]).encode())


def _by_number(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _kept(page: str) -> list[tuple[str, ...]]:
    return [tuple(line.strip("| ").split(" | ")) for line in re.findall(r"^\| \d.*\|$", page, re.MULTILINE)]


def _programs(asked: list[str]) -> Iterator[Path]:
    for name in asked or (*ROCKSDB_VERSIONS, "/usr/bin/db_bench"):
        built = cache_folder() / "rocksdb" / name / "bin" / "db_bench"
        if "/" in name:
            yield Path(name)
        elif built.is_file():
            yield built
        elif asked:
            print(f"RocksDB {name} is not built; build it with lsmtune build rocksdb --version {name}")


def _tried(program: Path) -> _Row:
    program = find_db_bench(program)
    build = discover(program)
    print(f"RocksDB {build.version}", flush=True)
    everything = catalogue_of("rocksdb").for_version(build.version_tuple)
    missing = tuple(name for name in everything.options if name not in options_of(build).options)
    with tempfile.TemporaryDirectory(prefix="lsmtune-engines-") as folder:
        steps: dict[str, Callable[[], str]] = {
            "tune": partial(_tuned, Path(folder), program),
            "sweep": partial(_swept, Path(folder), program),
            "export": partial(_exported, Path(folder), build),
            "read back": partial(_read_back, Path(folder)),
        }
        done = {name: _word(step) for name, step in steps.items()}
    return _Row(build, done, missing)


def _word(step: Callable[[], str]) -> str:
    try:
        return step()
    except (LsmtuneError, AssertionError) as error:
        return f"no: {str(error).splitlines()[0]}"


def _tuned(folder: Path, program: Path) -> str:
    wanted = {
        **_FILL,
        "name": "tune",
        "space": {"options": ["write_buffer_size", "compression_type", "max_bytes_for_level_base"]},
        "search": {"noise_runs": 3, "sampler": "random"},
        "budget": {"trials": _TRIALS},
    }
    study = lsmtune.tune(wanted, study=folder / "tune", db_bench=program, quiet=True)
    with read_study(study.folder) as stored:
        runs = list(stored.runs())
        settled = stored.indicator("throughput_settled_ops_s")
    trials = {run.run.arm for run in runs if run.run.purpose is Purpose.TRIAL and run.run.id in settled}
    assert len(trials) == _TRIALS, f"{len(trials)} of {_TRIALS} trials were settled and measured"
    return f"{len(runs)} runs"


def _swept(folder: Path, program: Path) -> str:
    wanted = {**_FILL, "name": "sweep", "sweep": {"options": _SWEPT, "repeats": 2}}
    study = lsmtune.sweep(wanted, study=folder / "sweep", db_bench=program, quiet=True)
    frame = study.runs()
    points = frame[frame["purpose"] == "sample"]
    measured = int(points["indicator.throughput_settled_ops_s"].notna().sum())
    assert measured, "no point of the sweep was measured"
    return f"{measured} runs"


def _exported(folder: Path, build: EngineBuild) -> str:
    study = Study(folder / "tune")
    known = tuple(options_of(build).options.values())
    text = study.export("options-file", guard_undecided=True, unstable=True)
    found = read_values(OptionsFile.parse(text, "the export"), known, build.version)
    wanted = study.result.final.values
    differ = [name for name, value in wanted.items() if name in found and found[name] != value]
    assert not differ, f"the export differs in {', '.join(differ)}"
    return "opened"


def _read_back(folder: Path) -> str:
    compared = 0
    with read_study(folder / "sweep") as stored:
        for run in stored.runs(Purpose.SAMPLE):
            if run.effective_key is None:
                continue
            used = stored.configuration(run.effective_key).values
            for name, value in run.run.configuration.values.items():
                assert used[name] == value, f"{name} is {used[name]}, {value} was asked for"
                compared += 1
    assert compared, "no run has the options that the engine used"
    return "as asked"


def _page(rows: list[tuple[str, ...]]) -> str:
    names = ("RocksDB", "Settles by", "Tuning", "Sweep", "Export", "Options read back", "Run on", "Lacks")
    lines = [" | ".join(names), " | ".join("---" for _ in names), *(" | ".join(cells) for cells in rows)]
    points = 1
    for values in _SWEPT.values():
        points *= len(values)
    return _HEAD.format(trials=_TRIALS, swept=points) + "".join(f"| {line} |\n" for line in lines) + _TAIL


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
