"""lsmtune export."""

import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lsmtune.cli._common import DbBench, StudyFolder, write_text
from lsmtune.errors import UsageError

_GuardUndecided: TypeAlias = Annotated[
    bool, typer.Option("--guard-undecided", help="Write it even if the runs do not tell whether a guard holds.")
]
_Unstable: TypeAlias = Annotated[
    bool, typer.Option("--unstable", help="Write it even if it was less stable than the reference in few pairs.")
]


def _targets(incomplete: str) -> list[str]:
    """Return the targets that begin so, for a shell that completes them."""
    from lsmtune.exporters import target_names

    return [name for name in target_names() if name.startswith(incomplete)]


def export(
    study: StudyFolder,
    format: Annotated[  # noqa: A002 - the name of the option
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="options-file, flags, leveldb-cpp, ycsb-properties or json; left out, the first that fits the study.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="TARGET[@VERSION]",
            autocompletion=_targets,
            help="Write it for a system that embeds RocksDB, as a diff from its own defaults: rocksdict, set-options, "
            "rocksjava, kafka-streams, flink, myrocks, ceph, tikv, kvrocks, arangodb, rust or go.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
    db_bench: DbBench = None,
    finalist: Annotated[
        int | None,
        typer.Option(
            "--finalist",
            metavar="N",
            min=1,
            help="Write the finalist-N as it was verified, if it was accepted, instead of what was chosen.",
        ),
    ] = None,
    guard_undecided: _GuardUndecided = False,
    unstable: _Unstable = False,
) -> None:
    """Write the configuration of a study as text, at full size, with the evidence as comments.

    An OPTIONS file is checked by opening a database with it. With --for, it is written in the syntax and the units of
    a system that embeds RocksDB; what that system lacks or decides by itself is named in comments.
    """
    from lsmtune import api

    if format is not None and target is not None:
        raise UsageError("give --format or --for, not both: a target has a syntax of its own")
    opened = api.Study(study)
    text = (
        opened.export(format, db_bench=db_bench, finalist=finalist, guard_undecided=guard_undecided, unstable=unstable)
        if target is None
        else opened.export_for(
            target, db_bench=db_bench, finalist=finalist, guard_undecided=guard_undecided, unstable=unstable
        )
    )
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
