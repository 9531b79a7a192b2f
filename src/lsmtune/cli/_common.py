"""What several commands share: their parameters, the console, JSON."""

import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from lsmtune.analysis import Tell
    from lsmtune.experiment import Experiment
    from lsmtune.result import TuneResult

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, for machines.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
_ELSE_DB_BENCH = (
    "$LSMTUNE_DB_BENCH ($LSMTUNE_LEVELDB_BENCH for LevelDB), else the newest of lsmtune build rocksdb, else the one in "
    "PATH."
)
DbBench: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--db-bench", metavar="PATH", help=f"The db_bench to use; left out, the experiment's, else {_ELSE_DB_BENCH}"
    ),
]
DbBenchAlone: TypeAlias = Annotated[
    Path | None,
    typer.Option("--db-bench", metavar="PATH", help=f"The db_bench to use; left out, {_ELSE_DB_BENCH}"),
]
"""Of a command that takes no experiment."""
ExperimentFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="EXPERIMENT", help="An experiment file; lsmtune init writes one.")
]
NewStudy: TypeAlias = Annotated[
    Path | None, typer.Option("--study", metavar="DIR", help="Study folder [default: studies/NAME].")
]
ComparedStudy: TypeAlias = Annotated[
    Path | None, typer.Option("--study", metavar="DIR", help="Study folder [default: studies/NAME-compare].")
]
SweptStudy: TypeAlias = Annotated[
    Path | None, typer.Option("--study", metavar="DIR", help="Study folder [default: studies/NAME-sweep].")
]
BudgetText: TypeAlias = Annotated[
    str | None, typer.Option("--budget", metavar="TEXT", help='Like "20m", "100 runs" or "20m, 100 runs".')
]
Scale: TypeAlias = Annotated[
    str, typer.Option("--scale", metavar="TEXT", help='Measure at this one instead of the experiment\'s, like "1/256".')
]
Num: TypeAlias = Annotated[
    str, typer.Option("--num", metavar="TEXT", help='Take so many keys at full size instead, like "16M".')
]
StudyFolder: TypeAlias = Annotated[
    Path, typer.Argument(metavar="STUDY", help="The folder of a study of any kind.", show_default=False)
]


def read_resized(path: Path, scale: str, num: str, *, searches: bool = False) -> "Experiment":
    """Return the experiment of a file, at another scale or with another number of keys where one is named.

    Args:
        path: the file.
        scale: like "1/256"; empty: the experiment's.
        num: keys at full size, like "16M"; empty: the experiment's.
        searches: whether options are going to be searched.

    Raises:
        UsageError: it is wrong, or cannot be run so.
    """
    from lsmtune.api import read_experiment
    from lsmtune.experiment import resized

    asked = read_experiment(path, searches=searches)
    return resized(asked, scale=scale, num=num) if scale or num else asked


def finite(number: float | None) -> float | None:
    """Return the number of an option: the callback of those that take floats, as ranges let infinity through.

    Raises:
        BadParameter: it is nan or infinite.
    """
    if number is not None and not math.isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number")
    return number


def check_place(option: str, file: Path | None) -> None:
    """Refuse, before work that takes long, a file that cannot be written after it.

    Args:
        option: that names it, like "--output".
        file: None where it is left out.

    Raises:
        UsageError: its folder does not exist, or it is none that can be written.
    """
    from lsmtune.errors import UsageError

    if file is None:
        return
    if not file.parent.is_dir():
        raise UsageError(f"{option} {file} lies in a folder that does not exist; make it, or give another name")
    if file.is_dir() or not any(os.access(place, os.W_OK) for place in (file, file.parent)):
        raise UsageError(f"{option} {file} cannot be written; give another name")


def given_options(**options: object) -> str:
    """Return the names of those options of a command that are given, with commas; empty where none is.

    Args:
        options: by name, like db_bench; those left out are None, empty or off.
    """
    return ", ".join(f"--{name.replace('_', '-')}" for name, value in options.items() if value)


def refuse_beside_recorded(source: Path, **given: object) -> None:
    """Refuse what only a run can heed, as recorded runs are shown without one.

    Args:
        source: the recorded runs, or the study that made them.
        given: the options of the command that a run would take; see `given_options`.

    Raises:
        UsageError: one is given.
    """
    from lsmtune.errors import UsageError

    if named := given_options(**given):
        raise UsageError(f"{source} is recorded already and nothing is run for it; leave out {named}")


def make_console(*, stderr: bool = False) -> "Console":
    """Return the console for results (stdout) or for progress (stderr)."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def time_left(began: float, done: float) -> str:
    """Say about how long work still takes that began at a time of `time.monotonic`; `done` is a share above 0."""
    from lsmtune.units import format_seconds

    return f"about {format_seconds((time.monotonic() - began) * (1 - done) / done)} left"


@contextmanager
def analysing() -> Iterator["Tell"]:
    """Give what shows on a terminal what an analysis computes, and about how long it still takes."""
    began = time.monotonic()
    with make_console(stderr=True).status("reading") as status:

        def tell(what: str, done: float) -> None:
            status.update(f"analysing, {what}" + (f", {time_left(began, done)}" if done else ""))

        yield tell


def print_json(document: Any) -> None:
    """Print a JSON document."""
    typer.echo(json.dumps(document, indent=2, allow_nan=False))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Write a file within, and say so on stderr.

    Raises:
        UsageError: it cannot be written there.
        LsmtuneError: the disk is full.
    """
    from lsmtune.store import file_errors

    with file_errors(path):
        yield
    typer.echo(f"lsmtune: wrote {path}", err=True)


def write_text(path: Path, text: str) -> None:
    """Write a text to a file and say so on stderr; what was there before stays until all of it is written.

    Raises:
        UsageError: it cannot be written there.
        LsmtuneError: the disk is full.
    """
    from lsmtune.store import write_file

    with writing(path):
        write_file(path, text.encode())


def make_folder(folder: Path) -> None:
    """Make a folder where there is none.

    Raises:
        UsageError: it cannot be made there.
    """
    from lsmtune.errors import UsageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made a folder: {error.strerror}; give another name") from None


def print_tuning(result: "TuneResult", *, json: bool) -> None:
    """Print what a study says, as a card or as JSON."""
    from lsmtune import report
    from lsmtune.backends.registry import option_units

    if json:
        print_json(report.tune_json(result))
    else:
        make_console().print(report.tune_card(result, option_units(result.build.engine)))


def set_options(texts: list[str] | None) -> dict[str, str]:
    """Return the values of options by name, as --set gives them.

    Raises:
        UsageError: one is written otherwise, or an option is given two values.
    """
    from lsmtune.errors import UsageError

    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise UsageError(f'--set "{text}" is no change of an option; write it like cache_size=1GiB')
        if found.setdefault(name, value) != value:
            raise UsageError(f"--set gives {name} two values, {found[name]} and {value}; leave one of them out")
    return found
