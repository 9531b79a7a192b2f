"""The rules of the linter, asked about a study."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.errors import StatisticsError
from lsmtune.lint import (
    DataRead,
    DisturbedRuns,
    Finding,
    anchors_drifted,
    anchors_scattered,
    assertion_build,
    bound_optimum,
    capped_runs,
    differing_defaults,
    disturbed_host,
    disturbed_pairs,
    failed_runs,
    few_blocks,
    missing_pairs,
    mixed_builds,
    older_rules,
    one_load,
    overridden_value,
    read_finding,
    repeated_seeds,
    seeds_of_the_clock,
    seeds_of_the_load,
    spoiled_runs,
)
from lsmtune.model import WHOLE, Configuration, Purpose, Status
from lsmtune.result._builds import spelled
from lsmtune.result._facts import StudyFacts
from lsmtune.result._history import Counts, History
from lsmtune.result._meaning import Yardstick
from lsmtune.result._ranking import fit_reference, noise_by_host
from lsmtune.result._rules import Rules
from lsmtune.result._scaled import scale_findings
from lsmtune.stats import NoiseFloor, Scatter, fit_anchors, scatter_of
from lsmtune.store import StoredRun, Study

_COMPARED = frozenset({Purpose.VERIFY, Purpose.CONFIRM, Purpose.STEP, Purpose.CLIMB})
"""Of the fresh runs that are paired."""
_FRESH = _COMPARED | {Purpose.SAMPLE}
"""Of the runs on which claims rest."""
_VERIFYING = _COMPARED - {Purpose.STEP}
_ENDED = frozenset({Status.OK, Status.FAILED, Status.CENSORED, Status.DISTURBED, Status.SPOILED})
_DRAWN = frozenset({"fillrandom", "fillsync", "overwrite", "updaterandom"})
"""Phases of db_bench that draw their keys from the seed."""


def study_warnings(study: Study, history: History, rules: Rules, final: Configuration) -> tuple[Finding, ...]:
    """Return a finding for each thing that makes the results of a study doubtful."""
    rests_on_pairs = bool(history.attempts(Purpose.VERIFY) or history.attempts(Purpose.STEP))
    asked = [
        *_of_builds(study),
        *_on_bounds(study, rules, final),
        *_of_runs(study, history, rules, final),
        *_of_seeds(study, history),
        *_of_anchors(history, rules),
        *_of_failures(history, rules),
        older_rules(verified=rests_on_pairs, is_older=rules.is_older),
    ]
    return tuple(dict.fromkeys(finding for finding in asked if finding is not None))


def _of_builds(study: Study) -> Iterator[Finding | None]:
    own, others = study.description.build, StudyFacts.of(study.description).builds.values()
    builds = {build.fingerprint: build for build in (own, *(each.build for each in others))}.values()
    for build in builds:
        backend = backend_of(build)
        yield assertion_build(build, backend.name(build), backend.optimised)
    yield mixed_builds([build.assertions for build in builds])
    for each in others:
        yield differing_defaults(each.defaults_sentence(own))


def _on_bounds(study: Study, rules: Rules, final: Configuration) -> Iterator[Finding | None]:
    ranges = StudyFacts.of(study.description).ranges or {}
    start = rules.start.values
    engine = study.description.build.engine
    options = catalogue_of(engine).options  # none of a command of the user's own, which has parameters
    for name, value in final.values.items():
        if ranges and value != start.get(name):
            shown = spelled(value, options[name].unit) if name in options else ""
            yield bound_optimum(name, value, ranges.get(name), shown)


def _of_runs(study: Study, history: History, rules: Rules, final: Configuration) -> Iterator[Finding]:
    """What is found in the last runs of the reference, of the result and of each other build, once where it is one."""
    others = StudyFacts.of(study.description).builds
    went_well = [stored for stored in _counting(history) if stored.run.rung == WHOLE]
    own = [stored for stored in went_well if stored.run.arm not in others]
    started = [stored for stored in own if stored.run.configuration == rules.start]
    shown = {"reference": [stored for stored in started if not stored.run.scenario]}
    if final != rules.start:
        shown["result"] = [stored for stored in own if stored.run.configuration == final]
    for arm, each in others.items():
        shown[f'"{each.name}"'] = [stored for stored in went_well if stored.run.arm == arm]
    abouts: dict[Finding, list[str]] = {}
    yardstick = Yardstick(study, history, rules)
    for about, runs in shown.items():
        little = None if about == "reference" else yardstick.little_compacted(runs)
        for finding in (*_of_last_run(study, runs), *([little] if little is not None else ())):
            abouts.setdefault(finding, []).append(about)
    yield from (replace(finding, about=" and ".join(of)) for finding, of in abouts.items())


def _of_last_run(study: Study, runs: Sequence[StoredRun]) -> Iterator[Finding]:
    measurement = study.measurement(runs[-1].run.id) if runs else None
    if measurement is None:
        return
    yield from map(read_finding, measurement.warnings)
    read = DataRead.of(measurement.facts)
    yield from scale_findings(study, runs[-1], measurement)
    few = None if read is None or read.blocks is None else few_blocks(read.blocks)
    yield from () if few is None else (few,)
    yield from map(overridden_value, measurement.overridden)


def _of_seeds(study: Study, history: History) -> Iterator[Finding | None]:
    runs = [stored.run for stored in _counting(history)]
    seeds = Counter(run.seed for run in runs)
    twins = [run for run in runs if seeds[run.seed] > 1]  # few if any: configurations take long to compare
    yield repeated_seeds(len(twins) - len({(run.configuration, run.scenario, run.seed) for run in twins}))
    workload = StudyFacts.of(study.description).workload
    load = (workload.load if workload is not None else None) or ()
    if load:
        yield one_load([run.load_seed for run in runs if run.purpose in _FRESH])
    if not backend_of(study.description.build).draws_by_seed:
        return
    yield seeds_of_the_clock(sum(run.seed == 0 for run in runs))
    if _DRAWN.intersection(load):
        yield seeds_of_the_load(sum(run.seed == run.load_seed for run in runs))


def _of_anchors(history: History, rules: Rules) -> Iterator[Finding | None]:
    noise = noise_by_host(history, rules)
    for host, reference in fit_reference(history, rules).by_host.items():
        for name in rules.objective.weights:
            trend = reference.anchors.get(name)
            yield anchors_drifted(name, None if trend is None else trend.drift_total, host)
            floor = noise.get(host, {}).get(name)
            yield anchors_scattered(name, _scatter(history, rules, (name, host), floor), host)


def _scatter(history: History, rules: Rules, at: tuple[str, str], floor: NoiseFloor | None) -> Scatter | None:
    """Compare the anchors alone, in an indicator on a host, with the first runs there; None where either is unknown."""
    name, host = at
    column = history.columns[name]
    anchors = history.select((Purpose.ANCHOR,), rules.reference)
    runs = [each.run.id for each in anchors if each.run.id in column and host in ("", each.run.host)]
    if floor is None or not runs:
        return None
    try:
        return scatter_of(fit_anchors([history.order[run] for run in runs], [column[run] for run in runs]), floor)
    except StatisticsError:  # a value that is not above 0 has no logarithm
        return None


def _of_failures(history: History, rules: Rules) -> Iterator[Finding | None]:
    """Count the runs that failed, or that others disturbed or spoiled, with the most frequent reason."""
    failed = [stored for stored in history.runs if stored.status is Status.FAILED]
    yield failed_runs(len(failed), len(history.runs), _most_frequent(failed))
    disturbed = [stored for stored in history.runs if stored.status is Status.DISTURBED]
    again = history.repeated
    again_s = sum(stored.elapsed_s or 0.0 for stored in again)
    used = sum(history.counts(stored) is Counts.ALL for stored in disturbed)
    numbers = DisturbedRuns(len(disturbed), len(history.runs), used, len(again), again_s)
    yield disturbed_host(numbers, _most_frequent(disturbed), _by_host(history, disturbed))
    spoiled = [stored for stored in history.runs if stored.status is Status.SPOILED]
    yield spoiled_runs(len(spoiled), len(history.runs), _most_frequent(spoiled))
    yield disturbed_pairs(*_pairs(history, rules))
    designed = [stored.status for stored in history.runs if stored.run.purpose in (Purpose.SAMPLE, Purpose.TEST)]
    yield capped_runs(designed.count(Status.CENSORED), len(designed))
    yield missing_pairs(len(_without_result(history, rules)))


def _by_host(history: History, disturbed: Sequence[StoredRun]) -> dict[str, tuple[int, int]]:
    """Return the number of disturbed runs and of all on each host, where there are several, those hit most first."""
    made = Counter(stored.run.host for stored in history.runs if stored.run.host)
    hit = Counter(stored.run.host for stored in disturbed)
    if len(made) < 2:
        return {}
    return {host: (hit[host], made[host]) for host in sorted(made, key=lambda name: -hit[name] / made[name])}


def _counting(history: History) -> list[StoredRun]:
    """Return the runs of which everything counts."""
    return [stored for stored in history.runs if history.counts(stored) is Counts.ALL]


def _most_frequent(runs: Sequence[StoredRun]) -> str:
    reasons = Counter(stored.reason for stored in runs).most_common(1)
    return reasons[0][0] if reasons else ""


def _pairs(history: History, rules: Rules) -> tuple[int, int]:
    """Count the pairs of fresh runs with a disturbed run in them that counts, and all of them."""
    blocks: dict[tuple[Purpose, Fraction, int | None], dict[str, StoredRun]] = {}
    for stored in _counting(history):
        if stored.run.purpose in _COMPARED:
            blocks.setdefault((stored.run.purpose, stored.run.rung, stored.run.block), {})[stored.run.arm] = stored
    pairs = [
        {stored.status, base.status}
        for block in blocks.values()
        for arm, stored in block.items()
        if (base := block.get(f"{arm}:before") or block.get(rules.reference)) not in (None, stored)
    ]
    return sum(Status.DISTURBED in statuses for statuses in pairs), len(pairs)


def _without_result(history: History, rules: Rules) -> set[tuple[Purpose, str, int | None, Fraction]]:
    """Return the places in verifications that were run and say nothing of the objective, not even by their bound."""
    ended: set[tuple[Purpose, str, int | None, Fraction]] = set()
    tell: set[tuple[Purpose, str, int | None, Fraction]] = set()
    for stored in history.runs:
        run = stored.run
        if run.purpose not in _VERIFYING or stored.status not in _ENDED:
            continue
        place = (run.purpose, run.arm, run.block, run.rung)
        ended.add(place)
        bounded = rules.bounded and stored.status is Status.CENSORED and stored.bound_s is not None
        if bounded or history.counts_in(stored, rules.objective.weights):
            tell.add(place)
    return ended - tell
