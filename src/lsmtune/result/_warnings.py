"""The linter of a study: what makes its results doubtful, in sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence

from lsmtune.model import WHOLE, Configuration, Purpose, Status, Tool, Value
from lsmtune.result._history import History
from lsmtune.result._ranking import fit_reference
from lsmtune.result._rules import Rules
from lsmtune.store import Study
from lsmtune.units import format_percent

_DRIFT_WORTH_SAYING = 0.10
_NEAR_BOUND = 0.02  # of the low end itself, as ranges may be logarithmic, and of the range at the high end


def study_warnings(study: Study, history: History, rules: Rules, final: Configuration) -> tuple[str, ...]:
    """Return a sentence for each thing that makes the results of a study doubtful."""
    found = [
        *_of_build(study),
        *_on_bounds(study, rules, final),
        *_of_runs(study, history, rules, final),
        *_of_drift(history, rules),
        *_of_failures(history),
    ]
    return tuple(dict.fromkeys(found))


def _of_build(study: Study) -> list[str]:
    build = study.description.build
    if not build.assertions:
        return []
    program = "db_bench" if build.tool is Tool.DB_BENCH else build.engine
    step = " (make rocksdb builds one)" if build.engine == "rocksdb" else ""
    sentence = (
        f"assertion build: {program} {build.version} checks assertions, which slows it down by a share that is not the "
        f"same for all options; repeat what matters on an optimised build{step}"
    )
    return [sentence]


def _on_bounds(study: Study, rules: Rules, final: Configuration) -> list[str]:
    ranges = study.description.facts.get("ranges")
    if not isinstance(ranges, Mapping):
        return []
    start = rules.start.values
    return [
        sentence
        for name, value in final.values.items()
        if value != start.get(name) and (sentence := _on_bound(name, value, ranges.get(name)))
    ]


def _on_bound(name: str, value: Value, ends: object) -> str:
    if isinstance(value, str | bool) or not isinstance(ends, Sequence) or len(ends) != 2:
        return ""
    low, high = float(ends[0]), float(ends[1])
    slack = _NEAR_BOUND * (high - low)
    if low <= value <= low + _NEAR_BOUND * abs(low):
        return f"on a bound: the best {name} = {value} is the least of its range; a wider range may hold a better one"
    if high - slack <= value <= high:
        return f"on a bound: the best {name} = {value} is the most of its range; a wider range may hold a better one"
    return ""


def _of_runs(study: Study, history: History, rules: Rules, final: Configuration) -> list[str]:
    """What the last measurements of the reference and of the final configuration warn of, and what was overridden."""
    sentences = []
    shown = {"reference": rules.start} if final == rules.start else {"reference": rules.start, "result": final}
    for about, configuration in shown.items():
        runs = [
            stored
            for stored in history.runs
            if stored.status is Status.OK and stored.run.configuration == configuration and stored.run.rung == WHOLE
        ]
        measurement = study.measurement(runs[-1].run.id) if runs else None
        if measurement is None:
            continue
        sentences += [f"{about}: {warning}" for warning in measurement.warnings]
        sentences += [
            f"{about}: {change.option} was asked to be {change.asked} and was {change.effective}"
            + (f" ({change.reason})" if change.reason else "")
            for change in measurement.overridden
        ]
    return sentences


def _of_drift(history: History, rules: Rules) -> list[str]:
    anchors = fit_reference(history, rules).anchors
    sentences = []
    for name in rules.objective.weights:
        total = anchors[name].drift_total if name in anchors else None
        if total is not None and abs(total - 1) > _DRIFT_WORTH_SAYING:
            sentences.append(
                f"drift: {name} of the reference changed by {format_percent(total - 1)} during the study; trials are "
                "compared with the anchors around them"
            )
    return sentences


def _of_failures(history: History) -> list[str]:
    """Say how many runs gave nothing, with the most frequent reason."""
    sentences = []
    for status, word in ((Status.FAILED, "failed"), (Status.CONTAMINATED, "were disturbed by others on the host")):
        runs = [stored for stored in history.runs if stored.status is status]
        if runs:
            (reason, _), *_rest = Counter(stored.reason for stored in runs).most_common(1)
            sentences.append(f"{len(runs)} of {len(history.runs)} runs {word}; most often: {reason}")
    missing = len(_slots(history, ended=True) - _slots(history, ended=False))
    if missing:
        sentences.append(
            f"runs of the verification that gave nothing: {missing}; their pairs are missing from the claims"
        )
    return sentences


def _slots(history: History, *, ended: bool) -> set[tuple[Purpose, str, int | None]]:
    """Places in the verification whose runs went well, or, with `ended`, that were run at all."""
    statuses = {Status.OK, Status.FAILED, Status.CENSORED, Status.CONTAMINATED} if ended else {Status.OK}
    return {
        (stored.run.purpose, stored.run.arm, stored.run.block)
        for stored in history.runs
        if stored.run.purpose in (Purpose.VERIFY, Purpose.CONFIRM) and stored.status in statuses
    }
