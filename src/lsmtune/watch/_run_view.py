"""One run, or two side by side, read for a page."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsmtune.backends.registry import option_units
from lsmtune.errors import LsmtuneError
from lsmtune.model import WHOLE, Measurement, Run, Value
from lsmtune.report import format_indicator, format_option, label, ratio_text, timeline_card, timeline_figure
from lsmtune.report.html import card_html
from lsmtune.result import RunTimeline, StudyFacts, read_timeline, run_values, start_values
from lsmtune.space import WORKLOAD_PREFIX
from lsmtune.store import StoredRun, Study
from lsmtune.units import format_seconds

_COMMAND = ".command"


@dataclass(frozen=True)
class RunView:
    """A run as its page shows it.

    Attributes:
        id: of the run.
        title: what it is, in a few words.
        status: how it ended.
        reason: why, where it did not end well.
        rows: name and value of what else is to be said of it.
        changed: option, value in the reference and value in this run, of those that differ.
        artefacts: names of what it left to read.
        commands: name of each process and its command.
        warnings: what makes it doubtful.
        timeline: what happened inside, as HTML that is escaped; empty where that is not known.
        no_timeline: why not.
        is_open: whether it is planned or under way.
        more: whether there is a run after it.
    """

    id: int
    title: str
    status: str
    reason: str
    rows: tuple[tuple[str, str], ...]
    changed: tuple[tuple[str, str, str], ...]
    artefacts: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    timeline: str
    no_timeline: str
    is_open: bool
    more: bool


@dataclass(frozen=True)
class PairView:
    """Two runs side by side: each by itself, then indicators and options next to each other."""

    runs: tuple[RunView, RunView]
    indicators: tuple[tuple[str, str, str, str], ...]
    options: tuple[tuple[str, str, str], ...]


def run_view(study: Study, run_id: int) -> RunView:
    """Read a run.

    Raises:
        StudyError: there is no such run, or the study cannot be read.
    """
    stored = study.run(run_id)
    run, facts = stored.run, StudyFacts.of(study.description)
    names = study.artefact_names(run_id)
    measured = study.measurement(run_id)
    following = study.outlines(run_id, 2)
    is_open = following[0].is_open
    timeline, trouble = (None, "It is known when the run has ended.") if is_open else _timeline(study, run_id)
    return RunView(
        id=run_id,
        title=f"{run.purpose} {run.arm}" if not run.arm.startswith(str(run.purpose)) else run.arm,
        status=str(stored.status),
        reason=stored.reason,
        rows=tuple(_rows(stored, measured)),
        changed=_changed(study, facts, stored),
        artefacts=names,
        commands=tuple(
            (name.removesuffix(_COMMAND), study.artefact(run_id, name).strip())
            for name in names
            if name.endswith(_COMMAND)
        ),
        warnings=() if measured is None else measured.warnings,
        timeline="" if timeline is None else card_html(timeline_card((timeline,))),
        no_timeline=trouble,
        is_open=is_open,
        more=len(following) > 1,
    )


def pair_view(study: Study, first: int, second: int) -> PairView:
    """Read two runs of a study.

    Raises:
        StudyError: there is no such run, or the study cannot be read.
    """
    measured = [study.measurement(run_id) for run_id in (first, second)]
    columns: list[Mapping[str, float | None]] = [{} if each is None else each.indicators for each in measured]
    names = dict.fromkeys(itertools.chain(*columns))
    rows = [(name, columns[0].get(name), columns[1].get(name)) for name in names]
    return PairView(
        runs=(run_view(study, first), run_view(study, second)),
        indicators=tuple(
            (label(name), format_indicator(name, one), format_indicator(name, other), _ratio(one, other))
            for name, one, other in rows
        ),
        options=_differences(study, first, second),
    )


def timeline_svg(study: Study, run_ids: tuple[int, ...]) -> str:
    """Draw what happened inside runs, side by side.

    Raises:
        LsmtuneError: a run left nothing from which that is known.
    """
    return timeline_figure([read_timeline(study, run_id) for run_id in run_ids])


def _timeline(study: Study, run_id: int) -> tuple[RunTimeline | None, str]:
    try:
        return read_timeline(study, run_id), ""
    except LsmtuneError as error:
        return None, str(error)


def _rows(stored: StoredRun, measured: Measurement | None) -> list[tuple[str, str]]:
    run = stored.run
    rows = [
        ("purpose", str(run.purpose)),
        ("arm", run.arm),
        *([] if run.repeat is None else [("pair", str(run.repeat + 1))]),
        ("time", format_seconds(stored.elapsed_s)),
        *([] if not stored.load_s else [("of which loading", format_seconds(stored.load_s))]),
        *([] if run.rung == WHOLE else [("data", f"{run.rung} times that of the study")]),
        *((name, format_option(value)) for name, value in _scenario(run).items()),
        ("seed", f"{run.seed}, of the load {run.load_seed}"),
        ("host", run.host),
    ]
    if measured is not None:
        rows += [(label(name), format_indicator(name, value)) for name, value in measured.indicators.items()]
        rows += [(name.replace("_", " "), _plain(value)) for name, value in measured.facts.items()]
    return rows


def _plain(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _changed(study: Study, facts: StudyFacts, stored: StoredRun) -> tuple[tuple[str, str, str], ...]:
    build, run = study.description.build, stored.run
    units, before, after = option_units(build.engine), start_values(facts, build), run_values(facts, build, run)
    if run.arm in facts.builds:  # the defaults of another build are no change of the run's
        names = list(run.configuration.changes_from(facts.rules.start))
    else:
        names = sorted(name for name, value in after.items() if value != before.get(name))
    return tuple((name, _option(units, name, before.get(name)), _option(units, name, after[name])) for name in names)


def _differences(study: Study, first: int, second: int) -> tuple[tuple[str, str, str], ...]:
    """Return the options that differ, and what of the workload; of those of one of two builds, what a run sets."""
    facts, build = StudyFacts.of(study.description), study.description.build
    units, runs = option_units(build.engine), [study.run(run_id).run for run_id in (first, second)]
    one, other = ({**run_values(facts, build, run), **_scenario(run)} for run in runs)
    told = {name for run in runs for name in (*run.configuration.values, *_scenario(run))} | (one.keys() & other.keys())
    names = [name for name in {**one, **other} if one.get(name) != other.get(name) and name in told]
    return tuple((name, _option(units, name, one.get(name)), _option(units, name, other.get(name))) for name in names)


def _scenario(run: Run) -> dict[str, Value]:
    """Return what of the workload is a run's own, by name as in tables of runs."""
    return {f"{WORKLOAD_PREFIX}{name}": value for name, value in run.scenario}


def _option(units: Mapping[str, str], name: str, value: Value | None) -> str:
    return "?" if value is None else format_option(value, units.get(name, ""))


def _ratio(one: float | None, other: float | None) -> str:
    return ratio_text(other / one) if one and other is not None else "?"
