"""lsmtune analyze."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsmtune.cli._common import Json, make_console, make_folder, print_json, write_text

if TYPE_CHECKING:
    from lsmtune.analysis import Runs

_PAIRS = 5


def analyze(
    source: Annotated[
        Path,
        typer.Argument(metavar="STUDY", help="A study folder, or the .parquet of lsmtune sample.", show_default=False),
    ],
    indicator: Annotated[
        list[str] | None,
        typer.Option(
            "--indicator",
            metavar="NAME",
            help="What to explain; can be repeated [default: waf, space_bytes, a rate and a time].",
        ),
    ] = None,
    interactions: Annotated[
        bool, typer.Option("--interactions", help="Also test how the strongest factors act together, in ANOVA.")
    ] = False,
    one_way: Annotated[
        bool, typer.Option("--one-way", help="Also test each factor alone, as Jin et al. (2022) did, with group means.")
    ] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="DIR", help="Also write figures there, as SVG.")
    ] = None,
    json: Json = False,
) -> None:
    """Say which options matter, by how much, how sure, and for which indicator.

    What cannot be computed is said, and the rest is answered. While it computes, a terminal shows with what. The answer
    is also left in the study folder, as analysis.json, where lsmtune report finds it.
    """
    from lsmtune import analysis, report
    from lsmtune.study import knowledge_of

    runs = _runs(source)
    if figures is not None:
        make_folder(figures)
    plan = analysis.AnalysisPlan(interactions=_PAIRS if interactions else 0, one_way=one_way)
    with make_console(stderr=True).status("reading") as status:
        found = analysis.analyse(
            runs,
            indicator or (),
            derive=knowledge_of(runs),
            plan=plan,
            tell=lambda what: status.update(f"analysing, {what}"),
        )
    document = report.analysis_json(found)
    if source.is_dir():
        _keep(document, source)
    if json:
        print_json(document)
    else:
        make_console().print(report.analysis_card(found))
    if figures is not None:
        for name, text in report.analysis_figures(found).items():
            write_text(figures / name, text)


def _keep(document: dict[str, Any], folder: Path) -> None:
    """Leave an analysis in its study folder, for `lsmtune report`; where that cannot be written, say so."""
    from json import dumps

    from lsmtune.cli.report import ANALYSIS_FILE

    try:
        (folder / ANALYSIS_FILE).write_text(dumps(document, allow_nan=False) + "\n")
    except OSError as error:
        typer.echo(f"lsmtune: {folder / ANALYSIS_FILE} cannot be written: {error.strerror}; reports lack it", err=True)


def _runs(source: Path) -> "Runs":
    from lsmtune.analysis import Runs
    from lsmtune.store import read_study
    from lsmtune.study import runs_of

    if source.suffix == ".parquet":
        return Runs.read(source)
    with read_study(source) as opened:
        return runs_of(opened)
