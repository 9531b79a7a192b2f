"""lsmtune sample."""

from pathlib import Path

from lsmtune.cli._common import BudgetText, DbBench, ExperimentFile, Json, NewStudy, Quiet, make_console, print_json


def sample(
    experiment: ExperimentFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run the points of a design, to learn which options matter; lsmtune analyze says it.

    The table [sample] of the experiment says what is run. Points are run in random order among repeats of the
    reference. Without --budget it ends when all are run. Ctrl-C stops cleanly; the same command goes on. The runs are
    also written as tables, runs.parquet and runs.csv in the study folder.
    """
    from lsmtune import report
    from lsmtune import study as studies
    from lsmtune.cli._working import at_work, budget_or_all, write_tables
    from lsmtune.result import summarise

    wanted = studies.load_experiment(experiment)
    limit = budget_or_all(budget)
    prepared = studies.prepare(wanted, db_bench)
    settings = prepared.sample_settings()
    folder = study or Path("studies") / wanted.name
    with at_work(prepared, experiment, folder, limit, quiet=quiet or json) as conductor:
        studies.sample(conductor, settings)
        runs, findings = studies.runs_of(conductor.study), summarise(conductor.study).warnings
    write_tables(runs, folder)
    if json:
        print_json(report.sample_json(runs, findings))
    else:
        make_console().print(report.sample_card(runs, folder, findings))
