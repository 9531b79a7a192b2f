"""lsmtune sample."""

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
    reference. Without a budget, here or in the file, it ends when all are run. Ctrl-C stops cleanly; the same command
    goes on. The runs are also written as tables, runs.parquet and runs.csv in the study folder.
    """
    from lsmtune import api

    done = api.sample(experiment, study=study, budget=budget, db_bench=db_bench, quiet=quiet or json)
    if json:
        print_json(done.to_json())
    else:
        make_console().print(done.card())
