"""lsmtune show."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import Json, StudyFolder, make_console, option_units, print_json, write_text


def show(
    study: StudyFolder,
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="Also show the N best trials of a tuning.")] = 0,
    runs: Annotated[bool, typer.Option("--runs", help="Also list every run.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also write the card as a picture that loads nothing.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what a study says so far; also while it is running."""
    from lsmtune import report
    from lsmtune.result import History, summarise
    from lsmtune.store import read_study
    from lsmtune.study import runs_of, was_sampled

    with read_study(study) as opened:
        result = summarise(opened, leaders=trials or 10)
        history = History.read(opened, result.rules) if runs else None
        sampled = runs_of(opened) if was_sampled(opened) else None
    if json:
        print_json(report.tune_json(result) if sampled is None else report.sample_json(sampled))
        return
    tuned = sampled is None
    card = report.tune_card(result, option_units()) if sampled is None else report.sample_card(sampled, study)
    console = make_console()
    console.print(card)
    if trials and tuned:
        console.print(report.trials_table(result, option_units()))
    if history is not None:
        console.print(report.runs_table(history, result.rules.judged))
    if svg is not None:
        write_text(svg, report.card_svg(card, title=f"lsmtune: {result.description.name}"))
