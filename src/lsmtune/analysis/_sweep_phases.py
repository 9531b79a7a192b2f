"""Who wins in each phase of a swept workload, and over all phases."""

from collections.abc import Mapping, Sequence

from lsmtune.analysis._runs import Runs
from lsmtune.analysis._sweep import ALPHA, block_levels, combinations, rows_with
from lsmtune.model import Purpose, Status, Value
from lsmtune.result import PhaseLevels, PhaseTable, phase_bases, phase_names, phase_table


def sweep_phases(runs: Runs, competing: str, names: Sequence[str] = ()) -> tuple[PhaseTable, ...]:
    """Return the competing values in each phase and cell of the other factors; empty where there is one phase only.

    Each is compared with the reference's value, or where that is not among them with the first one that was listed.
    Runs of one block stand side by side in time; all values are judged by one spread, as there are few blocks.

    Args:
        runs: of a sweep.
        competing: the factor whose values compete.
        names: indicators that are asked for, beside the usual ones; phases in them are not looked at.

    Raises:
        UsageError: the runs are of a study without a workload.
    """
    cells = runs.of(Purpose.SAMPLE)
    if not any("@" in name for name in cells.indicators):
        return ()
    workload = runs.facts.asked.workload()
    factor = runs.by_name[competing]
    ran = set(cells.values(competing).tolist())
    listed = [value for value in (factor.choices or sorted(ran)) if value in ran]
    arms = sorted(listed, key=lambda value: value != factor.reference)
    others = [each for each in cells.factors if each.name != competing]
    found = []
    for base in phase_bases(names):
        by_phase = phase_names(cells.indicators, base, workload.benchmarks, workload.measure)
        if not by_phase or len(arms) < 2:
            continue
        places = [
            PhaseLevels(
                where,
                [
                    {arm: block_levels(cells, name, {**where, competing: arm}) for arm in arms}
                    for name in by_phase.values()
                ],
                {arm: _troubled(cells, {**where, competing: arm}) for arm in arms},
            )
            for where in combinations(cells, others)
            if rows_with(cells, where).any()
        ]
        found.append(phase_table(base, arms, tuple(by_phase), places, alpha=ALPHA, one_spread=True))
    return tuple(found)


def _troubled(cells: Runs, values: Mapping[str, Value]) -> int:
    return int((cells.ended(Status.FAILED, Status.CENSORED) & rows_with(cells, values)).sum())
