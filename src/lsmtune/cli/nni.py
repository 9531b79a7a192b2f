"""lsmtune nni."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lsmtune.cli._common import BudgetText, DbBench, Json, NewStudy, Quiet, print_tuning

if TYPE_CHECKING:
    from lsmtune.nni import Asked, NniConfig
    from lsmtune.result import TuneResult

NniFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="A configuration of NNI: YAML, with its search space beside it.")
]
ScaleText: TypeAlias = Annotated[
    str | None, typer.Option("--scale", metavar="FACTOR", help="Like 1/64: data and options shrink together.")
]
Benchmarks: TypeAlias = Annotated[
    str | None,
    typer.Option("--benchmarks", metavar="NAMES", help="What db_bench runs, where the trial's code does not tell."),
]
Num: TypeAlias = Annotated[
    str | None, typer.Option("--num", metavar="COUNT", help="Keys at full size, where the trial's code does not tell.")
]


def nni(
    config: NniFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    scale: ScaleText = None,
    trial: Annotated[
        bool, typer.Option("--trial", help="Run the trial's command even where it is known to run db_bench.")
    ] = False,
    default: Annotated[
        Path | None,
        typer.Option(
            "--default",
            metavar="FILE",
            help="JSON of your own parameters, which gains are measured against; else the middle of the search space.",
        ),
    ] = None,
    benchmarks: Benchmarks = None,
    num: Num = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run an experiment of NNI as it is: find good parameters, and prove the gain with fresh runs.

    A trial that only runs db_bench with options of RocksDB, like NNI's example, is run without its code, as lsmtune
    tune would do it. Any other command is run as it is, with a package nni that hands it the parameters and takes its
    result. What lsmtune does otherwise than the configuration says is named first. Ctrl-C stops cleanly; the same
    command goes on.
    """
    from lsmtune import nni as experiments

    read = experiments.load_config(config)
    for note in read.notes:
        typer.echo(f"lsmtune: {note}", err=True)
    if not trial and (benchmarks is not None or experiments.runs_db_bench(read)):
        _refuse(default is not None, "--default", "a trial command; the values that its code sets are the reference")
        result = _options(read, asked_of(scale, benchmarks, num, db_bench), study, budget, quiet=quiet or json)
    else:
        for given, name in ((scale, "--scale"), (benchmarks, "--benchmarks"), (num, "--num"), (db_bench, "--db-bench")):
            _refuse(given is not None, name, "db_bench, and this runs a command of yours")
        result = _trials(read, default, study, budget, quiet=quiet or json)
    print_tuning(result, json=json)


def _refuse(given: bool, name: str, what: str) -> None:
    from lsmtune.errors import UsageError

    if given:
        raise UsageError(f"{name} is for {what}; take it out")


def asked_of(scale: str | None, benchmarks: str | None, num: str | None, db_bench: Path | None) -> "Asked":
    """Return what the command line says beside a configuration of NNI.

    Raises:
        QuantityError: the scale is none.
    """
    from fractions import Fraction

    from lsmtune.nni import Asked
    from lsmtune.units import parse_scale

    return Asked(Fraction(1) if scale is None else parse_scale(scale), benchmarks, num, db_bench)


def _options(read: "NniConfig", asked: "Asked", study: Path | None, budget: str | None, *, quiet: bool) -> "TuneResult":
    """Tune options of RocksDB by db_bench."""
    from lsmtune import nni as experiments
    from lsmtune import study as studies
    from lsmtune.api import at_work, budget_of
    from lsmtune.experiment import parse_experiment
    from lsmtune.result import summarise

    text = experiments.experiment_text(read, asked)
    wanted = parse_experiment(text, read.path.with_suffix(".toml"))
    folder = study or Path("studies") / wanted.name
    limit = budget_of(wanted, budget)
    prepared = studies.prepare(wanted).searching()
    with at_work(prepared, folder, limit, quiet=quiet) as runner:
        studies.tune(runner, prepared.search_settings())
        return summarise(runner.study)


def _trials(
    read: "NniConfig", default: Path | None, study: Path | None, budget: str | None, *, quiet: bool
) -> "TuneResult":
    """Tune the parameters of the trial's own command."""
    from lsmtune import nni as experiments
    from lsmtune import study as studies
    from lsmtune.api import at_trials
    from lsmtune.result import summarise

    trials = experiments.Trials(read, None if default is None else experiments.read_own_values(default))
    folder = study or Path("studies") / trials.name
    limit = studies.Budget.parse(budget) if budget else trials.budget
    with at_trials(trials, folder, limit, quiet=quiet) as runner:
        studies.tune(runner, trials.search_settings())
        return summarise(runner.study)
