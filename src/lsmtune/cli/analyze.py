"""lsmtune analyze."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsmtune.cli._common import Json, make_console, print_json, write_text

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

    What cannot be computed is said, and the rest is answered. While it computes, a terminal shows with what.
    """
    from lsmtune import analysis, report
    from lsmtune.study import knowledge_of

    runs = _runs(source)
    if figures is not None:
        _make_folder(figures)
    plan = analysis.AnalysisPlan(interactions=_PAIRS if interactions else 0, one_way=one_way)
    with make_console(stderr=True).status("reading") as status:
        found = analysis.analyse(
            runs,
            indicator or (),
            derive=knowledge_of(runs),
            plan=plan,
            tell=lambda what: status.update(f"analysing, {what}"),
        )
    if json:
        print_json(report.analysis_json(found))
    else:
        make_console().print(report.analysis_card(found))
    if figures is not None:
        for name, text in report.analysis_figures(found).items():
            write_text(figures / name, text)


def _runs(source: Path) -> "Runs":
    from lsmtune.analysis import Runs
    from lsmtune.store import read_study
    from lsmtune.study import runs_of

    if source.suffix == ".parquet":
        return Runs.read(source)
    with read_study(source) as opened:
        return runs_of(opened)


def _make_folder(folder: Path) -> None:
    from lsmtune.errors import UsageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made a folder: {error.strerror}; give another name") from None
