"""Repeat a page: show what was recorded for it as the page reads it, or run all of it anew.

Usage: python repeat.py PAGE [--into FOLDER [--anew [FLAG...]]] [--only NAME]...

PAGE is a folder beside this script, like leveldb-ycsb, with a repeat.toml: what was recorded, in the page's order, the
command that ran it, and those that read it. Alone it is listed, with how long its runs took. With --into the page is
copied into FOLDER and repeated there, so what is recorded here stays as it is: its tables are read, and no engine is
needed. With --anew each experiment is run first, its study kept under FOLDER/PAGE/studies, its tables written where the
recorded ones stood, which takes those hours; after an interruption the same command goes on, and without --anew
FOLDER's own tables are read from then on. A FLAG that is not repeat.py's own goes to the commands that run an
experiment: --num 2k tries sweeps and comparisons at a small size.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pandas as pd

HERE = Path(__file__).parent
RECORD_STUDY = HERE.parent / "tools" / "record_study.py"
MEASURED = shutil.ignore_patterns("*.parquet", "*.csv", "*.txt", "*.svg", "*.html", "result.json", "analysis.json")
"""What a page holds that comes out of its experiments."""


@dataclass(frozen=True)
class Part:
    """One experiment of a page.

    Attributes:
        name: of the folder of its tables.
        run: the command that runs it, without the study; empty where it reads the tables of others.
        read: the commands that read its tables, in the folder of the page.
    """

    name: str
    run: str
    read: tuple[str, ...]

    @classmethod
    def of(cls, name: str, table: dict[str, Any]) -> "Part":
        """Return a part as repeat.toml has it: a sweep where it names no command, which is always shown, once."""
        run = table.get("run", f"lsmtune sweep {name}.toml")
        shown = {"sweep": "sweep", "sample": "reproduce", "reproduce": "reproduce"}.get(_verb(run))
        read = tuple(table.get("read", ()))
        card = f"lsmtune {shown} {name}/runs.parquet"
        if shown and not any(command.startswith(f"{card} --figures") for command in read):  # that shows it, too
            read = (card, *read)
        return cls(name, run, read)

    @property
    def verb(self) -> str:
        """What lsmtune does in it: sweep, tune, compare, sample or reproduce; empty where nothing is run."""
        return _verb(self.run)


def parts(page: Path) -> list[Part]:
    """Return the parts of a page in their order.

    Raises:
        LookupError: the page has no repeat.toml, or that has a key that is not known.
    """
    path = page / "repeat.toml"
    if not path.exists():
        known = ", ".join(sorted(each.parent.name for each in HERE.glob("*/repeat.toml")))
        raise LookupError(f"{path}: not found; the pages that can be repeated are {known}")
    tables = tomllib.loads(path.read_text())["parts"]
    for name, table in tables.items():
        if unknown := table.keys() - {"run", "read"}:
            raise LookupError(f"{path}: {name} has {min(unknown)!r}; only run and read are known")
    return [Part.of(name, table) for name, table in tables.items()]


def chosen(page: Path, only: Collection[str]) -> list[Part]:
    """Return the parts of a page that were asked for, all where none is named."""
    listed = parts(page)
    names = [part.name for part in listed]
    if unknown := [name for name in only if name not in names]:
        raise LookupError(f"{page / 'repeat.toml'}: no part {unknown[0]!r}; it has {', '.join(names)}")
    return [part for part in listed if not only or part.name in only]


def hours(folder: Path) -> tuple[int, float]:
    """Return how many runs a folder has recorded, and how many hours they took."""
    if (table := folder / "runs.parquet").exists():
        elapsed_s = pd.read_parquet(table, columns=["elapsed_s"])["elapsed_s"]
    elif (table := folder / "runs.csv").exists():
        elapsed_s = pd.read_csv(table)["elapsed_s"]
    else:
        return 0, 0.0
    return len(elapsed_s), float(elapsed_s.sum()) / 3600


def print_list(page: Path, listed: Sequence[Part]) -> None:
    """Print what a page has recorded, and how long its runs took there."""
    measured = {part.name: hours(page / part.name) for part in listed}
    widest = max(len(name) for name in measured)
    for part in listed:
        runs, took = measured[part.name]
        print(f"{part.name:{widest}}  {runs:5} runs  {took:5.1f} h  {part.run or '-'}")
    print(f"{'all':{widest}}  {sum(runs for runs, _ in measured.values()):5} runs", end="  ")
    print(f"{sum(took for _, took in measured.values()):5.1f} h")


def repeat(page: Path, folder: Path, listed: Sequence[Part], *, anew: bool, flags: Sequence[str]) -> list[str]:
    """Repeat parts of a page in a folder; return the commands that failed in reading tables."""
    place = folder / page.name
    folder.mkdir(parents=True, exist_ok=True)
    for script in HERE.glob("*.py"):
        shutil.copy(script, folder)
    own = anew or (place / "studies").exists()
    shutil.copytree(page, place, dirs_exist_ok=True, ignore=MEASURED if own else None)
    failed = []
    for part in listed:
        if anew and part.verb:
            study = place / "studies" / part.name
            if code := called([*shlex.split(part.run), "--study", str(study.absolute()), *flags], place):
                print(f"{part.name} stopped with exit code {code}; the same command goes on", file=sys.stderr)
                raise SystemExit(code)
            keep(part, study, place / part.name)
        elif part.verb and not any((place / part.name).glob("runs.*")):
            print(f"\n{part.name}: not recorded; --anew runs it")
            continue
        failed += [command for command in part.read if called(shlex.split(command), place)]
    return failed


def keep(part: Part, study: Path, folder: Path) -> None:
    """Write the tables of a study where the page reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    if part.verb in ("tune", "compare"):
        subprocess.run([sys.executable, str(RECORD_STUDY), str(study), str(folder)], check=True)
        return
    shutil.copy(study / "runs.parquet", folder)
    if part.verb == "sweep":
        with (folder / "card.txt").open("w") as card:
            wide = {**os.environ, "COLUMNS": "150"}
            subprocess.run(_found(["lsmtune", "show", str(study)]), check=True, stdout=card, env=wide)


