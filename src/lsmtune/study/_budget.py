"""How much a study may spend, and how it is shared out among the stages."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from lsmtune.errors import BudgetError, QuantityError, UsageError
from lsmtune.stats import LOOKS
from lsmtune.study._sizes import Size
from lsmtune.units import format_percent, format_seconds, parse_seconds, plural

_RUNS = re.compile(r"^\s*(\d+)\s*runs?\s*$")
_VERIFY_SHARE = 0.25
_ELIMINATION_SHARE = 0.35
_MOST_ELIMINATION_SHARE = 0.4
_LEAST_SEARCH_SHARE = 1 - _VERIFY_SHARE - _MOST_ELIMINATION_SHARE
_TWO_LOOKS = 2 * LOOKS[1]
"""Runs of two looks at one finalist, or of one and of its confirmation."""
FIRST_LOOK_RUNS = 2 * LOOKS[0]
"""Runs that the first look at one candidate takes."""
CONFIRM_RUNS = 3 * LOOKS[0]
"""Runs that the first look at a winner and at what is left of it takes."""
_LEAST_ELIMINATION = CONFIRM_RUNS + 15
"""Those, 3 blocks with all changes and without each of two, and a test of both together."""
_LEAST_TRIALS = 5
OTHER_BASELINE_RUNS = 2
"""Runs of each starting point that is not the reference."""
REPEAT_SHARE = 0.15
"""Share of a budget that runs may take that were disturbed and are made again."""
_LEAST_RUNS = _LEAST_TRIALS + FIRST_LOOK_RUNS
_IN_HAND = 0.2
"""Share of a budget that a smaller size is to leave, as its runs are not known yet."""


def baseline_runs(noise_runs: int, starting_points: int) -> int:
    """Return how many runs of starting points a study makes: all repeats of the reference, few of each other one."""
    return noise_runs + OTHER_BASELINE_RUNS * (starting_points - 1)


@dataclass(frozen=True)
class Budget:
    """What a study may spend; at least one of the two is set.

    Attributes:
        time_s: wall time of all runs together in s, infinity where the runs are counted otherwise; time between
            sessions does not count.
        runs: number of runs.
        kept: share of what the user gave that is kept for a later stage, and that these limits leave out.
        trials: whole trials that the search makes at most; None where only the other limits end it.

    Raises:
        UsageError: neither is set, or one is not above 0.
    """

    time_s: float | None
    runs: int | None
    kept: float = 0.0
    trials: int | None = None

    def __post_init__(self) -> None:
        given = [limit for limit in (self.time_s, self.runs) if limit is not None]
        if not given or min(given) <= 0:
            raise UsageError(
                f"a budget of {self.time_s} s and {self.runs} runs is none; give a time, a number of runs or both"
            )

    def keeping(self, share: float) -> "Budget":
        """Return what is left where a share of it is kept for a later stage."""
        time_s = None if self.time_s is None else (1 - share) * self.time_s
        runs = None if self.runs is None else max(1, round((1 - share) * self.runs))
        return replace(self, time_s=time_s, runs=runs, kept=share)

    @property
    def kept_words(self) -> str:
        """What is kept of the whole, to end a sentence on what these limits do not hold; empty where nothing is."""
        if not self.kept:
            return ""
        return f"; {format_percent(self.kept)} of what was given is kept for larger scales ([verify] share)"

    @classmethod
    def of_trials(
        cls, trials: int, time_s: float | None, baseline_runs: int, anchor_every: int, kept: float = 0.0
    ) -> "Budget":
        """Return a budget whose search holds so many trials, with the runs that come on top of them.

        Args:
            trials: whole trials of the search.
            time_s: wall time of all runs together in s; None for no limit.
            baseline_runs: of the reference and of the other starting points.
            anchor_every: of so many runs of the search, one repeats the reference.
            kept: share of all runs that larger scales get; see `keeping`.
        """
        searching = trials + trials // (anchor_every - 1)
        beside = max(_LEAST_RUNS, math.ceil(searching / _LEAST_SEARCH_SHARE))
        return cls(time_s, math.ceil((baseline_runs + beside) / (1 - kept)), trials=trials)

    @property
    def trial_words(self) -> str:
        """How many trials there are to be, and what comes on top of them; empty where trials are not limited."""
        if self.trials is None or self.runs is None:
            return ""
        return (
            f"{self.trials} trials of the search at most; runs of the baseline, of the reference among the trials and "
            f"of the verification come on top, {self.runs} runs in all at most"
        )

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Read ``"20m"``, ``"100 runs"`` or both, ``"20m, 100 runs"``.

        Raises:
            QuantityError: a part is neither a time nor a number of runs, or one is given twice.
        """
        time_s: float | None = None
        runs: int | None = None
        for part in text.split(","):
            count = _RUNS.match(part)
            if count is not None and runs is None:
                runs = int(count[1])
            elif count is None and time_s is None:
                time_s = _time_in(text, part)
            else:
                raise QuantityError(f'the budget "{text}" gives one limit twice; write it like "20m, 100 runs"')
        if time_s == 0 or runs == 0:
            raise QuantityError(
                f'the budget "{text}" gives no limit; write it like "20m", "100 runs" or "20m, 100 runs"'
            )
        return cls(time_s, runs)


