"""lsmtune tune."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import BudgetText, DbBench, Json, NewStudy, Quiet, print_tuning
from lsmtune.errors import UsageError

_NOTHING_SHOWN, _UNDECIDED = 3, 4


def tune(
    experiment: Annotated[
        Path | None, typer.Argument(metavar="EXPERIMENT", help="An experiment file; lsmtune init writes one.")
    ] = None,
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
    """Tune a workload the whole way: baselines, noise, search, verification, backward elimination.

    With the sampler "steps", changes that you named are tried in their order, each on top of those that were shown to
    be better, and all of them together are verified. Ctrl-C stops cleanly; the same command goes on where the study
    stopped. Every run is kept as soon as it ends.
    """
    from lsmtune import api
    from lsmtune.result import Standing

    if experiment is None:
        raise UsageError(_next_step(Path()))
    done = api.tune(experiment, study=study, budget=budget, sampler=sampler, db_bench=db_bench, quiet=quiet or json)
    result = done.result
    print_tuning(result, json=json)
    if exit_code and result.standing is not Standing.ACCEPTED:
        raise typer.Exit(_NOTHING_SHOWN if result.standing is Standing.REFUSED else _UNDECIDED)


def _next_step(folder: Path) -> str:
    """Return what one who named no experiment can do in this folder."""
    found = sorted(path.name for path in folder.glob("*.toml"))
    missing = "tune needs an experiment file"
    if (folder / "CURRENT").exists() and (folder / "LOG").exists():
        return (
            f"{missing}; this folder is a database: lsmtune init ../service.toml --from . writes one that resembles it"
        )
    if len(found) == 1:
        return f"{missing}; here is {found[0]}: lsmtune tune {found[0]}"
    if found:
        return f"{missing}; here are {', '.join(found)}"
    return f"{missing}; lsmtune init writes one for this machine, lsmtune init --from PATH one for a service"
