"""Stages before and after the search: starting points and finalists. Each may be entered again."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lsmtune.errors import RunError
from lsmtune.model import Configuration, Purpose, Status
from lsmtune.result import Decisions, Ranked, Rules, finalist, noise_floors, rank
from lsmtune.stats import LOOKS, first_with_room, representatives
from lsmtune.study._budget import Shares, share_out
from lsmtune.study._conductor import Conductor, Slot

_OTHER_BASELINE_RUNS = 2


def measure_baselines(conductor: Conductor, noise_runs: int) -> None:
    """Measure all starting points in turn: the reference `noise_runs` times, the others twice.

    Raises:
        RunError: the reference cannot be run, or never undisturbed; nothing can be compared with it.
    """
    rules = conductor.rules
    conductor.listener.stage("baseline", "the starting points, and how much this machine varies")
    for block in range(noise_runs):
        for name, start in rules.baselines.items():
            if name == rules.reference or block < _OTHER_BASELINE_RUNS:
                stored = conductor.fill(Slot(Purpose.BASELINE, name, block), start, f"baseline {name}")
                if name == rules.reference and stored.status in (Status.FAILED, Status.CENSORED):
                    raise RunError(f'the reference "{name}" cannot be run: {stored.reason}')
    if not conductor.history.select((Purpose.BASELINE,), rules.reference):
        raise RunError(
            f'no run of the reference "{rules.reference}" was undisturbed, so nothing can be compared with it: '
            f"{stored.reason}; end what else runs on this host and tune in a new study folder"
        )


def count_baselines(rules: Rules, noise_runs: int) -> int:
    """Return the number of runs that `measure_baselines` makes."""
    return noise_runs + min(noise_runs, _OTHER_BASELINE_RUNS) * (len(rules.baselines) - 1)


def shares(conductor: Conductor) -> Shares:
    """Share out the budget after the baseline, once; another budget is shared out anew while the search goes on.

    Raises:
        UsageError: the budget is too small.
    """
    spending = conductor.spending()
    budget = [spending.budget.time_s, spending.budget.runs]
    kept: Any = conductor.study.recall("shares")
    searched = conductor.study.recall("trials") is not None
    if kept is not None and kept["budget"] != budget and searched:
        conductor.listener.note("the search has ended; another budget changes only how long claims are tested")
    if kept is not None and (kept["budget"] == budget or searched):
        return Shares(kept["finalists"], kept["after_search"], kept["after_verification"])
    fresh = share_out(spending, conductor.rules.finalists)
    conductor.study.remember("shares", {"budget": budget, **asdict(fresh)})
    return fresh


def choose_finalists(conductor: Conductor, most: int) -> tuple[str, ...]:
    """Choose the trials that look better than the reference and hold its guards, each effective configuration once.

    Where the best of them hold a guard by less than the noise of one run, so that all may truly break it, the last of
    them makes room for the best that holds all guards by more. There are no more than a first look
    of all of them fits.

    Where the result is a front, better in one indicator is enough, and the trials that stand for the front are chosen.
    """
    kept = Decisions.read(conductor.study).finalists
    if kept is not None:
        return kept
    history, rules = conductor.history, conductor.rules
    most = max(1, min(most, int(conductor.spending().left // LOOKS[0]) - 1))
    found = possible_finalists(conductor)
    if rules.pareto:
        losses = [[-ranked.parts[name] for name in rules.objective.weights] for ranked in found]
        found = [found[place] for place in representatives(losses, most)]
    noise = {name: floor.sd_log for name, floor in noise_floors(history, rules).items()}
    places = first_with_room([ranked.slacks for ranked in found], noise, most)
    arms = tuple(found[place].stored.run.arm for place in places)
    conductor.study.remember("finalists", list(arms))
    return arms


def possible_finalists(conductor: Conductor) -> list[Ranked]:
    """Return the trials that look better than the reference and hold its guards, the best first.

    Of those with one effective configuration the best counts.
    """
    history, rules = conductor.history, conductor.rules
    same = {stored.identity for stored in history.select((Purpose.BASELINE,), rules.reference)}
    chosen: dict[str, Ranked] = {}
    for ranked in rank(history, rules):
        identity = ranked.stored.identity
        if ranked.violation == 0 and identity not in same and _looks_better(ranked, rules):
            chosen.setdefault(identity, ranked)
    return list(chosen.values())


def _looks_better(ranked: Ranked, rules: Rules) -> bool:
    if ranked.log_gain is None:
        return False
    return max(ranked.parts.values()) > 0 if rules.pareto else ranked.log_gain > 0


def finalist_configurations(conductor: Conductor, arms: Sequence[str]) -> dict[str, Configuration]:
    """Return the configurations of the finalists by the name of their arm in verification."""
    runs = {arm: conductor.filled(Slot(Purpose.TRIAL, arm)) for arm in arms}
    return {
        finalist(place): stored.run.configuration
        for place, (_, stored) in enumerate(runs.items(), start=1)
        if stored is not None
    }
