"""Which runs of a study are worth a look inside, and what their LOGs tell.

The LOG of each process of a run is an artefact, ``STEP.LOG``: ``measure.LOG``, and ``settle.LOG`` before it
where loaded data has to take another shape.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsmtune.backends.registry import backend_of
from lsmtune.errors import StudyError, UsageError
from lsmtune.model import Purpose, Run, Timeline
from lsmtune.result._facts import StudyFacts
from lsmtune.result._history import History
from lsmtune.result._tune_result import TuneResult
from lsmtune.store import StoredRun, Study

MEASURED = "measure"
"""The process whose numbers are a run's."""

LOG = ".LOG"
"""Follows the name of a process in the name of the artefact that holds its LOG."""


@dataclass(frozen=True)
class RunTimeline:
    """What happened inside one process of a run; `process` names the process."""

    run: Run
    process: str
    timeline: Timeline

    @property
    def name(self) -> str:
        """The run in a few words."""
        return f"run {self.run.id}: {self.run.arm} ({self.run.purpose})"


def shown_runs(history: History, result: TuneResult) -> tuple[int, ...]:
    """Return the runs to look into where none was named: the reference's and the result's last good ones.

    They are of one block of the comparison that the result was shown by, so that they ran side by side, and the
    result's is of the build that it was shown on. Without a result it is the reference's last good run; without that,
    none.
    """
    reference, final = result.rules.reference, result.final.key
    build = result.builds.get(result.decisions.winner or "")
    for purpose in (Purpose.CONFIRM, Purpose.VERIFY) if result.improved else ():
        for _, arms in sorted(history.blocks(purpose).items(), reverse=True):
            own = {arm: stored for arm, stored in arms.items() if result.builds.get(arm) == build}
            found = _arm_with(own, final, besides=reference)
            if found is not None and reference in arms:
                return arms[reference].run.id, found.run.id
    runs = history.select((Purpose.BASELINE, Purpose.ANCHOR, Purpose.VERIFY, Purpose.CONFIRM), reference)
    return (runs[-1].run.id,) if runs else ()


def read_timeline(study: Study, run_id: int, process: str = MEASURED) -> RunTimeline:
    """Read what happened inside a process of a run.

    Raises:
        UsageError: there is no such run, or the run has no such process with a LOG.
        StudyError: the run left no LOG, or one without a single line that has a time.
        StudyCorruptError: the LOG is damaged.
        RunError: the tool's output is of a newer format than this lsmtune can read.
    """
    stored = next((each for each in study.runs() if each.run.id == run_id), None)
    if stored is None:
        raise UsageError(f"{study.folder} has no run {run_id}; lsmtune show {study.folder} --runs lists its runs")
    names = study.artefact_names(run_id)
    processes = [name.removesuffix(LOG) for name in names if name.endswith(LOG)]
    if not processes:
        raise StudyError(
            f"run {run_id} of {study.folder} ({stored.status}) left no LOG of its engine, so what happened inside is "
            "not known; choose another run"
        )
    if process not in processes:
        raise UsageError(
            f'run {run_id} of {study.folder} has no LOG of a process "{process}"; take --process '
            f"{' or '.join(processes)}"
        )
    other = StudyFacts.of(study.description).builds.get(stored.run.arm)
    build = study.description.build if other is None else other.build
    lines = study.artefact(run_id, f"{process}{LOG}").splitlines()
    timeline = backend_of(build).timeline(lines)
    if timeline is None:
        raise StudyError(f"the LOG of run {run_id} of {study.folder} has no line with a time; choose another run")
    stdout, stderr = (
        study.artefact(run_id, name) if name in names else "" for name in (f"{process}.stdout", f"{process}.stderr")
    )
    from lsmtune.backends.db_bench import interval_series
    from lsmtune.backends.ycsb import held_rates, timed_series

    series = timed_series(stdout) or interval_series(stderr, lines)
    return RunTimeline(stored.run, process, replace(timeline, series=series, rates=held_rates(stdout)))


def _arm_with(arms: Mapping[str, StoredRun], configuration: str, besides: str) -> StoredRun | None:
    """Return the run of a block that has a configuration, by its key, and is not of the arm `besides`."""
    found = (run for arm, run in arms.items() if arm != besides and run.run.configuration.key == configuration)
    return next(found, None)
