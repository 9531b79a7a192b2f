"""lsmtune compare."""

from pathlib import Path

from lsmtune.cli._common import BudgetText, DbBench, ExperimentFile, Json, NewStudy, Quiet


def compare(
    experiment: ExperimentFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare configurations that you named with the reference: fresh interleaved runs, a verdict for each.

    The configurations stand under [[compare]] in the experiment, each as what it sets on top of the reference. Runs are
    made until every claim is decided or the budget ends. Ctrl-C stops cleanly; the same command goes on.
    """
    from lsmtune import study as studies
    from lsmtune.cli._working import at_work, budget_of, print_tuning
    from lsmtune.result import summarise

    wanted = studies.load_experiment(experiment)
    limit = budget_of(wanted, budget)
    prepared = studies.prepare(wanted, db_bench)
    settings = prepared.compare_settings()
    folder = study or Path("studies") / f"{wanted.name}-compare"
    with at_work(prepared, experiment, folder, limit, quiet=quiet or json) as conductor:
        studies.compare_configurations(conductor, settings)
        result = summarise(conductor.study)
    print_tuning(result, json=json)
