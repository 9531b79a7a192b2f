"""lsmtune build: its commands, one for each program that can be built."""

import re
import time
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lsmtune.cli._common import make_console
from lsmtune.cli._examples import examples_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsmtune.native_builds import Built, Watcher

_SHOWN_LINES = 5
_EVERY_PERCENT = 5
_PERCENT = re.compile(r"\[ *(\d+)%\]")

_Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="Compilers at a time [default: one for each core, if the memory allows it].",
    ),
]
_Prefix: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--prefix", metavar="DIR", help="Put it there, in DIR/bin, instead of into the cache, where lsmtune looks."
    ),
]

app = typer.Typer(
    help="Build the driver, RocksDB or LevelDB's db_bench from source, where lsmtune finds it; compile the model.",
    rich_markup_mode=None,
)


@app.command("driver", epilog=examples_of("build driver"))
def build_driver(
    rocksdb: Annotated[
        str | None,
        typer.Option(
            "--rocksdb", metavar="V", help="Link the version that lsmtune build rocksdb built, not the system's."
        ),
    ] = None,
    jobs: _Jobs = None,
    prefix: _Prefix = None,
) -> None:
    """Build lsmtune-ycsb, the driver for YCSB on RocksDB and LevelDB: about a minute.

    Its sources come with lsmtune. If something is missing on this machine, the message names the command that installs
    it.
    """
    from lsmtune.native_builds import Order
    from lsmtune.native_builds import build_driver as build

    with _watching() as watcher:
        built = build(Order(jobs, prefix, watcher), rocksdb)
    _say(built)


@app.command("rocksdb", epilog=examples_of("build rocksdb"))
def build_rocksdb(
    version: Annotated[
        str | None, typer.Option("--version", metavar="V", help="Which one [default: the newest that is pinned].")
    ] = None,
    jobs: _Jobs = None,
    prefix: _Prefix = None,
    *,
    this_processor: Annotated[
        bool, typer.Option("--this-processor", help="Use all instructions of this processor, as your product may.")
    ] = False,
) -> None:
    """Build an optimised RocksDB with db_bench, trace_analyzer and its library: ten minutes to an hour.

    cargo fetches the source. Ctrl-C stops it; the same command goes on where it was.
    """
    from lsmtune.native_builds import NEWEST_ROCKSDB, Order
    from lsmtune.native_builds import build_rocksdb as build

    with _watching() as watcher:
        built = build(Order(jobs, prefix, watcher), version or NEWEST_ROCKSDB, this_processor=this_processor)
    _say(built)


@app.command("leveldb", epilog=examples_of("build leveldb"))
def build_leveldb(
    version: Annotated[
        str | None, typer.Option("--version", metavar="V", help="Which one [default: the one that is pinned].")
    ] = None,
    jobs: _Jobs = None,
    prefix: _Prefix = None,
) -> None:
    """Build LevelDB's own db_bench: about a minute. cargo fetches the source."""
    from lsmtune.native_builds import Order
    from lsmtune.native_builds import build_leveldb as build

    with _watching() as watcher:
        order = Order(jobs, prefix, watcher)
        built = build(order) if version is None else build(order, version)
    _say(built)


@app.command("model", epilog=examples_of("build model"))
def build_model() -> None:
    """Compile the model of the engine ahead of its first use: about 15 s, once for an installation."""
    from lsmtune.lsm_model import make_ready

    typer.echo(f"the model of the engine is compiled{'' if make_ready() else ' already'}")


def _say(built: "Built") -> None:
    typer.echo(f"{built.program} {'is built already' if built.was_there else 'is built'}")


@contextmanager
def _watching() -> "Iterator[Watcher]":
    """Give what shows a build on stderr: on a terminal the last lines, else every few percent."""
    from rich.live import Live
    from rich.text import Text

    from lsmtune.native_builds import Watcher

    console = make_console(stderr=True)
    began = time.monotonic()

    class View(Watcher):
        def __init__(self, live: Live) -> None:
            self.live = live
            self.last: deque[str] = deque(maxlen=_SHOWN_LINES)
            self.shown = 0

        def step(self, sentence: str) -> None:
            self.last.clear()
            self.shown = 0
            console.print(sentence, markup=False, soft_wrap=True)

        def line(self, text: str) -> None:
            if console.is_terminal:
                self.last.append(text)
                self.live.update(Text("\n".join(self.last), style="dim", overflow="ellipsis", no_wrap=True))
                return
            found = _PERCENT.match(text)
            if found and int(found[1]) >= self.shown + _EVERY_PERCENT:
                self.shown = int(found[1])
                console.print(f"  {self.shown} % after {(time.monotonic() - began) // 60:.0f} min", highlight=False)

    with Live(console=console, transient=True, auto_refresh=console.is_terminal) as live:
        yield View(live)
