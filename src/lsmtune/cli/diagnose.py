"""lsmtune diagnose."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import Json, check_place, make_console, print_json, write_text


def diagnose(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Folders of databases, or LOGs of one database, also gzipped."),
    ],
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="Write the same as one HTML file that loads nothing, with pictures."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Tell from the LOG of a service what it runs and what happened there; nothing is locked or written.

    Of RocksDB (tried on 6.0 to 8.8): version, options that differ from its defaults, openings, traffic, levels with
    their write amplification, stalls by cause, and what these files cannot tell. In a folder, LOG and LOG.old* are
    read in the order of their time.
    """
    from lsmtune import api
    from lsmtune.production import diagnosis_card, diagnosis_json, diagnosis_page

    check_place("--report", report)
    if report is not None:
        api.check_own(report)
    log = api.diagnose(*paths)
    if report is not None:
        write_text(report, diagnosis_page(log))
    if json:
        print_json(diagnosis_json(log))
    else:
        make_console().print(diagnosis_card(log))
