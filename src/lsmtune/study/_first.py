"""What earlier studies found, as the first configurations that a search tries."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from lsmtune.errors import UsageError
from lsmtune.model import Purpose, Value
from lsmtune.result import History, rank, summarise
from lsmtune.space import Space
from lsmtune.store import Study, read_study

_TRIALS = 3
"""Trials, or points of a sample, of each earlier study that are tried beside its result."""

_LOOKED_AT = frozenset({Purpose.TRIAL, Purpose.SAMPLE, Purpose.TEST})


def earlier_results(folders: tuple[Path, ...], engine: str, space: Space) -> tuple[dict[str, Value], ...]:
    """Return feasible configurations of a space from earlier studies: of each its result, then the best it ran.

    Values outside of an axis go to its nearer end, choices that it does not have and options outside of the space are
    left out. What was found twice is returned once.

    Raises:
        StudyError: a folder is no study.
        UsageError: a study is of another engine.
    """
    found: list[dict[str, Value]] = []
    for folder in folders:
        with read_study(folder) as study:
            other = study.description.build.engine
            if other != engine:
                raise UsageError(f"search.first: {folder} is a study of {other}, not of {engine}; take it out")
            results = list(_results(study))
        for values in results:
            fitted = _fitted(space, values)
            if fitted and fitted not in found:
                found.append(fitted)
    return tuple(found)


def _results(study: Study) -> Iterator[Mapping[str, Value]]:
    """Yield the configuration that a study hands over, then the best that it ran."""
    result = summarise(study)
    yield result.final.values
    ranked = rank(History.read(study, result.rules), result.rules, _LOOKED_AT)
    own = [leader for leader in ranked if leader.stored.run.arm not in result.builds]
    for leader in own[:_TRIALS]:
        if leader.log_gain is not None and leader.log_gain > 0 and leader.violation == 0:
            yield leader.stored.run.configuration.values


def _fitted(space: Space, values: Mapping[str, Value]) -> dict[str, Value] | None:
    """Return the nearest values of the space; None where no feasible ones were found."""
    within = {}
    for axis in space.dimensions:
        value = values.get(axis.name)
        if value is None or (axis.choices and value not in (*axis.choices, *axis.specials)):
            continue
        within[axis.name] = axis.from_unit(axis.to_unit(value))
    repaired = space.repair(within)
    return None if repaired is None else space.canonical(repaired)