def _time_in(text: str, part: str) -> float:
    """Return the time in s that a part of a budget's text gives, which gives no number of runs."""
    try:
        return parse_seconds(part)
    except QuantityError:
        how = 'it like "1h 30m", "100 runs" or "20m, 100 runs"'
        if "trial" in part:
            how = "trials under [budget] in the experiment file"
        raise QuantityError(f'the budget "{text}" is neither a time nor a number of runs; write {how}') from None


@dataclass(frozen=True)
class Spending:
    """What a study has spent of its budget, in runs of typical length.

    Attributes:
        budget: the limits.
        run_s: typical time of one run in s.
        spent_s: wall time of all ended runs in s.
        spent_runs: number of ended runs, those apart that were disturbed and made again.
        repeated_s: wall time of the latter in s, which is part of `spent_s`.
        repeated_runs: their number.
    """

    budget: Budget
    run_s: float
    spent_s: float
    spent_runs: int
    repeated_s: float = 0.0
    repeated_runs: int = 0

    @property
    def may_repeat(self) -> bool:
        """Whether what was disturbed and made again is within its share of each limit; of what is spent without one."""
        runs, time_s = self.budget.runs, self.budget.time_s
        if runs is not None and self.repeated_runs > REPEAT_SHARE * runs:
            return False
        if time_s is None or math.isinf(time_s):
            time_s = self.spent_s if runs is None else math.inf
        return self.repeated_s <= REPEAT_SHARE * time_s

    @property
    def left(self) -> float:
        """Runs of typical length that are left; negative where the budget is overdrawn."""
        left = []
        if self.budget.time_s is not None:
            left.append((self.budget.time_s - self.spent_s) / self.run_s)
        if self.budget.runs is not None:
            left.append(float(self.budget.runs - self.spent_runs))
        return min(left)

    def room(self, run_s: float, reserve: int) -> int:
        """Return how many runs of `run_s` seconds fit what is left less `reserve` runs of typical length."""
        room = []
        if self.budget.time_s is not None:
            room.append((self.budget.time_s - self.spent_s - reserve * self.run_s) / run_s)
        if self.budget.runs is not None:
            room.append(float(self.budget.runs - self.spent_runs - reserve))
        return max(0, int(min(room)))

    @property
    def left_s(self) -> float | None:
        """The longest time that is left in s; None where only runs are limited, or nothing is."""
        if self.budget.time_s is None or math.isinf(self.budget.time_s):
            return None
        return max(0.0, self.budget.time_s - self.spent_s)

    @property
    def mean_run_s(self) -> float:
        """Mean time of the ended runs in s; the typical time while there are none."""
        ended = self.spent_runs + self.repeated_runs
        return self.spent_s / ended if ended else self.run_s


