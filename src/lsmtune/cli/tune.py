"""lsmtune tune."""

import shlex
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsmtune.cli._common import BudgetText, DbBench, Json, NewStudy, Num, Quiet, Scale, print_tuning, read_resized
from lsmtune.errors import BudgetError, UsageError

if TYPE_CHECKING:
    from lsmtune import api
    from lsmtune.experiment import Experiment

_WRONG_USE, _NOTHING_SHOWN, _UNDECIDED = 2, 3, 4


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
    scale: Scale = "",
    num: Num = "",
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            help="Exit with 0 only if an improvement is shown with all guards held, with 3 if none is, with 4 if the "
            "runs do not tell whether a guard holds or how stable the result is.",
        ),
    ] = False,
) -> None:
    """Tune a workload the whole way: baseline runs, noise, search, verification, backward elimination.

    With the sampler "steps", changes that you named are tried in their order, each on top of those that were shown to
    be better, and all of them together are verified. Ctrl-C stops cleanly; the same command goes on where the study
    stopped. Every run is kept as soon as it ends. With --scale or --num it is another study, studies/NAME-scale-1-256;
    if the budget is too small for a run, a terminal offers one that fits.
    """
    from lsmtune import api
    from lsmtune.result import Standing

    if experiment is None:
        raise UsageError(_next_step(Path()))
    written = read_resized(experiment, "", "", searches=True)
    tuning = partial(api.tune, budget=budget, sampler=sampler, db_bench=db_bench, quiet=quiet or json)
    size = {"scale": scale, "num": num}
    result = _tuned(tuning, written, size, study, offers=not (quiet or json)).result
    print_tuning(result, json=json)
    if exit_code and result.standing is not Standing.ACCEPTED:
        raise typer.Exit(_NOTHING_SHOWN if result.standing is Standing.REFUSED else _UNDECIDED)


def _tuned(
    tuning: Callable[..., "api.Study"],
    written: "Experiment",
    size: Mapping[str, str],
    study: Path | None,
    *,
    offers: bool,
) -> "api.Study":
    """Tune; where the budget is too small and a size that fits is offered and taken, tune at that one.

    Args:
        tuning: tunes an experiment in a folder.
        written: what the file says.
        size: the scale and the number of keys that flags say in its place; empty where they do not.
        study: the folder that a flag names.
        offers: whether a size is offered.
    """
    from lsmtune.experiment import resized

    asked, folder = resized(written, **size) if any(size.values()) else written, study
    while True:
        try:
            return tuning(asked, study=folder)
        except BudgetError as error:
            fits = {"scale": error.scale} if error.scale else {"num": error.num}
            if not any(fits.values()) or not offers or not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise
            typer.echo(f"lsmtune: {error}", err=True)
            (offered,) = (f"{key} {value}" for key, value in fits.items())
            if not typer.confirm(f"go on with {offered} instead?", default=True, err=True):
                raise typer.Exit(_WRONG_USE) from None
        size = {**size, **fits}
        asked = resized(written, **size)
        flags = [word for key, value in size.items() if value for word in (f"--{key}", value)]
        if study is not None:
            place = study if study.name.strip(".") else study.resolve()  # "." and ".." name no folder beside them
            folder = Path(f"{place}{asked.name.removeprefix(written.name[:60])}")
            flags += ["--study", str(folder)]
        typer.echo(
            f"lsmtune: this is another study, {asked.name}; the same answer goes on with it, or {shlex.join(flags)}",
            err=True,
        )


def _next_step(folder: Path) -> str:
    """Return what one who named no experiment can do in this folder."""
    found = sorted(path.name for path in folder.glob("*.toml"))
    missing = "tune needs an experiment file"
    if (folder / "CURRENT").exists() and (folder / "LOG").exists():
        return (
            f"{missing}; this folder is a database: lsmtune init ../service.toml --from . writes one that resembles it"
        )
    if len(found) == 1:
        return f"{missing}; here is {found[0]}: lsmtune tune {shlex.quote(str(found[0]))}"
    if found:
        return f"{missing}; here are {', '.join(found)}"
    return f"{missing}; lsmtune init writes one for this machine, lsmtune init --from PATH one for a service"
