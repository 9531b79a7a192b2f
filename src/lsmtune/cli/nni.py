"""lsmtune nni: the verbs of nnictl, and a file where a verb may stand."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer.core import TyperGroup

from lsmtune.cli._common import BudgetText, DbBenchAlone, Json, NewStudy, Quiet, print_json, print_tuning, write_text
from lsmtune.cli._examples import examples_of

if TYPE_CHECKING:
    from lsmtune.nni import Asked

NniFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="A configuration of NNI: YAML, with its search space beside it.")
]
ScaleText: TypeAlias = Annotated[
    str | None, typer.Option("--scale", metavar="FACTOR", help="Like 1/64: data and options shrink together.")
]
Benchmarks: TypeAlias = Annotated[
    str | None,
    typer.Option("--benchmarks", metavar="NAMES", help="What db_bench runs, if the trial's code does not say."),
]
Num: TypeAlias = Annotated[
    str | None, typer.Option("--num", metavar="COUNT", help="Keys at full size, if the trial's code does not say.")
]
_Trial: TypeAlias = Annotated[
    bool, typer.Option("--trial", help="Run the trial's command even if it is known to run db_bench.")
]
_Default: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--default",
        metavar="FILE",
        help="JSON of your own parameters, which gains are measured against; else the middle of the search space.",
    ),
]
_Id: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="[ID]",
        help="Its name below studies, or its folder; not needed where there is only one.",
        show_default=False,
    ),
]
_FILE = "file"


class _Verbs(TyperGroup):
    """Takes a file where a verb is expected, too: lsmtune nni config.yml is lsmtune nni create --config config.yml."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the verb that takes a file before words that name none; see click's Group."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = [_FILE, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Verbs,
    help="Run an experiment of NNI as it is, by the verbs of nnictl; lsmtune nni CONFIG is create with that file.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
experiment = typer.Typer(help="The experiments of NNI that there are, and their trials.", rich_markup_mode=None)
app.add_typer(experiment, name="experiment")


@app.command("create", epilog=examples_of("nni create"))
def create(
    config: Annotated[
        Path,
        typer.Option(
            "--config",
            "-c",
            metavar="FILE",
            help="A configuration of NNI: YAML, with its search space beside it.",
            show_default=False,
        ),
    ],
    study: NewStudy = None,
    budget: BudgetText = None,
    scale: ScaleText = None,
    trial: _Trial = False,
    default: _Default = None,
    benchmarks: Benchmarks = None,
    num: Num = None,
    db_bench: DbBenchAlone = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run an experiment of NNI as it is: find good parameters, and prove the gain with fresh runs.

    A trial that only runs db_bench with options of RocksDB, like NNI's example, is run without its code, as lsmtune
    tune would do it. Any other command is run as it is, with a package nni that hands it the parameters and takes its
    result. What lsmtune does otherwise than the configuration says is named first. Ctrl-C stops cleanly; the same
    command goes on, or lsmtune nni resume.
    """
    from dataclasses import replace

    from lsmtune import api

    done = api.tune_nni(
        config,
        study=study,
        budget=budget,
        asked=replace(asked_of(scale, benchmarks, num, db_bench), trial=trial),
        default=default,
        quiet=quiet or json,
    )
    print_tuning(done.result, json=json)


@app.command(_FILE, hidden=True)
def run_file(
    config: NniFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    scale: ScaleText = None,
    trial: _Trial = False,
    default: _Default = None,
    benchmarks: Benchmarks = None,
    num: Num = None,
    db_bench: DbBenchAlone = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run the experiment of a file, as create does."""
    create(config, study, budget, scale, trial, default, benchmarks, num, db_bench, quiet, json)


@app.command("resume", epilog=examples_of("nni resume"))
def resume(name: _Id = None, quiet: Quiet = False, json: Json = False) -> None:
    """Go on with an experiment that was stopped, as it was started."""
    from lsmtune import api
    from lsmtune.nni import folder_of_experiment

    print_tuning(api.resume_nni(folder_of_experiment(name), quiet=quiet or json).result, json=json)


@app.command("stop", epilog=examples_of("nni stop"))
def stop(name: _Id = None) -> None:
    """Stop an experiment that runs on this machine, as Ctrl-C in its terminal would."""
    from lsmtune.nni import folder_of_experiment
    from lsmtune.watch import stop_study

    typer.echo(stop_study(folder_of_experiment(name)))


@app.command("view", epilog=examples_of("nni view"))
def view(
    name: _Id = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=0, max=65535, help="Listen there on 127.0.0.1 [default: 8350]."),
    ] = None,
) -> None:
    """Show an experiment in the browser, also while it runs, until Ctrl-C; see lsmtune watch."""
    from lsmtune.cli.watch import watch
    from lsmtune.nni import folder_of_experiment

    watch(folder_of_experiment(name), port=port, readonly=True)


@experiment.command("list", epilog=examples_of("nni experiment list"))
def list_experiments(json: Json = False) -> None:
    """List the experiments of NNI below studies: what names each, its status, its trials, its configuration."""
    from dataclasses import asdict

    from lsmtune.nni import experiments_in

    found = experiments_in()
    if json:
        print_json([asdict(each) for each in found])
        return
    for each in found:
        typer.echo(f"{each.id}  {each.status}  {each.trials} trials  {each.config}")
    if not found:
        typer.echo("lsmtune: no experiment of NNI in studies; start one with lsmtune nni create", err=True)


@experiment.command("export", epilog=examples_of("nni experiment export"))
def export_trials(
    name: _Id = None,
    filename: Annotated[
        Path | None, typer.Option("--filename", "-f", metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
    kind: Annotated[str, typer.Option("--type", "-t", metavar="KIND", help="json or csv.")] = "json",
) -> None:
    """Write the trials of an experiment: parameters, result and status of each, as nnictl writes them.

    lsmtune export writes the configuration itself, with its evidence.
    """
    from lsmtune.errors import UsageError
    from lsmtune.nni import folder_of_experiment, trials_as_csv, trials_as_json, trials_of
    from lsmtune.store import read_study

    writers = {"json": trials_as_json, "csv": trials_as_csv}
    if kind not in writers:
        raise UsageError(f'--type "{kind}" is no kind of export; write json or csv')
    with read_study(folder_of_experiment(name)) as study:
        text = writers[kind](list(trials_of(study)))
    if filename is None:
        typer.echo(text, nl=False)
    else:
        write_text(filename, text)


def asked_of(scale: str | None, benchmarks: str | None, num: str | None, db_bench: Path | None) -> "Asked":
    """Return what the command line says beside a configuration of NNI.

    Raises:
        QuantityError: the scale is none.
    """
    from lsmtune.nni import Asked
    from lsmtune.units import parse_scale

    return Asked(None if scale is None else parse_scale(scale), benchmarks, num, db_bench)
