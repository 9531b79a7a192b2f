"""Who wins in each phase of a workload, and over all of them: the rows of a table, phase by arm."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lsmtune.experiment import recorded_experiment
from lsmtune.indicators import INDICATORS, indicator
from lsmtune.model import Purpose, StudyKind, Value
from lsmtune.result._decisions import Decisions, finalist
from lsmtune.result._history import History
from lsmtune.result._rules import Rules
from lsmtune.result._verification import Comparison, until
from lsmtune.stats import LOOKS, POCOCK_ALPHA, ArmRatio, compare_row, mean_row, without_trouble
from lsmtune.store import Study

BY_PHASE = ("throughput_ops_s", "latency_p99_s")
"""Indicators that are compared phase by phase, besides those that are asked for."""


@dataclass(frozen=True)
class PhaseRow:
    """What one phase says of all arms.

    Attributes:
        phase: its name; None: the geometric mean over all phases.
        where: of a sweep, the values of the other factors; else empty.
        levels: geometric mean of the indicator by arm, over all blocks that count; without arms that gave none.
        ratios: by arm but the first, its level over the first one's; without arms of which too few blocks are known.
        leader: the arm with the best level; None where no two arms can be compared.
        second: the one that comes closest to it.
        lead: gain of the leader over the second, above 1 is better.
        shown: the leader is shown to be better than every other arm.
        troubled: runs of the leader that failed or were stopped: nothing is shown of it then.
    """

    phase: str | None
    where: Mapping[str, Value]
    levels: Mapping[Value, float]
    ratios: Mapping[Value, ArmRatio]
    leader: Value | None
    second: Value | None
    lead: ArmRatio | None
    shown: bool
    troubled: int = 0


@dataclass(frozen=True)
class PhaseTable:
    """Arms in each phase of a workload.

    Attributes:
        indicator: that is compared, without a phase.
        arms: what is compared, the one that all others are compared with first.
        phases: in the order in which they run.
        rows: of each place (a sweep has several, see `PhaseRow.where`) its phases, and the mean over them last.
        level: confidence that all intervals of the table hold.
    """

    indicator: str
    arms: tuple[Value, ...]
    phases: tuple[str, ...]
    rows: tuple[PhaseRow, ...]
    level: float


@dataclass(frozen=True)
class PhaseLevels:
    """What the arms gave in one place.

    Attributes:
        where: of a sweep, the values of the other factors.
        levels: of each phase, by arm and block, the level; positive where a ratio is to be known.
        troubled: runs that failed or were stopped, by arm.
    """

    where: Mapping[str, Value]
    levels: Sequence[Mapping[Value, Mapping[int, float]]]
    troubled: Mapping[Value, int] = field(default_factory=dict)


def phase_names(indicators: Iterable[str], base: str, benchmarks: Iterable[str], measured: str) -> dict[str, str]:
    """Return by phase the name under which it has an indicator, in the order of the workload; empty below 2 phases."""
    known = set(indicators)
    named = {phase: base if phase == measured else f"{base}@{phase}" for phase in benchmarks}
    found = {phase: name for phase, name in named.items() if name in known}
    return found if len(found) > 1 else {}


def phase_bases(names: Iterable[str]) -> list[str]:
    """Return the indicators that are compared phase by phase: the usual ones and those of `names`, without phase."""
    bases = dict.fromkeys((*(name.partition("@")[0] for name in names), *BY_PHASE))
    return [base for base in bases if base in INDICATORS and indicator(base).better is not None]


def phase_table(
    name: str,
    arms: Sequence[Value],
    phases: Sequence[str],
    places: Sequence[PhaseLevels],
    *,
    alpha: float,
    one_spread: bool,
) -> PhaseTable:
    """Compare arms in each phase and in the geometric mean over the phases.

    All intervals of the table hold together: each row has the same share of `alpha`, and within a row those of all
    arms hold together, see `compare_row`.

    Args:
        name: of the indicator, without phase.
        arms: the one that all others are compared with first.
        phases: names in the order of `PhaseLevels.levels`.
        places: what was measured, see there.
        alpha: 1 - confidence that all intervals hold.
        one_spread: see `compare_row`.
    """
    share = alpha / (len(places) * (len(phases) + 1))
    rows: list[PhaseRow] = []
    for place in places:
        sign = 1 if indicator(name).better == "higher" else -1
        logs = [tuple(_logs(levels.get(arm, {}), sign) for arm in arms) for levels in place.levels]
        for phase, arm_logs in zip((*phases, None), (*logs, mean_row(logs)), strict=True):
            rows.append(_row(phase, arms, place, arm_logs, (sign, share, one_spread)))
    return PhaseTable(name, tuple(arms), tuple(phases), tuple(rows), 1 - alpha)


def compared_phases(
    study: Study, rules: Rules, decisions: Decisions, verified: Sequence[Comparison], looks: int
) -> tuple[PhaseTable, ...]:
    """Return the named configurations or builds of a comparison in each phase; empty where there is one phase only.

    The level is that of a look, as of all intervals of a comparison, and so are the runs: those of blocks after the
    last of `looks` do not count yet. Arms are judged pair by pair, as those that are decided take no further runs.
    """
    indicators = study.indicators()
    if decisions.plan is not StudyKind.COMPARE or not verified or not any("@" in name for name in indicators):
        return ()
    workload = recorded_experiment(study.description.experiment).workload()
    names = decisions.finalists or ()
    arms = {finalist(place): name for place, name in enumerate(names, 1)}
    arms = {rules.reference: rules.reference, **{each.arm: arms[each.arm] for each in verified}}
    troubled: dict[Value, int] = {
        arms[each.arm]: len(each.troubles.failures) + each.troubles.stopped for each in verified
    }
    failed = max((each.troubles.reference_failures + each.troubles.reference_stopped for each in verified), default=0)
    found = []
    for base in phase_bases(rules.objective.weights):
        by_phase = phase_names(indicators, base, workload.benchmarks, workload.measure)
        if not by_phase:
            continue
        columns = until(History.read(study, rules, by_phase.values()), Purpose.VERIFY, LOOKS[looks - 1])
        levels = [_of_blocks(columns, name, arms) for name in by_phase.values()]
        place = PhaseLevels({}, levels, {**troubled, rules.reference: failed})
        found.append(
            phase_table(base, tuple(arms.values()), tuple(by_phase), [place], alpha=POCOCK_ALPHA, one_spread=False)
        )
    return tuple(found)


def _row(
    phase: str | None,
    arms: Sequence[Value],
    place: PhaseLevels,
    logs: Sequence[Mapping[int, float]],
    judged: tuple[int, float, bool],
) -> PhaseRow:
    sign, alpha, one_spread = judged
    troubled = {at: place.troubled.get(arm, 0) for at, arm in enumerate(arms)}
    row = without_trouble(compare_row(logs, alpha, one_spread=one_spread), troubled)
    ratios = {
        arm: ratio if sign > 0 else ratio.inverse
        for arm, ratio in zip(arms[1:], row.ratios, strict=True)
        if ratio is not None
    }
    return PhaseRow(
        phase=phase,
        where=place.where,
        levels={arm: _level(own, sign) for arm, own in zip(arms, logs, strict=True) if own},
        ratios=ratios,
        leader=None if row.leader is None else arms[row.leader],
        second=None if row.second is None else arms[row.second],
        lead=row.lead,
        shown=row.shown,
        troubled=0 if row.leader is None else troubled[row.leader],
    )


def _logs(levels: Mapping[int, float], sign: int) -> dict[int, float]:
    """Return oriented logarithms by block; none where a level has no logarithm, as its block would be left out."""
    if any(not level > 0 for level in levels.values()):
        return {}
    return {block: sign * math.log(level) for block, level in levels.items()}


def _level(logs: Mapping[int, float], sign: int) -> float:
    return math.exp(sign * sum(logs.values()) / len(logs))


def _of_blocks(history: History, name: str, arms: Mapping[str, Value]) -> dict[Value, dict[int, float]]:
    column = history.columns[name]
    found: dict[Value, dict[int, float]] = {named: {} for named in arms.values()}
    for block, ran in history.blocks(Purpose.VERIFY).items():
        for arm, stored in ran.items():
            level = column.get(stored.run.id)
            if arm in arms and level is not None:
                found[arms[arm]][block] = level
    return found
