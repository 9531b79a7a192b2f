"""lsmtune show."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lsmtune.cli._common import Json, StudyFolder, given_options, make_console, print_json, write_text

if TYPE_CHECKING:
    from lsmtune.result import Rankings
    from lsmtune.store import Study

_MOST = 10

_Trials: TypeAlias = Annotated[
    int, typer.Option("--trials", metavar="N", min=0, help="Also show the N best trials of a tuning.")
]
_By: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="INDICATOR",
        help="Rank the best trials (10, or as many as --trials says) by an indicator, like throughput_ops_s@load, "
        "instead of the objective; can be repeated.",
    ),
]
_PerPhase: TypeAlias = Annotated[
    bool,
    typer.Option("--per-phase", help="Rank them once for each phase, by the first indicator of the objective."),
]
_Svg: TypeAlias = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="Also write the card as a picture that loads nothing.")
]


def show(
    study: StudyFolder,
    trials: _Trials = 0,
    *,
    by: _By = None,
    per_phase: _PerPhase = False,
    runs: Annotated[bool, typer.Option("--runs", help="Also list every run, in the JSON as run_list.")] = False,
    svg: _Svg = None,
    benchstat: Annotated[
        bool,
        typer.Option("--benchstat", help="Print the fresh runs as Go benchmarks instead, for benchstat -col /arm."),
    ] = False,
    json: Json = False,
) -> None:
    """Show the results of a study so far, also while it is running."""
    from lsmtune import api, report
    from lsmtune.backends.registry import option_units
    from lsmtune.errors import UsageError
    from lsmtune.result import History
    from lsmtune.store import read_study

    others = given_options(trials=trials, by=by, per_phase=per_phase, runs=runs, svg=svg, json=json)
    if benchstat and others:
        raise UsageError(f"--benchstat prints the fresh runs and nothing else; leave out {others}")
    done = api.load(study)
    result = done.summary(leaders=trials or _MOST)
    units = option_units(result.build.engine)
    with read_study(study) as opened:
        if trials or by or per_phase:
            _check_searched(opened)
        rankings = _rankings(opened, by or [], per_phase, trials or _MOST) if by or per_phase else None
        history = History.read(opened, result.rules) if runs or benchstat else None
    if benchstat and history is not None:
        _print_fresh(report.benchstat_text(result, history), study)
        return
    card = done.card_of(result)
    if svg is not None:
        write_text(svg, report.card_svg(card, title=f"lsmtune: {result.description.name}"))
    if json:
        ranked = {} if rankings is None else {"rankings": report.rankings_json(rankings)}
        listed = {} if history is None else {"run_list": report.runs_json(history, result)}
        print_json(done.json_of(result) | ranked | listed)
        return
    console = make_console()
    console.print(card)
    if rankings is not None:
        console.print(report.rankings_view(result, rankings, units))
    elif trials:
        console.print(report.trials_table(result, units))
    if history is not None:
        console.print(report.runs_table(history, result.rules.judged, result))


def _print_fresh(text: str, study: Path) -> None:
    """Print the fresh runs of a study.

    Raises:
        UsageError: there are none.
    """
    from lsmtune.errors import UsageError

    if not text:
        raise UsageError(f"{study} has no fresh runs: nothing was verified yet; see lsmtune show {study}")
    typer.echo(text, nl=False)


def _check_searched(study: "Study") -> None:
    """Check that a study has trials.

    Raises:
        UsageError: it is none of a search.
    """
    from lsmtune.errors import UsageError
    from lsmtune.model import StudyKind

    if study.kind.has_design:
        kind, then = ("sweep", "show") if study.kind is StudyKind.SWEEP else ("sample", "analyze")
        raise UsageError(f"{study.folder} is a {kind}, without trials to rank; see lsmtune {then} {study.folder}")
    if study.kind is not StudyKind.TUNE:
        raise UsageError(
            f"{study.folder} has no trials of a search to rank; its configurations are compared in full by "
            f"lsmtune show {study.folder}"
        )


def _rankings(study: "Study", by: list[str], per_phase: bool, most: int) -> "Rankings":
    """Rank the trials of a tuning by each of some indicators.

    Raises:
        UsageError: an indicator cannot be used.
    """
    from lsmtune.experiment import recorded_experiment
    from lsmtune.result import phase_indicators, rank_by

    workload = recorded_experiment(study.description.experiment).workload()
    phases = phase_indicators(study, workload) if per_phase else ()
    return rank_by(study, workload, (*phases, *by), most)
