"""lsmtune analyze."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import Json, analysing, make_console, make_folder, print_json, write_text


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

    Reports what it could not compute, and answers the rest. A terminal shows what is being computed. The answer is
    also written to the study folder, as analysis.json, where lsmtune report finds it.
    """
    from lsmtune import api, report
    from lsmtune.extras import need

    if figures is not None:
        need("lsmtune analyze --figures", "matplotlib")
        make_folder(figures)
    with analysing() as tell:
        found = api.analyze(
            source,
            indicators=indicator or (),
            interactions=interactions,
            one_way=one_way,
            tell=tell,
        )
    if json:
        print_json(report.analysis_json(found))
    else:
        make_console().print(report.analysis_card(found))
    if figures is not None:
        for name, text in report.analysis_figures(found).items():
            write_text(figures / name, text)