@dataclass(frozen=True)
class Shares:
    """How the runs that are left after the baseline are shared out, each as runs left when a stage has to end.

    Attributes:
        finalists: configurations that can be verified, at least one.
        after_search: runs that have to be left for verification and backward elimination when the search ends.
        after_verification: runs that have to be left for backward elimination when verification ends.
    """

    finalists: int
    after_search: float
    after_verification: float


def check_room(budget: Budget, baseline_runs: int) -> None:
    """Refuse a number of runs that can never be enough, before the first of them.

    Raises:
        BudgetError: it does not hold the runs of the starting points, the least number of trials and one first look.
    """
    needed, kept = baseline_runs + _LEAST_RUNS, budget.kept_words
    if budget.runs is not None and budget.runs < needed:
        raise BudgetError(
            f"the budget of {budget.runs} runs is too small: {baseline_runs} of the starting points, {_LEAST_TRIALS} "
            f"trials and {FIRST_LOOK_RUNS} of a first verification are {needed}; raise it with --budget{kept}"
        )


def check_least(
    spending: Spending,
    to_come: int,
    smaller: Callable[[float], Size] | None = None,
    doubt: float = 0.0,
    trials: int = 0,
) -> None:
    """Refuse a budget that does not hold the least of what is left to do.

    Args:
        spending: what has been spent, with the time of a run as it is known.
        to_come: runs of the reference that are due beside the least number of trials and one first look.
        smaller: returns the data with which a run takes so many seconds at most.
        doubt: share by which the time of a run may be less than it is known.
        trials: whole trials that were made, which count towards the least number.

    Raises:
        BudgetError: they do not fit.
    """
    missing = max(0, _LEAST_TRIALS - trials)
    least = to_come + missing + FIRST_LOOK_RUNS
    needed = spending.spent_runs + least
    budget = spending.budget
    short_of_runs = budget.runs is not None and budget.runs < needed
    short_of_time = budget.time_s is not None and spending.left / (1 - doubt) < least
    if not short_of_runs and not short_of_time:
        return
    size = Size()
    if smaller is not None and budget.time_s is not None and not short_of_runs:
        size = smaller((1 - _IN_HAND) * budget.time_s / needed)
    short_of = f"{plural(missing, 'trial')} with " if missing else ""
    made = f", with the {spending.spent_runs} that were made" if trials else ""
    raise BudgetError(
        f"the budget is too small: one run takes about {format_seconds(spending.run_s)}, and "
        f"{short_of}the {FIRST_LOOK_RUNS} runs of a first verification need {needed} runs or "
        f"{format_seconds(needed * spending.run_s)} in all{made}; "
        f"raise it with --budget{size.words}{budget.kept_words}",
        scale=size.scale,
        num=size.num,
    )


def share_out(spending: Spending, finalists: int, reserved: int = 0, trials: int = 0) -> Shares:
    """Share out what is left: 40 % for the search, 25 % for verification, 35 % for elimination and confirmation.

    The last share is at least what a test that decides anything takes. Where that is more than 40 % of what is left,
    there is no such share: verification of one finalist gets half of what is left, a first look up to two looks;
    where the first is enough, the other confirms the winner. `reserved` runs are taken off what is left before. So many
    whole `trials` were made before.

    Raises:
        BudgetError: not even the least number of trials and one first look fit.
    """
    check_least(spending, reserved, trials=trials)
    left = spending.left - reserved
    verify, elimination = _VERIFY_SHARE * left, max(_ELIMINATION_SHARE * left, _LEAST_ELIMINATION)
    if elimination > _MOST_ELIMINATION_SHARE * left:
        return Shares(1, max(float(FIRST_LOOK_RUNS), min(_TWO_LOOKS, left / 2)), 0.0)
    return Shares(max(1, min(finalists, int(verify // LOOKS[0]) - 1)), verify + elimination, elimination)
