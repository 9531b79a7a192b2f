"""lsmtune export."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, StudyFolder, write_text


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
) -> None:
    """Write the configuration of a study to take home, at full size, with the evidence as comments.

    An OPTIONS file is checked by opening a database with it.
    """
    from lsmtune import exporters
    from lsmtune.errors import UsageError
    from lsmtune.model import Tool
    from lsmtune.nni import final_parameters
    from lsmtune.result import summarise
    from lsmtune.store import read_study
    from lsmtune.study import find_again, recorded_workload

    if format is not None:
        exporters.check_format(format)
    with read_study(study) as opened:
        result = summarise(opened, take=finalist)
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


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
