"""What the commands that make runs share: the study opened for work, with progress on the terminal."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lsmtune.cli._common import make_console, option_units, print_json

if TYPE_CHECKING:
    from lsmtune.analysis import Runs
    from lsmtune.benches import Bench
    from lsmtune.cli._listening import ViewListener
    from lsmtune.executors import Executor
    from lsmtune.nni import Trials
    from lsmtune.result import Rules, TuneResult
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
    with at_work_on(prepared, experiment.read_text(), folder, limit, quiet=quiet) as conductor:
        yield conductor


@contextmanager
def at_work_on(prepared: "Prepared", text: str, folder: Path, limit: "Budget", *, quiet: bool) -> "Iterator[Conductor]":
    """Do what `at_work` does for an experiment whose text is no file."""
    from lsmtune import study as studies

    with studies.open_or_create(prepared, folder, text) as opened:
        conduct, scratch = prepared.conduct(limit), studies.scratch_of(prepared, folder)
        with _listening(prepared.rules, quiet=quiet) as listener, _running(prepared.bench(), scratch) as executor:
            listener.introduce(prepared, folder)
            yield studies.Conductor(opened, executor, prepared.rules, conduct, listener)


@contextmanager
def at_trials(trials: "Trials", folder: Path, limit: "Budget", *, quiet: bool) -> "Iterator[Conductor]":
    """Open or create the study of a user's own trial command in `folder`, and give what fills its slots.

    Args:
        trials: the command with its parameters.
        folder: of the study.
        limit: what may be spent.
        quiet: show no progress.
    """
    from lsmtune import study as studies

    with studies.open_described(trials.description(folder), folder) as opened:
        rules, conduct = trials.rules, trials.conduct(limit)
        with _listening(rules, quiet=quiet) as listener, _running(trials.bench(), folder / "scratch") as executor:
            config = trials.config
            listener.note(
                f"{config.command} in {config.code_folder}, {len(trials.space)} parameters, study in {folder}"
            )
            yield studies.Conductor(opened, executor, rules, conduct, listener)


@contextmanager
def _running(bench: "Bench", scratch: Path) -> "Iterator[Executor]":
    from lsmtune.executors import LocalExecutor

    executor = LocalExecutor(bench, scratch)
    try:
        yield executor
    finally:
        executor.close()


@contextmanager
def _listening(rules: "Rules", *, quiet: bool) -> "Iterator[ViewListener]":
    from lsmtune import report
    from lsmtune.cli._listening import ViewListener

    with report.LiveView(make_console(stderr=True), quiet=quiet) as view:
        yield ViewListener(view, rules)


def budget_of(experiment: "Experiment", text: str | None) -> "Budget":
    """Return what may be spent: what the command line says, else the experiment."""
    from lsmtune.study import Budget

    return Budget.parse(text) if text else Budget(experiment.budget.time_s, experiment.budget.runs)


def budget_or_all(text: str | None) -> "Budget":
    """Return what the command line says may be spent; all that is wanted where it says nothing."""
    from lsmtune.study import Budget

    return Budget.parse(text) if text else Budget(math.inf, None)


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
