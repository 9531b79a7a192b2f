"""lsmtune sweep."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsmtune.cli._common import (
    BudgetText,
    DbBench,
    Json,
    Num,
    Quiet,
    Scale,
    SweptStudy,
    make_console,
    make_folder,
    print_json,
    read_resized,
    refuse_beside_recorded,
    write_text,
)

if TYPE_CHECKING:
    from lsmtune.lint import Finding


def sweep(
    experiment: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="An experiment file with a table [sweep], or RUNS.parquet.")
    ],
    study: SweptStudy = None,
    budget: BudgetText = None,
    scale: Scale = "",
    num: Num = "",
    indicator: Annotated[
        list[str] | None,
        typer.Option(
            "--indicator", metavar="NAME", help="What to show; can be repeated [default: rates, p99, waf, space]."
        ),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="DIR", help="Also write maps, lines and tails there, as SVG.")
    ] = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run a grid of workloads and options, every combination in each block, and say who wins where.

    The table [sweep] of the experiment lists the values; `rival` names the option or axis whose values compete. Cells
    run in random order within a block, among repeats of the reference. Without a budget it ends when all are run.
    Ctrl-C stops cleanly; the same command goes on. The runs are also written as runs.parquet and runs.csv. Given such
    a .parquet, the command shows it and runs nothing. With --scale or --num it is another study, named after them.
    """
    from lsmtune import api, report
    from lsmtune.analysis import Runs
    from lsmtune.experiment import competing_factor
    from lsmtune.extras import need
    from lsmtune.indicators import indicator as declared

    for name in indicator or ():
        declared(name)  # before hours of runs, not after them
    recorded = experiment.suffix == ".parquet"
    if recorded:
        refuse_beside_recorded(experiment, study=study, budget=budget, scale=scale, num=num, db_bench=db_bench)
    if figures is not None:
        need("lsmtune sweep --figures", "matplotlib")
        make_folder(figures)
    findings: tuple[Finding, ...] | None = None
    if recorded:
        runs = Runs.read(experiment)
    else:
        asked = read_resized(experiment, scale, num, searches=True)
        done = api.sweep(asked, study=study, budget=budget, db_bench=db_bench, quiet=quiet or json)
        runs, findings = done.table(), done.result.warnings
    competing = competing_factor(runs.facts.asked)
    shown = indicator or report.usual_indicators(runs)
    if json:
        print_json(report.sweep_json(runs, shown, competing, findings))
    else:
        make_console().print(report.sweep_card(runs, shown, competing, findings))
    if figures is not None:
        from lsmtune.report.html import figures_left_out, sweep_figures

        _write_figures(figures, sweep_figures(runs, shown, competing), figures_left_out(runs, shown, competing))


def _write_figures(folder: Path, drawn: Mapping[str, str], left_out: str) -> None:
    for name, text in drawn.items():
        write_text(folder / name, text)
    if left_out:
        typer.echo(f"lsmtune: {left_out}", err=True)
