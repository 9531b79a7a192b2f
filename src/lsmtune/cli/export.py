"""lsmtune export."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, StudyFolder, write_text


def export(
    study: StudyFolder,
    format: Annotated[  # noqa: A002 - the name of the option
        str, typer.Option("--format", "-f", help="options-file, flags or json.")
    ] = "options-file",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
    db_bench: DbBench = None,
) -> None:
    """Write the configuration of a study to take home, at full size, with the evidence as comments.

    An OPTIONS file is checked by opening a database with it.
    """
    from lsmtune import exporters
    from lsmtune.engines.rocksdb import discover, find_db_bench
    from lsmtune.result import summarise
    from lsmtune.store import read_study
    from lsmtune.study import recorded_workload

    exporters.check_format(format)
    with read_study(study) as opened:
        result = summarise(opened)
    recorded = result.description.build
    workload = recorded_workload(result.description.experiment)
    build = discover(find_db_bench(db_bench or (recorded.path if recorded.path.exists() else None)))
    if build.fingerprint != recorded.fingerprint:
        sys.stderr.write(
            f"lsmtune: the study used another db_bench ({recorded.version}) than this one ({build.version}); "
            "its gain is not proven for this one\n"
        )
    text = exporters.export(format, result, build, workload)
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
