"""Stages before and after the search: starting points and finalists. Each may be entered again."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from lsmtune.backends.registry import backend_of
from lsmtune.errors import RunError
from lsmtune.experiment import recorded_experiment
from lsmtune.indicators import indicator
from lsmtune.lint import RULES
from lsmtune.model import Configuration, Purpose, Status
from lsmtune.result import (
    Counts,
    Decisions,
    Ranked,
    Rules,
    SharedOut,
    StudyFacts,
    Yardstick,
    checkpoints,
    finalist,
    noise_floors,
    rank,
)
from lsmtune.stats import LOOKS, first_with_margin, representatives
from lsmtune.store import StoredRun
from lsmtune.study._budget import OTHER_BASELINE_RUNS, Shares, check_least, share_out
from lsmtune.study._runner import RunKey, Runner
from lsmtune.study._sizes import Size, smaller_size
from lsmtune.study.plans._single_runs import SingleRunHosts
from lsmtune.units import plural

DOUBT_OF_ONE_RUN, _DOUBT_OF_A_DISTURBED_RUN = 0.1, 0.5
"""Share by which the first run may be longer than a typical one; beyond it what does not fit is given up at once."""
_ABOUT_REFERENCE = "baseline of the reference"
_OTHER_BASELINE_SHARE = 0.05  # of the budget that starting points nobody asked for may take


def measure_baselines(
    runner: Runner, noise_runs: int, planned: int | None = None, *, alone: bool = False, everywhere: bool = False
) -> SingleRunHosts:
    """Measure the reference `noise_runs` times, and the starting points that are due beside it; see `other_starts`.

    Args:
        runner: of the study.
        noise_runs: repeats of the reference now.
        planned: repeats of it in all, of a tuning, which has to hold more than them; None for other plans.
        alone: whether the other starting points are left out.
        everywhere: whether single runs are to be made on all hosts, so that the reference is measured on each.

    Returns:
        The hosts that make single runs.

    Raises:
        RunError: the reference cannot be run, or never undisturbed where disturbed runs are refused; nothing can be
            compared with it.
        BudgetError: the first run shows that the budget of a tuning is too small.
    """
    rules = runner.rules
    what = "the reference" if alone else "the starting points"
    runner.listener.stage("baseline", f"{what}, and how much this machine varies")
    hosts, repeats = SingleRunHosts(runner, (runner.home,)), noise_runs
    for block in range(noise_runs):
        if block >= repeats:
            break  # the other hosts tell the rest
        stored = runner.make(RunKey(Purpose.BASELINE, rules.reference, block), rules.start, _ABOUT_REFERENCE)
        _check_runs(runner, stored)
        if planned is not None:
            _check_first_run(runner, stored, planned)
        if block == 0 and everywhere:
            hosts = SingleRunHosts.chosen(runner)
            repeats = hosts.repeats(noise_runs)
            _measure_on_hosts(runner, hosts, repeats)
        due = hosts.repeats(planned or noise_runs)
        for run_key in () if alone else other_starts(runner, range(block, block + 1), due):
            runner.make(run_key, rules.baselines[run_key.arm], f"baseline {run_key.arm}")
    history = runner.history
    counted = [history.counts(run) for run in history.select((Purpose.BASELINE,), rules.reference)]
    steady = all(indicator(name).steady for name in rules.objective.weights)
    if not counted or (Counts.ALL not in counted and not steady):
        raise RunError(
            f'no run of the reference "{rules.reference}" was undisturbed, so nothing can be compared with it: '
            f'{stored.reason}; end what else runs on this host, or write disturbed = "use" under [host], and tune in '
            "a new study folder"
        )
    for finding in Yardstick(runner.study, runner.history, rules).findings:
        runner.listener.note(
            f"{finding} in the reference's own runs, so an improvement will be one {finding.rule.qualifies}; for more: "
            f"{finding.rule.next}"
        )
    return hosts


def _measure_on_hosts(runner: Runner, hosts: SingleRunHosts, noise_runs: int) -> None:
    """Measure the reference `noise_runs` times on each of several hosts, all at once.

    Raises:
        RunError: it cannot be run on one of them.
    """
    if len(hosts.there) < 2:
        return
    rounds = (range(number, number + 1) for number in range(noise_runs))
    missing = [run_key for number in rounds for host in hosts.there for run_key in hosts.missing(host, number)]
    runner.make_all([hosts.request(run_key, _ABOUT_REFERENCE) for run_key in missing])
    for run_key in missing:
        stored = runner.run_of(run_key)
        if stored is not None:
            _check_runs(runner, stored)


def _check_runs(runner: Runner, stored: StoredRun) -> None:
    """Check that a run of the reference came to its end.

    Raises:
        RunError: it did not.
    """
    if stored.status in (Status.FAILED, Status.CENSORED, Status.SPOILED):
        where = f" on {stored.run.host}" if len(runner.hosts) > 1 else ""
        too_long = stored.status is Status.CENSORED
        remedy = f"; {backend_of(runner.study.description.build).shorter_runs}" if too_long else ""
        raise RunError(f'the reference "{runner.rules.reference}" cannot be run{where}: {stored.reason}{remedy}')


def _check_first_run(runner: Runner, first: StoredRun, noise_runs: int) -> None:
    """Refuse a time that holds too few runs as soon as it is known how long one takes.

    Raises:
        BudgetError: it does.
    """
    if runner.study.saved(checkpoints.SHARES) is None and len(runner.runs_by_key) == 1:
        doubt = DOUBT_OF_ONE_RUN if first.status is Status.OK else _DOUBT_OF_A_DISTURBED_RUN
        check_least(runner.spending(), noise_runs - 1, partial(_smaller, runner), doubt)


def _smaller(runner: Runner, wanted_s: float) -> Size:
    """Return the data with which a run takes so long at most; unknown for a command of the user's own."""
    description = runner.study.description
    workload = StudyFacts.of(description).workload
    if workload is None or workload.keys is None:
        return Size()
    run_s = runner.spending().run_s
    return smaller_size(description.experiment, run_s, fixed_s(runner), wanted_s)


