"""lsmtune options."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsmtune.cli._common import DbBenchAlone, Json, make_console, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from lsmtune.backends import Backend
    from lsmtune.model import EngineBuild, Value
    from lsmtune.space import Catalogue, Mutability, Option

_OLDEST = (7, 8)
_THERE = ("yes", "by OPTIONS file", "not checked")


def options(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="An option or OPTIONS key to explain.")] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="Only the options of a preset: write-heavy, read-heavy, balanced, all, or jin2022.",
        ),
    ] = None,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help="rocksdb or leveldb.")] = "rocksdb",
    db_bench: DbBenchAlone = None,
    json: Json = False,
) -> None:
    """List and explain the options that lsmtune knows; those of RocksDB are checked against the db_bench found here.

    Presets: write-heavy, read-heavy, balanced, all; for RocksDB jin2022 too.
    """
    from lsmtune.backends.registry import catalogue_of, tools_of
    from lsmtune.errors import UsageError

    if name is not None and preset is not None:
        raise UsageError("NAME explains one option and --preset lists several; leave one of them out")
    known = catalogue_of(engine)
    first, *_ = tools_of(engine).values()
    if db_bench is not None and not first.prints_defaults:
        raise UsageError(f"--db-bench says nothing about the options of {engine}; leave it out")
    chosen = (
        [known.option(name)]
        if name is not None
        else [known.option(each) for each in (known.preset(preset).options if preset else known.options)]
    )
    build = _build(first, engine, db_bench) if first.prints_defaults else None
    if json:
        print_json([_as_json(option, known, build) for option in chosen])
        return
    console = make_console()
    if name is not None:
        console.print(_explained(chosen[0], known, build, first))
    else:
        console.print(_listed(chosen, known, build, first))
        console.print(f"{len(chosen)} options; lsmtune options NAME explains one.")
    if build is None and first.prints_defaults:
        console.print(
            f"No {first.program} was found, so nothing was checked against a build; defaults are those of 7.8."
        )


def _build(backend: "Backend", engine: str, db_bench: Any) -> "EngineBuild | None":
    """Return the installed build; None if there is none and none was named."""
    from lsmtune.errors import EngineError

    try:
        return backend.find(engine, db_bench, backend.flag)
    except EngineError:
        if db_bench is not None:
            raise
        return None


def _state(option: "Option", known: "Catalogue", build: "EngineBuild | None") -> str:
    """Say whether the build has the option."""
    if build is None:
        return "not checked"
    if option.name not in known.for_version(build.version_tuple).options:
        return f"not in {build.version}"
    if option.flag is not None and option.flag not in dict(build.flags):
        return "this build lacks it"
    return "yes" if option.flag is not None else "by OPTIONS file"


def _default(option: "Option", which: Any, build: "EngineBuild | None") -> "Value | None":
    from lsmtune.space import default_of

    return default_of(option, which, build.version_tuple if build else _OLDEST)


def _printed(option: "Option", value: "Value | None") -> str:
    from lsmtune.units import format_bytes

    if value is None:
        return "-"
    if option.unit == "B" and isinstance(value, int) and value > 0:
        return format_bytes(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(chosen: "list[Option]", known: "Catalogue", build: "EngineBuild | None", backend: "Backend") -> "Table":
    from rich.table import Table

    states = {option.name: _state(option, known, build) for option in chosen}
    unsupported = any(state not in _THERE for state in states.values())
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("option", no_wrap=True)
    for title in ("default", "range", "changed", *(("here",) if unsupported else ())):
        table.add_column(title, overflow="fold")
    for option in chosen:
        row = [option.name, _defaults(option, build, backend), _range(option), str(_mutability(option, build))]
        table.add_row(*row, *([states[option.name]] if unsupported else []))
    return table


def _defaults(option: "Option", build: "EngineBuild | None", backend: "Backend") -> str:
    """Return the default of the tool, and that of the engine as a library where it is another."""
    values = [_printed(option, _default(option, which, build)) for which in ("tool", "library")]
    return values[0] if values[0] == values[1] else f"{values[0]}, {backend.title} {values[1]}"


def _mutability(option: "Option", build: "EngineBuild | None") -> "Mutability":
    """Return how a changed value reaches a running database of the build."""
    from lsmtune.space import mutability_of

    return mutability_of(option, build.version_tuple if build else _OLDEST)


def _changed(option: "Option", build: "EngineBuild | None", backend: "Backend") -> str:
    """Return the same in words, with the version since which that is online, where older ones need a restart."""
    now = _mutability(option, build)
    if option.online_since is None:
        return str(now)
    later = f"online since {backend.title} {option.online_since}"
    return later if now is option.mutability else f"{now}, {later}"


def _range(option: "Option") -> str:
    if option.choices:
        return " ".join(option.usual_choices)
    if option.low is None or option.high is None:
        return "false true" if option.kind.value == "bool" else "-"
    ends = [_printed(option, int(end) if option.kind.value == "int" else end) for end in (option.low, option.high)]
    return " .. ".join(ends) + (" log" if option.log else "")


def _explained(option: "Option", known: "Catalogue", build: "EngineBuild | None", backend: "Backend") -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False, title=option.name, title_justify="left")
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    rows = {
        "what": option.summary,
        "price": option.price,
        backend.program: f"--{option.flag}" if option.flag else "no flag; only by an OPTIONS file",
        "OPTIONS key": f"{option.key} ({option.section})" if option.key else "never written to OPTIONS files",
        "default": _defaults(option, build, backend),
        "range": _range(option),
        "special": ", ".join(f"{value}: {meaning}" for value, meaning in option.special.items()),
        "works if": option.works_if(),
        "constraint": option.constraint,
        "changed": f"{_changed(option, build, backend)}; data on disk that depends on it: {option.format}",
        "scale": "shrinks with the scale" if option.scaled else "",
        "here": _state(option, known, build),
    }
    for title, text in rows.items():
        if text:
            table.add_row(title, text)
    return table


def _as_json(option: "Option", known: "Catalogue", build: "EngineBuild | None") -> dict[str, Any]:
    fields = asdict(option)
    fields["special"] = [{"value": value, "meaning": meaning} for value, meaning in option.special.items()]
    return {**fields, "mutability": _mutability(option, build), "here": _state(option, known, build)}
