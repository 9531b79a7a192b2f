"""lsmtune tune."""

from pathlib import Path

from lsmtune.cli._common import (
    BudgetText,
    DbBench,
    ExperimentFile,
    Json,
    NewStudy,
    Quiet,
    make_console,
    option_units,
    print_json,
)


def tune(
    experiment: ExperimentFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Tune a workload the whole way: baselines, noise, search, verification, pruning.

    Ctrl-C stops cleanly; the same command goes on where the study stopped. Every run is kept as soon as it ends.
    """
    from lsmtune import report
    from lsmtune import study as studies
    from lsmtune.cli._working import at_work
    from lsmtune.result import summarise

    wanted = studies.load_experiment(experiment)
    limit = studies.Budget.parse(budget) if budget else studies.Budget(wanted.budget.time_s, wanted.budget.runs)
    prepared = studies.prepare(wanted, db_bench)
    folder = study or Path("studies") / wanted.name
    with at_work(prepared, experiment, folder, limit, quiet=quiet or json) as conductor:
        studies.tune(conductor, prepared.search_settings())
        result = summarise(conductor.study)
    if json:
        print_json(report.tune_json(result))
    else:
        make_console().print(report.tune_card(result, option_units()))
