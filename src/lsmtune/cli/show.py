"""lsmtune show."""

from typing import Annotated

import typer

from lsmtune.cli._common import Json, StudyFolder, make_console, option_units, print_json


def show(
    study: StudyFolder,
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="Also show the N best trials.")] = 0,
    runs: Annotated[bool, typer.Option("--runs", help="Also list every run.")] = False,
    json: Json = False,
) -> None:
    """Show what a study says so far; also while it is running."""
    from lsmtune import report
    from lsmtune.result import History, summarise
    from lsmtune.store import read_study

    with read_study(study) as opened:
        result = summarise(opened, leaders=trials or 10)
        history = History.read(opened, result.rules) if runs else None
    if json:
        print_json(report.tune_json(result))
        return
    console = make_console()
    console.print(report.tune_card(result, option_units()))
    if trials:
        console.print(report.trials_table(result, option_units()))
    if history is not None:
        console.print(report.runs_table(history, result.rules.judged))
