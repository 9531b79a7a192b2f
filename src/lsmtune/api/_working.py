"""A study opened for work, with its progress on the terminal or in a notebook."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lsmtune import __version__, report
from lsmtune import study as studies
from lsmtune.analysis import Runs
from lsmtune.api._listening import ViewListener
from lsmtune.executors import Executor, LocalExecutor
from lsmtune.executors.hosts.serving import connect
from lsmtune.report import LiveView
from lsmtune.result import Rules, StudyFacts
from lsmtune.store import Study
from lsmtune.study import Budget, Listener, Prepared, Runner, Setup, Spread


@contextmanager
def at_work(setup: Setup, folder: Path, limit: Budget, *, quiet: bool) -> Iterator[Runner]:
    """Open or create the study in `folder` and give what makes its runs; inside, they are shown.

    Args:
        setup: what is studied.
        folder: of the study.
        limit: what may be spent.
        quiet: show no progress.
    """
    with _spread(setup) as spread, _opened(setup, folder, spread, quiet=quiet) as opened:
        # A study goes on with the bounds that it began with: of full size, or of its runs.
        rules = replace(setup.rules, full_size=StudyFacts.of(opened.description).rules.full_size)
        policy = setup.policy(limit)
        with listening(rules, quiet=quiet) as listener, _running(setup, opened, spread, listener) as executor:
            for sentence in filter(None, (*setup.introduction(folder), limit.trial_words)):
                listener.note(sentence)
            if spread is not None:
                listener.note(spread.sentence(opened.description.host.name))
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
    return report.ConsoleView(report.ProgressConsole(), quiet=quiet)


@contextmanager
def _spread(setup: Setup) -> Iterator[Spread | None]:
    """Give the hosts that an experiment asks for, connected; None where it asks for none."""
    wanted = setup.experiment.hosts if isinstance(setup, Prepared) else None
    if wanted is None or not isinstance(setup, Prepared):
        yield None
        return
    scheduler = connect(wanted.address, wanted.keys)
    try:
        recipe = setup.recipe(same_build=wanted.same_build)
        yield Spread(scheduler, recipe, wanted.require, __version__, wanted.leave_out)
    finally:
        scheduler.close()


def _opened(setup: Setup, folder: Path, spread: Spread | None, *, quiet: bool) -> Study:
    """Open or create the study; what is waited for on other hosts is shown."""
    if spread is None:
        return studies.open_or_create(setup, folder)
    with listening(None, quiet=quiet) as listener:
        return studies.open_or_create(setup, folder, spread, listener.note)


@contextmanager
def _running(setup: Setup, study: Study, spread: Spread | None, listener: Listener) -> Iterator[Executor]:
    executor: Executor
    if spread is None:
        now = setup.description(study.folder)  # the study's builds may have been elsewhere when it was made
        programs = [now.build.path, *(each.build.path for each in StudyFacts.of(now).builds.values())]
        executor = LocalExecutor(setup.bench(), setup.scratch(study.folder), programs=programs)
    else:
        executor = studies.hosts_executor(study, spread, listener.note)
    try:
        yield executor
    finally:
        executor.close()


def budget_of(setup: Setup, text: str | None) -> Budget:
    """Return what may be spent: what the caller says, else what the experiment does."""
    return setup.budget if text is None else Budget.parse(text)


def budget_or_all(prepared: Prepared, text: str | None) -> Budget:
    """Return what the caller says may be spent, else what the experiment says; all that is wanted where none does."""
    table = prepared.experiment.budget
    limited = "budget" in prepared.experiment.model_fields_set and (table.time_s, table.runs) != (None, None)
    if text is not None:
        return Budget.parse(text)
    return Budget(table.time_s, table.runs) if limited else Budget(math.inf, None)  # no search here, and no trials


def write_tables(runs: Runs, folder: Path) -> None:
    """Write the runs of a study as tables into its folder."""
    for ending in ("parquet", "csv"):
        runs.write(folder / f"runs.{ending}")
