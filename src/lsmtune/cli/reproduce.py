"""lsmtune reproduce."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsmtune.cli._common import BudgetText, DbBench, Json, NewStudy, Quiet, make_console, print_json

if TYPE_CHECKING:
    from lsmtune.analysis import Runs
    from lsmtune.study import Budget, Prepared


def reproduce(
    experiment: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="An experiment file with a table [reproduce], or RUNS.parquet.")
    ],
    study: NewStudy = None,
    budget: BudgetText = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Repeat a published pipeline, and show how much of its gain is left: Jin et al. 2022.

    Samples, ranks the options by a forest, runs the genetic algorithm over the leaders, and compares the best with the
    default in fresh interleaved runs. Ctrl-C stops cleanly; the same command goes on. The runs are also written as
    tables, runs.parquet and runs.csv in the study folder. Given such a .parquet, nothing is run: it is shown.
    """
    from lsmtune import jin2022
    from lsmtune.analysis import Runs
    from lsmtune.api import budget_or_all
    from lsmtune.experiment import load_experiment
    from lsmtune.study import prepare

    if experiment.suffix == ".parquet":
        runs = Runs.read(experiment)
        indicators = jin2022.recorded_reproduction(runs.facts["experiment"])
    else:
        prepared = prepare(load_experiment(experiment), db_bench)
        indicators = jin2022.jin2022_settings(prepared).indicators
        limit = budget_or_all(budget)
        folder = study or Path("studies") / prepared.experiment.name
        runs = _repeated(prepared, folder, limit, quiet=quiet or json)
    result = jin2022.summarise_jin2022(runs, indicators)
    if json:
        print_json(jin2022.jin2022_json(result))
    else:
        make_console().print(jin2022.jin2022_card(result, runs))


def _repeated(prepared: "Prepared", folder: Path, limit: "Budget", *, quiet: bool) -> "Runs":
    """Go on with the study, and write its runs as tables."""
    from lsmtune import jin2022
    from lsmtune.api import at_work, write_tables
    from lsmtune.study import runs_of

    with at_work(prepared, folder, limit, quiet=quiet) as runner:
        jin2022.reproduce_jin2022(runner, jin2022.jin2022_settings(prepared))
        runs = runs_of(runner.study)
    write_tables(runs, folder)
    return runs
