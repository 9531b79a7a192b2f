"""lsmtune report."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import StudyFolder, check_place, make_folder, write_text


def report(
    study: StudyFolder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write there [default: STUDY/report.html, or report-lite.html]."
        ),
    ] = None,
    *,
    lite: Annotated[
        bool, typer.Option("--lite", help="A page without scripts, at most 500 KB, with still pictures.")
    ] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="DIR", help="Also write every figure there, as SVG.")
    ] = None,
) -> None:
    """Write a study as one HTML file that loads nothing: figures, tables, findings, how to repeat it.

    Also while the study runs. Importance and effects are in it if lsmtune analyze STUDY was run before.
    """
    from lsmtune import api

    opened = api.load(study)
    check_place("--output", output)
    if figures is not None:
        make_folder(figures)
    typer.echo(f"lsmtune: wrote {opened.report(output, lite=lite)}", err=True)
    if figures is not None:
        for name, text in opened.figures():
            write_text(figures / name, text)
