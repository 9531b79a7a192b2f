"""lsmtune sweep."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsmtune.cli._common import (
    BudgetText,
    DbBench,
    Json,
    NewStudy,
    Quiet,
    make_console,
    make_folder,
    print_json,
    write_text,
)

if TYPE_CHECKING:
    from lsmtune.analysis import Runs
    from lsmtune.lint import Finding
    from lsmtune.study import Budget

_INDICATORS = ("throughput_ops_s", "throughput_settled_ops_s", "latency_p99_s", "waf", "space_bytes")


def sweep(
    experiment: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="An experiment file with a table [sweep], or RUNS.parquet.")
    ],
    study: NewStudy = None,
    budget: BudgetText = None,
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
    run in random order within a block, among repeats of the reference. Without --budget it ends when all are run.
    Ctrl-C stops cleanly; the same command goes on. The runs are also written as runs.parquet and runs.csv. Given such
    a .parquet, nothing is run: it is shown.
    """
    from lsmtune import report
    from lsmtune import study as studies
    from lsmtune.analysis import Runs
    from lsmtune.cli._working import budget_or_all
    from lsmtune.indicators import indicator as declared

    for name in indicator or ():
        declared(name)  # before hours of runs, not after them
    if figures is not None:
        make_folder(figures)
    runs: Runs
    findings: tuple[Finding, ...] | None = None
    if experiment.suffix == ".parquet":
        runs = Runs.read(experiment)
    else:
        runs, findings = _swept(experiment, study, budget_or_all(budget), db_bench, quiet=quiet or json)
    rival = studies.recorded_rival(runs.facts["experiment"])
    shown = indicator or usual_indicators(runs)
    if json:
        print_json(report.sweep_json(runs, shown, rival, findings))
    else:
        make_console().print(report.sweep_card(runs, shown, rival, findings))
    if figures is not None:
        from lsmtune.report.html import sweep_figures

        for name, text in sweep_figures(runs, shown, rival).items():
            write_text(figures / name, text)


def usual_indicators(runs: "Runs") -> list[str]:
    """Return the indicators of a sweep that are shown where nobody asks for others."""
    return [name for name in _INDICATORS if name in runs.indicators]


def _swept(
    experiment: Path, study: Path | None, limit: "Budget", db_bench: Path | None, *, quiet: bool
) -> "tuple[Runs, tuple[Finding, ...]]":
    """Go on with the study, write its runs as tables, and return them with what the linter found."""
    from lsmtune import study as studies
    from lsmtune.cli._working import at_work, write_tables
    from lsmtune.result import summarise

    wanted = studies.load_experiment(experiment)
    prepared = studies.prepare(wanted, db_bench).sweeping()
    folder = study or Path("studies") / f"{wanted.name}-sweep"
    with at_work(prepared, experiment, folder, limit, quiet=quiet) as conductor:
        studies.sample(conductor, prepared.sweep_settings())
        runs, findings = studies.runs_of(conductor.study), summarise(conductor.study).warnings
    write_tables(runs, folder)
    return runs, findings
