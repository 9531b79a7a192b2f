"""lsmtune report."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsmtune.cli._common import StudyFolder, make_folder, option_units, write_text

if TYPE_CHECKING:
    from lsmtune.report.html import ReportView, SweepView
    from lsmtune.result import History, RunTimeline, TuneResult
    from lsmtune.store import Study

ANALYSIS_FILE = "analysis.json"
"""What `lsmtune analyze STUDY` leaves in the study folder."""

_SHOWN_STEPWISE = ("throughput_ops_s", "latency_p99_s", "read_latency_p99_s", "write_latency_p99_s")


def report(
    study: StudyFolder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write there [default: STUDY/report.html, or report-lite.html]."
        ),
    ] = None,
    *,
    lite: Annotated[
        bool, typer.Option("--lite", help="A page without scripts, at most 500 KB, with still pictures.")
    ] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="DIR", help="Also write every figure there, as SVG.")
    ] = None,
) -> None:
    """Write a study as one HTML file that loads nothing: figures, tables, warnings, how to repeat it.

    Also while the study runs. Importance and effects are in it where lsmtune analyze STUDY was run before.
    """
    from lsmtune.report import html
    from lsmtune.store import read_study

    path = output or study / ("report-lite.html" if lite else "report.html")
    with read_study(study) as opened:
        view = _view(opened)
    _check_own(path, html.MARK)
    write_text(path, html.lite_report(view) if lite else html.html_report(view))
    if figures is not None:
        make_folder(figures)
        for name, text in html.report_figures(view):
            write_text(figures / name, text)


def _view(study: "Study") -> "ReportView":
    """Read all that a report shows of a study."""
    from lsmtune.model import Tool
    from lsmtune.report.html import ReportView
    from lsmtune.result import History, read_rules, summarise
    from lsmtune.study import recorded_workload, was_sampled

    is_command = study.description.build.tool is Tool.COMMAND  # of the user's own, which has no workload
    rules, shown = read_rules(study.description), _more(study.indicators())
    analysis, trouble = _analysis(study.folder)
    result, history = summarise(study, more=shown), History.read(study, rules, shown)
    inside, inside_trouble = _inside(study, history, result)
    return ReportView(
        result=result,
        history=history,
        commands=_commands(study),
        measured_step="" if is_command else recorded_workload(study.description.experiment).measure,
        sampled=was_sampled(study),
        analysis=analysis,
        analysis_trouble=trouble,
        option_units=option_units(),
        inside=inside,
        inside_trouble=inside_trouble,
        sweep=_sweep(study),
    )


def _inside(study: "Study", history: "History", result: "TuneResult") -> tuple[tuple["RunTimeline", ...], str]:
    """Return the time lines of the runs that show the result, and why one of them is missing.

    A run without a LOG is no trouble: not every tool has one.
    """
    from lsmtune.errors import LsmtuneError
    from lsmtune.result import LOG, MEASURED, read_timeline, shown_runs

    found, troubles = [], []
    for run_id in shown_runs(history, result):
        try:
            if f"{MEASURED}{LOG}" in study.artefact_names(run_id):
                found.append(read_timeline(study, run_id))
        except LsmtuneError as error:
            troubles.append(f"What happened inside run {run_id} cannot be shown: {error}.")
    return tuple(found), " ".join(troubles)


def _sweep(study: "Study") -> "SweepView | None":
    from lsmtune.report.html import SweepView
    from lsmtune.result import read_rules
    from lsmtune.study import recorded_rival, runs_of, was_swept

    if not was_swept(study):
        return None
    decisive = tuple(read_rules(study.description).objective.weights)
    return SweepView(runs_of(study), recorded_rival(study.description.experiment), decisive)


def _more(stored: tuple[str, ...]) -> tuple[str, ...]:
    """Return the indicators that a report shows beside those of the rules: tails of latency, and what steps did."""
    stepwise = [name for name in stored if "@" in name and name.partition("@")[0] in _SHOWN_STEPWISE]
    kinds = {name.removesuffix("latency_p99_s") for name in stored if name.endswith("latency_p99_s")}
    tails = [
        f"{kind}latency_{tail}_s" for kind in sorted(kinds) for tail in ("p50", "p75", "p99", "p999", "p9999", "max")
    ]
    return tuple(dict.fromkeys([*stepwise, *(name for name in tails if name in stored)]))


def _analysis(folder: Path) -> tuple[Any, str]:
    """Return the analysis that lies in a study folder, or None and why there is none."""
    path = folder / ANALYSIS_FILE
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        return None, "This study was not analyzed: run lsmtune analyze STUDY, then write this report again."
    except (OSError, ValueError, RecursionError) as error:
        return None, f"{ANALYSIS_FILE} of this study cannot be read ({error}); repeat lsmtune analyze STUDY."
    if not isinstance(found, dict):
        return None, f"{ANALYSIS_FILE} of this study holds no analysis; repeat lsmtune analyze STUDY."
    return found, ""


def _commands(study: "Study") -> tuple[str, ...]:
    """Return what repeats a study, beginning with the experiment file that it kept."""
    import shlex

    from lsmtune.model import Tool
    from lsmtune.result import Decisions, Plan, read_builds
    from lsmtune.study import was_sampled, was_swept

    text, name = study.description.experiment, shlex.quote(study.description.name)
    again = f"experiment.toml --study again/{name}"
    if study.description.build.tool is Tool.COMMAND:
        return (
            "# CONFIG is the configuration of NNI; what lsmtune read of it is printed below",
            f"lsmtune nni CONFIG --study again/{name}",
            f"lsmtune show again/{name}",
            f"lsmtune report again/{name}",
        )
    if was_swept(study):
        lines = [f"lsmtune sweep {again}"]
    elif was_sampled(study):
        lines = [
            f"lsmtune {'reproduce' if '[reproduce]' in text else 'sample'} {again}",
            f"lsmtune analyze again/{name}",
        ]
    elif Decisions.read(study).plan is Plan.COMPARE:
        on_demand = [each.build.path for each in read_builds(study.description).values() if each.on_demand]
        named = "".join(f" --against {shlex.quote(str(path))}" for path in on_demand)
        lines = [f"lsmtune compare {again}{named}"]
    else:
        sampler = study.description.facts.get("sampler")
        lines = [f"lsmtune tune {again}{f' --sampler {sampler}' if sampler else ''}"]
    return (
        "# experiment.toml lies in the study folder and is printed below",
        "lsmtune doctor",
        *lines,
        f"lsmtune show again/{name}",
        f"lsmtune report again/{name}",
    )


def _check_own(path: Path, mark: str) -> None:
    """Refuse to write over a file that is no report.

    Raises:
        UsageError: the file is something else.
    """
    from lsmtune.errors import UsageError

    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            start = file.read(len(mark))
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; give another name") from None
    if start and start != mark:
        raise UsageError(f"{path} is there and is no report of lsmtune; give another name, or move it away")