def fixed_s(runner: Runner) -> float:
    """Return the part of a run's time in s that no amount of data changes; with a duration that is all but the load."""
    is_timed = recorded_experiment(runner.study.description.experiment).workload_table.duration_s is not None
    return runner.spending().run_s - runner.loading_s if is_timed else runner.beside_s()


def other_starts(runner: Runner, blocks: range, noise_runs: int) -> list[RunKey]:
    """Return the runs of the starting points that are not the reference which stand beside some of its repeats.

    Nothing is decided by them: they say what the reference is worth. So they stand beside its last two repeats, and
    where the budget holds them. A study that was begun with them beside the first two goes on with these.

    Args:
        runner: of the study.
        blocks: repeats of the reference.
        noise_runs: how many of these there are in all.
    """
    others = [name for name in runner.rules.baselines if name != runner.rules.reference]
    began_first = any(RunKey(Purpose.BASELINE, name, 0) in runner.taken_keys for name in others)
    last = range(max(0, noise_runs - OTHER_BASELINE_RUNS), noise_runs)
    due = [block for block in blocks if block in (range(OTHER_BASELINE_RUNS) if began_first else last)]
    if not others or not due or not _affords_others(runner, others):
        return []
    return [RunKey(Purpose.BASELINE, name, block) for block in due for name in others]


def _affords_others(runner: Runner, others: list[str]) -> bool:
    """Whether the starting points that are not the reference take little of the budget; decided once, before them."""
    kept = runner.study.saved(checkpoints.OTHER_BASELINES)
    if kept is None:
        kept = runner.spending().left * _OTHER_BASELINE_SHARE >= OTHER_BASELINE_RUNS * len(others)
        runner.study.save(checkpoints.OTHER_BASELINES, kept)
        if not kept:
            runner.listener.note(f"the budget is short, so {', '.join(others)} is not measured beside the reference")
    return kept


def shares(runner: Runner, spread: int) -> Shares:
    """Share out the budget after the baseline, once; another budget is shared out anew while the search goes on.

    Args:
        runner: has measured the first baselines.
        spread: further ones, which the search will spread over its first trials; they are no part of the shares.

    Raises:
        UsageError: the budget is too small.
    """
    spending = runner.spending()
    budget = (spending.budget.time_s, spending.budget.runs)
    kept = runner.study.saved(checkpoints.SHARES)
    searched = runner.study.saved(checkpoints.TRIALS) is not None
    if kept is not None and kept.budget != budget and searched:
        runner.listener.note("the search has ended; another budget changes only how long claims are tested")
    if kept is not None and (kept.budget == budget or searched):
        return Shares(kept.finalists, kept.after_search, kept.after_verification)
    trials = whole_trials(runner)
    check_least(spending, spread, None if trials else partial(_smaller, runner), trials=trials)
    fresh = share_out(spending, runner.rules.finalists, spread, trials)
    runner.study.save(checkpoints.SHARES, SharedOut(budget, **asdict(fresh)))
    return fresh


