"""lsmtune sample."""

from lsmtune.cli._common import (
    BudgetText,
    DbBench,
    ExperimentFile,
    Json,
    NewStudy,
    Num,
    Quiet,
    Scale,
    make_console,
    print_json,
    read_resized,
)


def sample(
    experiment: ExperimentFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    scale: Scale = "",
    num: Num = "",
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run the points of a design, to learn which options matter: lsmtune analyze answers that.

    The table [sample] of the experiment says what is run. Points are run in random order among repeats of the
    reference. Without a budget, here or in the file, it ends when all are run. Ctrl-C stops cleanly; the same command
    goes on. The runs are also written as tables, runs.parquet and runs.csv in the study folder. With --scale or --num
    it is another study, studies/NAME-scale-1-256.
    """
    from lsmtune import api

    asked = read_resized(experiment, scale, num, searches=True)
    done = api.sample(asked, study=study, budget=budget, db_bench=db_bench, quiet=quiet or json)
    if json:
        print_json(done.to_json())
    else:
        make_console().print(done.card())
