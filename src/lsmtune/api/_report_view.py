"""What the report of a study shows, read from its folder."""

import json
import shlex
from pathlib import Path
from typing import Any

from lsmtune.api._what_if import what_if
from lsmtune.backends.registry import backend_of, option_units
from lsmtune.errors import LsmtuneError, StatisticsError, UsageError
from lsmtune.experiment import competing_factor, recorded_experiment
from lsmtune.jin2022 import JIN2022_FIGURES, jin2022_figures, recorded_reproduction, summarise_jin2022
from lsmtune.model import StudyKind
from lsmtune.report import html
from lsmtune.report.html import Drawing, ReportView, SweepView, element_of
from lsmtune.result import (
    LOG,
    MEASURED,
    History,
    RunTimeline,
    StudyFacts,
    TuneResult,
    read_timeline,
    shown_runs,
    summarise,
)
from lsmtune.store import Study
from lsmtune.study import runs_of

ANALYSIS_FILE = "analysis.json"
"""What an analysis of a study leaves in its folder."""

_SHOWN_BY_PHASE = ("throughput_ops_s", "latency_p99_s", "read_latency_p99_s", "write_latency_p99_s")


def report_view(study: Study, *, inside: bool = True, predicts: bool = True) -> ReportView:
    """Read all that a report shows of a study; without `inside` no single runs, without `predicts` no predictions.

    Predictions run a model, which is compiled for a minute where it has not run before.
    """
    has_workload = backend_of(study.description.build).has_workload
    rules, shown = StudyFacts.of(study.description).rules, _more(study.indicators())
    analysis, trouble = _analysis(study.folder)
    result, history = summarise(study, more=shown), History.read(study, rules, shown)
    shown_inside, trouble_inside = _inside(study, history, result) if inside else ((), "")
    return ReportView(
        result=result,
        history=history,
        commands=_commands(study),
        measured_phase=recorded_experiment(study.description.experiment).measure if has_workload else "",
        analysis=analysis,
        analysis_trouble=trouble,
        option_units=option_units(result.build.engine),
        inside=shown_inside,
        inside_trouble=trouble_inside,
        sweep=_sweep(study),
        what_if=what_if(result) if predicts else None,
        drawings=_drawings(study) if inside else (),
    )


def _inside(study: Study, history: History, result: TuneResult) -> tuple[tuple[RunTimeline, ...], str]:
    """Return the time lines of the runs that show the result, and why one of them is missing.

    A run without a LOG is no trouble: not every tool has one.
    """
    found, troubles = [], []
    for run_id in shown_runs(history, result):
        try:
            if f"{MEASURED}{LOG}" in study.artefact_names(run_id):
                found.append(read_timeline(study, run_id))
        except LsmtuneError as error:
            troubles.append(f"What happened inside run {run_id} cannot be shown: {error}.")
    return tuple(found), " ".join(troubles)


def _sweep(study: Study) -> SweepView | None:
    if study.kind is not StudyKind.SWEEP:
        return None
    decisive = tuple(StudyFacts.of(study.description).rules.objective.weights)
    return SweepView(runs_of(study), competing_factor(recorded_experiment(study.description.experiment)), decisive)


def _drawings(study: Study) -> tuple[Drawing, ...]:
    """Return the figures of the paper that a study repeats; none where it repeats none, or has too few runs yet."""
    if study.kind is not StudyKind.REPRODUCE:
        return ()
    runs = runs_of(study)
    try:
        result = summarise_jin2022(runs, recorded_reproduction(runs))
    except (StatisticsError, UsageError):
        return ()
    figures = jin2022_figures(result, runs)
    return tuple(Drawing(*JIN2022_FIGURES[name], element_of(svg)) for name, svg in figures.items())


def _more(stored: tuple[str, ...]) -> tuple[str, ...]:
    """Return the indicators that a report shows beside those of the rules: tails of latency, and what phases did."""
    by_phase = [name for name in stored if "@" in name and name.partition("@")[0] in _SHOWN_BY_PHASE]
    kinds = {name.removesuffix("latency_p99_s") for name in stored if name.endswith("latency_p99_s")}
    tails = [
        f"{kind}latency_{tail}_s" for kind in sorted(kinds) for tail in ("p50", "p75", "p99", "p999", "p9999", "max")
    ]
    return tuple(dict.fromkeys([*by_phase, *(name for name in tails if name in stored)]))


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


def _commands(study: Study) -> tuple[str, ...]:
    """Return what repeats a study, beginning with the experiment file that it kept."""
    name = shlex.quote(study.description.name)
    again = f"experiment.toml --study again/{name}"
    if not backend_of(study.description.build).has_workload:
        return (
            "# CONFIG is the configuration of NNI; what lsmtune read of it is printed below",
            f"lsmtune nni CONFIG --study again/{name}",
            f"lsmtune show again/{name}",
            f"lsmtune report again/{name}",
        )
    if study.kind is StudyKind.SWEEP:
        lines = [f"lsmtune sweep {again}"]
    elif study.kind.has_design:
        lines = [f"lsmtune {study.kind} {again}", f"lsmtune analyze again/{name}"]
    elif study.kind is StudyKind.COMPARE:
        on_demand = [each.build.path for each in StudyFacts.of(study.description).builds.values() if each.on_demand]
        named = "".join(f" --against {shlex.quote(str(path))}" for path in on_demand)
        lines = [f"lsmtune compare {again}{named}"]
    else:
        sampler = StudyFacts.of(study.description).sampler
        lines = [f"lsmtune tune {again}{f' --sampler {sampler}' if sampler else ''}"]
    return (
        "# experiment.toml lies in the study folder and is printed below",
        "lsmtune doctor",
        *lines,
        f"lsmtune show again/{name}",
        f"lsmtune report again/{name}",
    )


def check_own(path: Path) -> None:
    """Refuse to write over a file that is no report.

    Raises:
        UsageError: the file is something else.
    """
    mark = html.MARK
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            start = file.read(len(mark))
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; give another name") from None
    if start and start != mark:
        raise UsageError(f"{path} exists and is not a report of lsmtune; give another name, or move it away")
