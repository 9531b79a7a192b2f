"""lsmtune tune."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import BudgetText, DbBench, ExperimentFile, Json, NewStudy, Quiet

_NOTHING_SHOWN, _UNDECIDED = 3, 4


def tune(
    experiment: ExperimentFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            "--sampler",
            metavar="NAME",
            help="Search with this one instead of the experiment's; steps: try the changes under [[steps]] in turn. "
            "The study folder is then studies/NAME-SAMPLER.",
        ),
    ] = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            help="Exit with 0 only where an improvement is shown with all guards held, with 3 where none is, with 4 "
            "where the runs leave open whether a guard holds or how stable it is.",
        ),
    ] = False,
) -> None:
    """Tune a workload the whole way: baselines, noise, search, verification, pruning.

    With the sampler "steps", changes that you named are tried in their order, each on top of those that were shown to
    be better, and all of them together are verified. Ctrl-C stops cleanly; the same command goes on where the study
    stopped. Every run is kept as soon as it ends.
    """
    from lsmtune import study as studies
    from lsmtune.cli._working import at_work, budget_of, print_tuning
    from lsmtune.result import Standing, summarise

    wanted = studies.load_experiment(experiment)
    folder = study or Path("studies") / (f"{wanted.name}-{sampler}" if sampler else wanted.name)
    if sampler is not None:
        wanted = wanted.searching_with(sampler)
    limit = budget_of(wanted, budget)
    prepared = studies.prepare(wanted, db_bench)
    prepared = prepared if wanted.by_steps else prepared.searching()
    steps = prepared.step_settings() if wanted.by_steps else None
    settings = None if wanted.by_steps else prepared.search_settings()
    with at_work(prepared, experiment, folder, limit, quiet=quiet or json) as conductor:
        if steps is not None:
            studies.tune_by_steps(conductor, steps)
        elif settings is not None:
            studies.tune(conductor, settings)
        result = summarise(conductor.study)
    print_tuning(result, json=json)
    if exit_code and result.standing is not Standing.ACCEPTED:
        raise typer.Exit(_NOTHING_SHOWN if result.standing is Standing.REFUSED else _UNDECIDED)