def whole_trials(runner: Runner) -> int:
    """Return how many whole trials have begun."""
    return sum(run_key.purpose is Purpose.TRIAL for run_key in runner.taken_keys)


def choose_finalists(runner: Runner, most: int) -> tuple[str, ...]:
    """Choose the trials that look better than the reference and hold its guards, each effective configuration once.

    A trial with a finding that takes the meaning from its result is left out, unless the reference has it too.

    Where the best of them hold a guard by less than the noise of one run, so that all may truly break it, the last of
    them makes room for the best that holds all guards by more. There are no more than a first look
    of all of them fits.

    Where the result is a front, better in one indicator is enough, and the trials that stand for the front are chosen.
    """
    kept = Decisions.read(runner.study).finalists
    if kept is not None:
        return kept
    history, rules = runner.history, runner.rules
    most = max(1, min(most, int(runner.spending().left // LOOKS[0]) - 1))
    found = _meant(runner, _better_trials(runner))
    if rules.pareto:
        losses = [[-ranked.parts[name] for name in rules.objective.weights] for ranked in found]
        found = [found[place] for place in representatives(losses, most)]
    floors = {name: floor.sd_log for name, floor in noise_floors(history, rules).items()}
    held = rules.full_size
    noise = floors if held is None else {name: held.noise(name, sd, rules.start) for name, sd in floors.items()}
    places = first_with_margin([ranked.slacks for ranked in found], noise, most)
    arms = tuple(found[place].stored.run.arm for place in places)
    runner.study.save(checkpoints.FINALISTS, arms)
    return arms


def possible_finalists(runner: Runner) -> list[Ranked]:
    """Return the trials that look better than the reference, hold its guards and have a meaning, the best first.

    Of those with one effective configuration the best counts.
    """
    yardstick = Yardstick(runner.study, runner.history, runner.rules)
    return [ranked for ranked in _better_trials(runner) if not yardstick.bars(ranked.stored)]


def _better_trials(runner: Runner) -> list[Ranked]:
    history, rules = runner.history, runner.rules
    same = {stored.identity for stored in history.select((Purpose.BASELINE,), rules.reference)}
    chosen: dict[str, Ranked] = {}
    for ranked in rank(history, rules):
        identity = ranked.stored.identity
        if ranked.violation == 0 and identity not in same and _looks_better(ranked, rules):
            chosen.setdefault(identity, ranked)
    return list(chosen.values())


def _meant(runner: Runner, found: list[Ranked]) -> list[Ranked]:
    """Return the trials whose findings leave them their meaning; say how many others there are, and why."""
    yardstick = Yardstick(runner.study, runner.history, runner.rules)
    barred = {ranked.stored.run.id: findings for ranked in found if (findings := yardstick.bars(ranked.stored))}
    best = {findings[0].rule.code: findings[0] for findings in reversed(barred.values())}
    counted = Counter(findings[0].rule.code for findings in barred.values())
    for code, trials in counted.items():
        runner.listener.note(
            f"{plural(trials, 'better trial')} kept out of the finalists: better {RULES[code].qualifies}, as "
            f"the reference's runs are not ({best[code]})"
        )
    if counted:
        runner.study.save(checkpoints.KEPT_OUT, counted)
    return [ranked for ranked in found if ranked.stored.run.id not in barred]


def _looks_better(ranked: Ranked, rules: Rules) -> bool:
    if ranked.log_gain is None:
        return False
    return max(ranked.parts.values()) > 0 if rules.pareto else ranked.log_gain > 0


def finalist_configurations(runner: Runner, arms: Sequence[str]) -> dict[str, Configuration]:
    """Return the configurations of the finalists by the name of their arm in verification."""
    runs = {arm: runner.run_of(RunKey(Purpose.TRIAL, arm)) for arm in arms}
    return {
        finalist(place): stored.run.configuration
        for place, (_, stored) in enumerate(runs.items(), start=1)
        if stored is not None
    }
