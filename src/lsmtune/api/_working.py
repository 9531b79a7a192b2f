"""A study opened for work, with its progress on the terminal or in a notebook."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from lsmtune import report
from lsmtune import study as studies
from lsmtune.analysis import Runs
from lsmtune.api._listening import ViewListener
from lsmtune.backends import Bench
from lsmtune.executors import Executor, LocalExecutor
from lsmtune.experiment import Experiment
from lsmtune.report import LiveView
from lsmtune.result import Rules
from lsmtune.study import Budget, Prepared, Runner

if TYPE_CHECKING:
    from lsmtune.nni import Trials


@contextmanager
def at_work(prepared: Prepared, folder: Path, limit: Budget, *, quiet: bool) -> Iterator[Runner]:
    """Open or create the study in `folder` and give what makes its runs; inside, they are shown.

    Args:
        prepared: the experiment on this machine.
        folder: of the study.
        limit: what may be spent.
        quiet: show no progress.
    """
    with studies.open_or_create(prepared, folder) as opened:
        policy, scratch = prepared.policy(limit), studies.scratch_of(prepared, folder)
        with listening(prepared.rules, quiet=quiet) as listener, _running(prepared.bench(), scratch) as executor:
            listener.introduce(prepared, folder)
            yield Runner(opened, executor, prepared.rules, policy, listener)


@contextmanager
def at_trials(trials: "Trials", folder: Path, limit: Budget, *, quiet: bool) -> Iterator[Runner]:
    """Open or create the study of a user's own trial command in `folder`, and give what makes its runs.

    Args:
        trials: the command with its parameters.
        folder: of the study.
        limit: what may be spent.
        quiet: show no progress.
    """
    with studies.open_described(trials.description(folder), folder) as opened:
        rules, policy = trials.rules, trials.policy(limit)
        with listening(rules, quiet=quiet) as listener, _running(trials.bench(), folder / "scratch") as executor:
            config = trials.config
            listener.note(
                f"{config.command} in {config.code_folder}, {len(trials.space)} parameters, study in {folder}"
            )
            yield Runner(opened, executor, rules, policy, listener)


@contextmanager
def listening(rules: Rules | None, *, quiet: bool) -> Iterator[ViewListener]:
    """Give what shows the events of a study, below the cell of a notebook, else on stderr.

    `rules` say how an ended run compares with the reference.
    """
    with _view(quiet=quiet) as view:
        yield ViewListener(view, rules)


def _view(*, quiet: bool) -> LiveView:
    cell = None if quiet else report.cell_display()
    if cell is not None:
        return report.NotebookView(cell)
    return report.ConsoleView(Console(stderr=True, highlight=False), quiet=quiet)


@contextmanager
def _running(bench: Bench, scratch: Path) -> Iterator[Executor]:
    executor = LocalExecutor(bench, scratch)
    try:
        yield executor
    finally:
        executor.close()


def budget_of(experiment: Experiment, text: str | None) -> Budget:
    """Return what may be spent: what the caller says, else the experiment."""
    return Budget.parse(text) if text else Budget(experiment.budget.time_s, experiment.budget.runs)


def budget_or_all(text: str | None) -> Budget:
    """Return what the caller says may be spent; all that is wanted where nothing is said."""
    return Budget.parse(text) if text else Budget(math.inf, None)


def write_tables(runs: Runs, folder: Path) -> None:
    """Write the runs of a study as tables into its folder."""
    for ending in ("parquet", "csv"):
        runs.write(folder / f"runs.{ending}")
