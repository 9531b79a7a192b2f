"""lsmtune memory."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from lsmtune.cli._common import Json, make_console, print_json, set_options

_Path: TypeAlias = Annotated[
    Path | None,
    typer.Argument(
        metavar="[PATH]",
        help="An OPTIONS file of RocksDB, the folder of a database with one, or an experiment file; left out, the "
        "engine's own defaults.",
    ),
]
_Set: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change an option, like cache_size=1GiB, in all column families; repeatable.",
    ),
]
_Stores: TypeAlias = Annotated[
    int, typer.Option("--stores", metavar="N", min=1, help="Databases of this configuration in one process.")
]
_Data: TypeAlias = Annotated[
    str | None,
    typer.Option("--data", metavar="SIZE", help="Keys and values in one store, not compressed; else not known."),
]
_Pair: TypeAlias = Annotated[
    str | None, typer.Option("--pair", metavar="KEY+VALUE", help="Sizes of a pair, like 16+100 [default: 16+100].")
]


def memory(
    path: _Path = None,
    *,
    changes: _Set = None,
    stores: _Stores = 1,
    shared_cache: Annotated[bool, typer.Option("--shared-cache", help="All stores use one block cache.")] = False,
    data: _Data = None,
    pair: _Pair = None,
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Client threads [default: 1].")] = None,
    iterators: Annotated[
        int | None, typer.Option("--iterators", min=0, help="Iterators that are open at a time [default: 0].")
    ] = None,
    flush_lag: Annotated[
        float | None,
        typer.Option(
            "--flush-lag",
            min=0,
            help="Memtables that are filled while one is flushed; left out, every one that may exist is full.",
        ),
    ] = None,
    malloc_arenas: Annotated[
        int | None,
        typer.Option("--malloc-arenas", min=1, help="MALLOC_ARENA_MAX; 1 for jemalloc [default: one a thread]."),
    ] = None,
    process: Annotated[
        str | None, typer.Option("--process", metavar="SIZE", help="What the process needs without a store.")
    ] = None,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help="rocksdb or leveldb.")] = "rocksdb",
    json: Json = False,
) -> None:
    """Say how much memory a configuration needs, part by part, each with its formula."""
    from lsmtune import api, report

    said = {
        "data_bytes": data,
        **_pair_sizes(pair),
        "threads": threads,
        "iterators": iterators,
        "flush_lag": flush_lag,
        "malloc_arenas": malloc_arenas,
        "process_bytes": process,
    }
    load = {name: value for name, value in said.items() if value is not None}
    options = set_options(changes)
    found = api.memory(path, options=options, load=load, stores=stores, shares_cache=shared_cache, engine=engine)
    if json:
        print_json(report.memory_json(found))
    else:
        make_console().print(report.memory_card(found))


def _pair_sizes(text: str | None) -> dict[str, Any]:
    """Return the sizes of key and value; nothing where they were not given.

    Raises:
        UsageError: they are written otherwise.
    """
    from lsmtune.errors import UsageError

    if text is None:
        return {}
    key, plus, value = text.partition("+")
    if not plus:
        raise UsageError(f'--pair "{text}" has no "+"; write the sizes of key and value like 16+100')
    return {"key_bytes": key, "value_bytes": value}
