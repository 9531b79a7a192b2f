"""What the commands that make runs share: the study opened for work, with progress on the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lsmtune.cli._common import make_console, option_units, print_json

if TYPE_CHECKING:
    from lsmtune.analysis import Runs
    from lsmtune.result import TuneResult
    from lsmtune.study import Budget, Conductor, Experiment, Prepared


@contextmanager
def at_work(
    prepared: "Prepared", experiment: Path, folder: Path, limit: "Budget", *, quiet: bool
) -> "Iterator[Conductor]":
    """Open or create the study in `folder` and give what fills its slots; inside, runs are made and shown.

    Args:
        prepared: the experiment on this machine.
        experiment: its file.
        folder: of the study.
        limit: what may be spent.
        quiet: show no progress.
    """
    from lsmtune import report
    from lsmtune import study as studies
    from lsmtune.cli._listening import ViewListener
    from lsmtune.executors import LocalExecutor

    with studies.open_or_create(prepared, folder, experiment.read_text()) as opened:
        executor = LocalExecutor(prepared.bench(), studies.scratch_of(prepared, folder))
        try:
            with report.LiveView(make_console(stderr=True), quiet=quiet) as view:
                listener = ViewListener(view, prepared.rules)
                listener.introduce(prepared, folder)
                yield studies.Conductor(opened, executor, prepared.rules, prepared.conduct(limit), listener)
        finally:
            executor.close()


def budget_of(experiment: "Experiment", text: str | None) -> "Budget":
    """Return what may be spent: what the command line says, else the experiment."""
    from lsmtune.study import Budget

    return Budget.parse(text) if text else Budget(experiment.budget.time_s, experiment.budget.runs)


def print_tuning(result: "TuneResult", *, json: bool) -> None:
    """Print what a study says, as a card or as JSON."""
    from lsmtune import report

    if json:
        print_json(report.tune_json(result))
    else:
        make_console().print(report.tune_card(result, option_units()))


def write_tables(runs: "Runs", folder: Path) -> None:
    """Write the runs of a study as tables into its folder."""
    for ending in ("parquet", "csv"):
        runs.write(folder / f"runs.{ending}")
