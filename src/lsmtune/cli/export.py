"""lsmtune export."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lsmtune.cli._common import DbBench, StudyFolder, write_text

if TYPE_CHECKING:
    from lsmtune.result import Standing


_GuardUndecided: TypeAlias = Annotated[
    bool, typer.Option("--guard-undecided", help="Write it also where the runs do not tell whether a guard holds.")
]
_Unstable: TypeAlias = Annotated[
    bool, typer.Option("--unstable", help="Write it also where it was less stable than the reference in few pairs.")
]


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
    """Write the configuration of a study to take home, at full size, with the evidence as comments.

    An OPTIONS file is checked by opening a database with it.
    """
    from lsmtune import exporters
    from lsmtune.errors import UsageError
    from lsmtune.model import Tool
    from lsmtune.nni import final_parameters
    from lsmtune.result import Standing, summarise
    from lsmtune.store import read_study
    from lsmtune.study import find_again, recorded_workload

    if format is not None:
        exporters.check_format(format)
    with read_study(study) as opened:
        result = summarise(opened, take=finalist)
    _check_decided(result.standing, {Standing.UNDECIDED: guard_undecided, Standing.UNSTABLE: unstable})
    recorded = result.build
    if recorded.tool is Tool.COMMAND:
        if format not in (None, "json"):
            raise UsageError(f'the format "{format}" is not for a command of yours; its parameters are written as json')
        _write(final_parameters(result), output)
        return
    workload = recorded_workload(result.description.experiment)
    build = find_again(recorded, db_bench)
    if build.fingerprint != recorded.fingerprint:
        sys.stderr.write(
            f"lsmtune: the study used another {recorded.tool} ({recorded.version}) than this one ({build.version}); "
            "its gain is not proven for this one\n"
        )
    text = exporters.export(format or exporters.default_format(build), result, build, workload)
    _write(text, output)


def _check_decided(standing: "Standing", allowed: "Mapping[Standing, bool]") -> None:
    """Refuse what is open unless the user wants it as it is."""
    from lsmtune.errors import UsageError
    from lsmtune.result import Standing

    if allowed.get(standing, True):
        return
    if standing is Standing.UNDECIDED:
        raise UsageError(
            "the runs do not tell whether a guard or limit holds for this configuration; tune again with a larger "
            "budget, or write it as it is with --guard-undecided"
        )
    raise UsageError(
        "this configuration was less stable than the reference and seen in few pairs; tune again with a larger budget, "
        "or write it as it is with --unstable"
    )


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
