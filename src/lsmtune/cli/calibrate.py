"""lsmtune calibrate."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBenchAlone, Json, Quiet, check_place, make_console, print_json, write_text


def calibrate(
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="Whose work is measured: rocksdb or leveldb.")
    ] = "rocksdb",
    db_bench: DbBenchAlone = None,
    scratch: Annotated[
        Path | None,
        typer.Option("--scratch", metavar="DIR", help="Where data is put, on the device to be measured."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the calibration there, too.")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Measure what writes, flushes, merges and files cost here, for `predict`; about a minute.

    It is kept for this host and build. Nothing else should run meanwhile.
    """
    from lsmtune import api, report

    check_place("--output", output)
    found = api.calibrate(engine=engine, db_bench=db_bench, scratch=scratch, quiet=quiet or json)
    if output is not None:
        write_text(output, found.text())
    if json:
        print_json(report.calibration_json(found))
    else:
        make_console().print(report.calibration_card(found))