def called(words: Sequence[str], place: Path) -> int:
    """Say a command, run it in a folder, and return its exit code. Ctrl-C is left to it, SIGTERM is passed on to it.

    Raises:
        SystemExit: SIGTERM came, and the command has ended.
    """
    print(f"\n$ {shlex.join(words)}", flush=True)
    process: subprocess.Popen[bytes] | None = None
    heard: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        heard.append(number)
        if process is not None:
            process.terminate()

    before = signal.signal(signal.SIGTERM, stop)
    try:
        process = subprocess.Popen(_found(words), cwd=place)
        if heard:  # while it was started
            process.terminate()
        code = _ended(process)
    finally:
        signal.signal(signal.SIGTERM, before)
    if heard:
        print("stopped by SIGTERM; the same command goes on", file=sys.stderr)
        raise SystemExit(128 + signal.SIGTERM)
    return code


def _ended(process: "subprocess.Popen[bytes]") -> int:
    """Wait for the end of a command, whatever happens meanwhile, and return its exit code."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # it was heard there, too, where runs are stopped and kept


def _found(words: Sequence[str]) -> list[str]:
    """Return a command with the lsmtune and the Python of this environment, and with the home folder in place of ~."""
    (first, *rest) = words
    here = {"lsmtune": str(Path(sys.executable).with_name("lsmtune")), "python": sys.executable}
    return [here.get(first, first), *(str(Path(word).expanduser()) if word.startswith("~/") else word for word in rest)]


def _verb(run: str) -> str:
    return run.split()[1] if run else ""


def main() -> None:
    """Repeat what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("page", metavar="PAGE")
    parser.add_argument("--into", metavar="FOLDER", type=Path, help="repeat the page there; left out, it is listed")
    parser.add_argument("--anew", action="store_true", help="run the experiments first")
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="this part; can be repeated")
    given, flags = parser.parse_known_args()
    page = HERE / given.page.rstrip("/")
    try:
        listed = chosen(page, given.only)
    except LookupError as error:
        parser.error(str(error))
    if given.into is None and (given.anew or flags):
        parser.error(f"{'--anew' if given.anew else flags[0]} runs experiments, so it needs --into FOLDER")
    if flags and not given.anew:
        parser.error(f"{flags[0]} is for the commands that run an experiment, so it needs --anew")
    if given.into is None:
        print_list(page, listed)
        return
    if failed := repeat(page, given.into, listed, anew=given.anew, flags=flags):
        raise SystemExit(f"{len(failed)} commands failed, the first of them: {failed[0]}")


if __name__ == "__main__":
    main()
