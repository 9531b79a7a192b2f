"""lsmtune timeline."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lsmtune.cli._common import Json, StudyFolder, make_console, print_json, write_text

if TYPE_CHECKING:
    from lsmtune.store import Study

_Runs: TypeAlias = Annotated[
    list[int] | None,
    typer.Argument(
        metavar="RUN",
        help="Numbers of runs, as lsmtune show STUDY --runs lists them [default: the last good runs of the reference "
        "and of the result that ran side by side].",
        show_default=False,
    ),
]
_Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Draw them there, side by side, as SVG.")
]
_ProcessName: TypeAlias = Annotated[
    str, typer.Option("--process", "--step", metavar="NAME", help="Show this process of the runs, like settle.")
]


def timeline(
    study: StudyFolder,
    runs: _Runs = None,
    output: _Output = None,
    *,
    process: _ProcessName = "measure",
    json: Json = False,
) -> None:
    """Show what happened inside runs: flushes, compactions and stalls over time, from the engine's LOG."""
    from lsmtune import report
    from lsmtune.extras import need
    from lsmtune.result import read_timeline
    from lsmtune.store import read_study

    if output is not None:
        need("lsmtune timeline --output", "matplotlib")
    with read_study(study) as opened:
        wanted = tuple(dict.fromkeys(runs or _usual(opened)))
        shown = tuple(read_timeline(opened, run_id, process) for run_id in wanted)
    if output is not None:
        write_text(output, report.timeline_figure(shown))
    if json:
        print_json(report.timeline_json(shown))
    elif output is None:
        console = make_console()
        console.print(report.timeline_card(shown))
        again = shlex.join(["lsmtune", "timeline", str(study), *map(str, wanted)])
        other = "" if process == "measure" else f" --process {shlex.quote(process)}"
        console.print(f"To see it over time: {again}{other} -o timeline.svg", markup=False, soft_wrap=True)


def _usual(study: "Study") -> tuple[int, ...]:
    """Return the runs that are shown where none is named.

    Raises:
        StudyError: no run of the reference ended well.
    """
    from lsmtune.errors import StudyError
    from lsmtune.result import History, shown_runs, summarise

    result = summarise(study)
    found = shown_runs(History.read(study, result.rules), result)
    if not found:
        raise StudyError(
            f"{study.folder} has no good run of the reference yet; name a run, as lsmtune show {study.folder} --runs "
            "lists them, or wait for one"
        )
    return found
