"""lsmtune init."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lsmtune.cli._common import DbBenchAlone, check_place, write_text
from lsmtune.cli._questions import ask_needs, with_answers

Engine: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--engine", metavar="NAME", help="rocksdb [default], with its db_bench, or leveldb, with lsmtune-ycsb."
    ),
]
Work: TypeAlias = Annotated[
    str | None, typer.Option("--work", metavar="NAME", help="What is to be faster: writes, reads or mixed.")
]
Size: TypeAlias = Annotated[
    str | None, typer.Option("--size", metavar="TEXT", help='How large the data is, like "64GiB".')
]
Keep: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--keep",
        metavar="NAMES",
        help='What must not get worse: "space, memory, latency, wear", or none. Wear: how much is written to disk.',
    ),
]
Time: TypeAlias = Annotated[
    str | None, typer.Option("--time", metavar="TEXT", help='How long the tuning may take, like "30m".')
]


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write.")] = Path("experiment.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing; take what is usual.")] = False,
    engine: Engine = None,
    work: Work = None,
    size: Size = None,
    keep: Keep = None,
    time: Time = None,
    db_bench: DbBenchAlone = None,
    service: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="PATH",
            help="Folder of a service's database on RocksDB, or its LOGs: write what resembles it; repeatable.",
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option("--family", metavar="NAME", help="Column family to model [default: the busiest]; with --from."),
    ] = None,
) -> None:
    """Write a commented experiment file for what was found on this machine, or for a service.

    In a terminal, without options, it asks five questions: which engine, what is to be faster, how large the data is,
    what must not get worse, how long the tuning may take. Each has a usual answer, which Enter takes, and an option,
    with which nothing is asked. With --from, sizes, shares and options are those that the service's LOG and OPTIONS
    tell; each line names its source, and a guess is marked as one.
    """
    from lsmtune import api
    from lsmtune.errors import UsageError
    from lsmtune.experiment import starting_experiment, starting_needs

    if file.exists() and not force:
        raise UsageError(f"{file} exists; give another name, or --force to overwrite it")
    check_place("FILE", file)
    if family is not None and service is None:
        raise UsageError("--family names a column family of a service; give --from PATH as well")
    given = {"work": work, "size": size, "keep": keep, "time": time}
    answers = {name: answer for name, answer in given.items() if answer is not None}
    if service is not None:
        if answers or engine is not None:
            named = ", ".join(f"--{name}" for name in (*answers, *["engine"] * (engine is not None)))
            raise UsageError(f"{named} cannot be with --from, where the service tells it; take it out")
        if db_bench is not None:
            raise UsageError("--db-bench cannot be with --from; write it into the file, as db_bench under [engine]")
        text = api.resemble(*service, family=family)
    elif _asks(answers, engine, db_bench, flags=force or yes):
        engine, needs = ask_needs(starting_experiment)
        text = starting_experiment(engine, None, needs)
    else:
        if engine is None:
            engine = "rocksdb"
        text = starting_experiment(engine, db_bench, with_answers(starting_needs(engine), answers))
    write_text(file, text)
    typer.echo(f"lsmtune: look through it, then: lsmtune tune {shlex.quote(str(file))}", err=True)


def _asks(answers: dict[str, str], engine: str | None, db_bench: Path | None, *, flags: bool) -> bool:
    """Whether questions are asked: somebody can answer them, and nothing was said."""
    said = answers or engine is not None or db_bench is not None or flags
    return not said and sys.stdin.isatty() and sys.stdout.isatty()
