"""What there is of experiments of NNI: those of a folder, and the trials of one."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsmtune.errors import LsmtuneError, StudyError
from lsmtune.model import Purpose
from lsmtune.nni._kept import Started, is_experiment
from lsmtune.nni._search_space import nested_values, recorded_parameters
from lsmtune.result import Decisions, StudyFacts
from lsmtune.store import Study, lock_holder, read_study

_STUDIES = Path("studies")


@dataclass(frozen=True)
class ExperimentOutline:
    """An experiment of NNI as a list shows it.

    Attributes:
        id: what names it: its folder below ``studies``, else the path of its folder.
        status: ``"RUNNING"``, ``"DONE"`` or ``"STOPPED"``; ``"UNKNOWN"`` where it was last heard of from another host.
        trials: whole trials of its search that have ended.
        config: the path of its configuration.
    """

    id: str
    status: str
    trials: int
    config: str


@dataclass(frozen=True)
class TrialOutline:
    """A trial as it is handed on: its job, the parameters that it got, result (None where it has none) and status."""

    job: str
    parameters: Mapping[str, Any]
    result: float | None
    status: str


def folder_of_experiment(name: str | None, studies: Path = _STUDIES) -> Path:
    """Return the folder of an experiment.

    Args:
        name: of a folder in `studies`, or a path; None for the only experiment that there is.
        studies: where experiments are.

    Raises:
        StudyError: there is none of that name, or none or several where no name is given.
    """
    if name is not None:
        place = studies / name if is_experiment(studies / name) else Path(name)
        Started.read(place)
        return place
    found = _experiments(studies)
    if len(found) != 1:
        names = ", ".join(each.name for each in found)
        what = f"{names}: name one of them" if found else "none; start one with lsmtune nni create --config FILE"
        raise StudyError(f"experiments of NNI in {studies}: {what}")
    return found[0]


def experiments_in(studies: Path = _STUDIES) -> list[ExperimentOutline]:
    """Return the experiments of NNI in a folder by name; what cannot be read is left out."""
    found = []
    for folder in _experiments(studies):
        try:
            with read_study(folder) as study:
                done, trials = Decisions.read(study).done, sum(1 for _ in trials_of(study))
            config = str(Started.read(folder).config)
        except LsmtuneError:
            continue
        found.append(ExperimentOutline(folder.name, _status(folder, done=done), trials, config))
    return found


def _status(folder: Path, *, done: bool) -> str:
    holder = lock_holder(folder)
    if holder is not None and holder.works:
        return "RUNNING"
    if done:
        return "DONE"
    return "STOPPED" if holder is None else "UNKNOWN"


def trials_of(study: Study) -> Iterator[TrialOutline]:
    """Yield the whole trials of a search that have ended, each once: what was repeated by its last run."""
    facts = StudyFacts.of(study.description)
    results = study.indicator(next(iter(facts.rules.objective.weights)))
    ended = {stored.run.arm: stored for stored in study.runs(Purpose.TRIAL) if stored.elapsed_s is not None}
    parameters = recorded_parameters(facts)
    for job, stored in ended.items():
        values = {**(facts.reference_values or {}), **stored.run.configuration.values}
        options = {name: values[name] for name in facts.searched or () if name in values}
        given = nested_values(parameters, values) if parameters else options
        yield TrialOutline(job, given, results.get(stored.run.id), str(stored.status))


def trials_as_json(trials: list[TrialOutline]) -> str:
    """Return trials as NNI exports them: a list of ``parameter``, ``value`` and ``trialJobId``, with its status."""
    rows = [
        {"parameter": dict(each.parameters), "value": each.result, "trialJobId": each.job, "status": each.status}
        for each in trials
    ]
    return json.dumps(rows, indent=2) + "\n"


def trials_as_csv(trials: list[TrialOutline]) -> str:
    """Return trials as a table: a row each, with the job, each parameter, the result (empty for none), the status.

    Tables and lists among the parameters are JSON.
    """
    names = list(dict.fromkeys(name for each in trials for name in each.parameters))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["trialJobId", *names, "reward", "status"])
    for each in trials:
        writer.writerow([each.job, *(_cell(each.parameters.get(name, "")) for name in names), each.result, each.status])
    return text.getvalue()


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


def _experiments(studies: Path) -> list[Path]:
    return sorted(each for each in studies.glob("*") if is_experiment(each)) if studies.is_dir() else []
