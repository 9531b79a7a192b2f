"""Provoke pains of services and look what `lsmtune diagnose` finds in small databases, with one pain each or none.

    python tools/provoke_pains.py [NAME ...] [--keep] [--write]
    python tools/provoke_pains.py --recorded [--write]

Each database is made by Debian's db_bench (package rocksdb-tools), in seconds, and diagnosed; the table of what was
found against what is there is printed, and put into docs/how-to/diagnose.md with --write. --keep leaves the LOGs in
tests/data/pains, without the lines that nothing reads, after looking that they are diagnosed as the database is;
--recorded reads those that are there in place of making any. The exit code is 1 where a pain is not found or more than
one finding is false.
"""

import argparse
import gzip
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsmtune.production import ServiceFinding, findings_of, read_service
from provoked_databases import COMMON, DATABASES, Database

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "diagnose.md"
RECORDED = ROOT / "tests" / "data" / "pains"
BEGIN, END = "<!-- pains: begin -->", "<!-- pains: end -->"
MOST_FALSE = 1

_UNREAD = re.compile(
    r"^\d{4}/\S+ \S+ (?:\[[^]]*\] )*(?:\S+ )?(?:Level summary|Host name|Generated table|Level-0 |Moving "
    r"|Moved |Compacted |Compaction start|compacted to|files\[|Flushing memtable|New memtable|Deleting file"
    r"|DB SUMMARY|\S+ SUMMARY)"
    r"|^\d{4}/.*\] \[JOB \d+\] (?!.*EVENT_LOG)"
    r"|^rocksdb\.\S+ P50 : |^rocksdb\.\S+ COUNT : 0$"
    r"|^\*\* (?:Level \d+|File Read)|^[\[(] +\d+, +\d+ [\])]|^Count: |^Min: |^Percentiles: |^-{9,}$|^$"
)
"""Lines that say nothing to `lsmtune.production`; what a database and its extract tell is compared."""


@dataclass(frozen=True)
class Outcome:
    """A database and what was found in it."""

    database: Database
    findings: tuple[ServiceFinding, ...]

    @property
    def found(self) -> tuple[str, ...]:
        """Codes, each once."""
        return tuple(dict.fromkeys(each.code for each in self.findings))

    @property
    def false(self) -> tuple[str, ...]:
        """What was found and is not there."""
        return tuple(code for code in self.found if code not in self.database.there)

    @property
    def is_right(self) -> bool:
        """Whether the pain was found and at most one finding is false."""
        return self.database.pain in (*self.found, "") and len(self.false) <= MOST_FALSE


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the databases or read the recorded ones, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="these alone; else all")
    parser.add_argument(
        "--keep", action="store_true", help=f"leave extracts of the LOGs in {RECORDED.relative_to(ROOT)}"
    )
    parser.add_argument("--recorded", action="store_true", help="read what was kept, make nothing")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.relative_to(ROOT)}")
    asked = parser.parse_args(arguments)
    known = [each.name for each in DATABASES]
    if strange := [name for name in asked.names if name not in known]:
        parser.error(f'there is no database "{strange[0]}"; choose from {", ".join(known)}')
    if asked.write and asked.names:
        parser.error("--write replaces the whole table; leave the names out")
    chosen = [each for each in DATABASES if not asked.names or each.name in asked.names]
    outcomes = [
        diagnosed(each, RECORDED / each.name) if asked.recorded else _made(each, keep=asked.keep) for each in chosen
    ]
    table = table_of(outcomes)
    sys.stdout.write(table)
    if asked.write:
        PAGE.write_text(with_table(PAGE.read_text("utf-8"), table), "utf-8")
    return 0 if all(each.is_right for each in outcomes) else 1


def diagnosed(database: Database, folder: Path) -> Outcome:
    """Return what is found in a folder."""
    return Outcome(database, findings_of(read_service([folder])))


def table_of(outcomes: Iterable[Outcome]) -> str:
    """Return what was found against what is there, in Markdown."""
    lines = ["| Database | What was done | There | Found | False |", "| --- | --- | --- | --- | --- |"]
    for each in outcomes:
        database, missed = each.database, each.database.pain and each.database.pain not in each.found
        cells = (
            f"`{database.name}`",
            database.words,
            _codes(database.there),
            f"{_codes(each.found)}{' (missed)' if missed else ''}",
            _codes(each.false),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def with_table(page: str, table: str) -> str:
    """Return the page with the table between its marks."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{table}\n{END}{tail}"


def _codes(codes: Sequence[str]) -> str:
    return ", ".join(f"`{code}`" for code in codes) or "-"


def _made(database: Database, *, keep: bool) -> Outcome:
    """Make a database, and return what is found in it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "db"
        for run in database.runs:
            argv = ["db_bench", f"--db={folder}", *COMMON, *run]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr}")
        outcome = diagnosed(database, folder)
        if keep:
            _keep(folder, RECORDED / database.name)
            kept = diagnosed(database, RECORDED / database.name)
            if _told(kept) != _told(outcome):
                sys.exit(f"{database.name}: its extract tells {kept.found}, the database {outcome.found}")
    sys.stderr.write(f"{database.name}: {', '.join(outcome.found) or 'nothing'}\n")
    return outcome


def _told(outcome: Outcome) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return what findings say beside their places, which differ in an extract."""
    return [(each.code, each.family, each.evidence) for each in outcome.findings]


def _keep(folder: Path, where: Path) -> None:
    """Write what is read of all LOGs of a database, gzipped, without the names of this machine."""
    where.mkdir(parents=True, exist_ok=True)
    for path in where.glob("LOG*"):
        path.unlink()
    for path in sorted(folder.glob("LOG*")):
        lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
        text = "".join(line for line in lines if not _UNREAD.match(line))
        text = text.replace(str(folder), "/service").replace(socket.gethostname(), "host")
        (where / f"{path.name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    sys.exit(main())
