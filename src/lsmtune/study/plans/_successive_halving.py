"""Rungs: trials are run with less data first, and the best of them get a whole run.

Promotion goes step by step as in asynchronous successive halving (Li et al., "A System for Massively Parallel
Hyperparameter Tuning", MLSys 2020): of all trials at a rung the best share goes on to the next, where the share is the
ratio of the data, so that all rungs take about the same time. The next run follows from the run_keys that are filled.

The first trials are run on every rung and whole. A rung whose order of them does not agree with that of the whole runs
misleads and is left out from then on.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from lsmtune.model import WHOLE, Purpose
from lsmtune.result import LEAST_CORRELATION, Decisions, Ranked, RungCheck, checkpoints
from lsmtune.samplers import Trial, losses
from lsmtune.stats import rank_correlation
from lsmtune.study._runner import RunKey, Runner
from lsmtune.study.plans._trials import is_spoiled, low_fidelity_gain, rank_rungs, trial_of

CHECKED = 16
"""Trials that are run on every rung and whole, to check the rungs."""

_FIRST_REFERENCES = 3
_CHECK_SHARE = 0.5  # of the search; a check that takes more cannot pay


@dataclass(frozen=True)
class SuccessiveHalving:
    """The rungs of a search.

    Attributes:
        runner: of the study.
        rungs: all that the user asked for, rising; empty for none.
        anchor_every: of so many runs at a rung, one is the reference.
    """

    runner: Runner
    rungs: tuple[Fraction, ...]
    anchor_every: int

    def open(self, room: float) -> None:
        """Leave the rungs out of a search that cannot hold their check; `room` is in whole runs. Decided once."""
        if not self.rungs or self._checks is not None or self._begun:
            return
        check = (CHECKED + _FIRST_REFERENCES) * float(1 + sum(self.rungs))
        if check > _CHECK_SHARE * room:
            self.runner.study.save(checkpoints.RUNGS, ())
            self.runner.listener.note(
                f"the search holds {int(room)} whole runs, too few for rungs, whose check takes {check:.0f}; all "
                "trials are whole runs"
            )

    @property
    def start(self) -> Fraction:
        """The rung at which a new trial begins."""
        return self._in_use[0]

    def waiting(self) -> RunKey | None:
        """Return the next run that asks for no new trial; None where a new trial is next."""
        if not self.rungs:
            return None
        ranked = rank_rungs(self.runner)
        if self._checks is None and len(self._checked(ranked)) >= CHECKED:
            self._check(ranked)
        for rung in self._in_use[:-1]:
            run_key = self._reference_key(ranked, rung)
            if run_key is not None:
                return run_key
        if self._checks is None:
            return self._unchecked(ranked)
        return self._promoted(ranked)

    @property
    def _checks(self) -> tuple[RungCheck, ...] | None:
        return Decisions.read(self.runner.study).rungs

    @property
    def _begun(self) -> bool:
        return any(run_key.purpose is Purpose.RUNG for run_key in self.runner.runs_by_key)

    @property
    def _in_use(self) -> tuple[Fraction, ...]:
        """The rungs that trials go through, rising, the whole run last."""
        checks = self._checks
        used = self.rungs if checks is None else tuple(Fraction(check.rung) for check in checks if check.used)
        return (*used, WHOLE)

    def _reference_key(self, ranked: dict[tuple[str, Fraction], Ranked], rung: Fraction) -> RunKey | None:
        """Return the run key of a run of the reference that is due at a rung."""
        trials = sum(at == rung for _, at in ranked)
        due = _FIRST_REFERENCES + trials // (self.anchor_every - 1)
        run_keys = (RunKey(Purpose.RUNG, self.runner.rules.reference, place, (), rung) for place in range(due))
        return next((run_key for run_key in run_keys if run_key not in self.runner.taken_keys), None)

    def _unchecked(self, ranked: dict[tuple[str, Fraction], Ranked]) -> RunKey | None:
        """Return the next run of the trial that has not been run on all rungs."""
        for arm in dict.fromkeys(arm for arm, _ in ranked):
            for rung in self._in_use:
                run_key = run_key_of(arm, rung)
                if (arm, rung) not in ranked and run_key not in self.runner.taken_keys:
                    return run_key
        return None

    def _checked(self, ranked: dict[tuple[str, Fraction], Ranked]) -> list[str]:
        told = {key for key, each in ranked.items() if not is_spoiled(each)}
        arms = dict.fromkeys(arm for arm, _ in ranked)
        return [arm for arm in arms if all((arm, rung) in told for rung in (*self.rungs, WHOLE))]

    def _check(self, ranked: dict[tuple[str, Fraction], Ranked]) -> None:
        """Decide which rungs are used, once."""
        arms = self._checked(ranked)
        whole = losses([trial_of(self.runner, ranked[arm, WHOLE]) for arm in arms])
        checks = []
        for rung in self.rungs:
            small = losses([self._predicted_trial(ranked[arm, rung]) for arm in arms])
            found = rank_correlation(small, whole)
            used = found.low >= LEAST_CORRELATION
            checks.append(RungCheck(str(rung), found.estimate, found.low, found.n, used))
            self.runner.listener.note(checks[-1].sentence)
        self.runner.study.save(checkpoints.RUNGS, tuple(checks))

    def _predicted_trial(self, small: Ranked) -> Trial:
        trial, gain = trial_of(self.runner, small), low_fidelity_gain(small, self.runner.rules)
        return trial if gain is None else Trial(trial.values, -gain, trial.violation)

    def _promoted(self, ranked: dict[tuple[str, Fraction], Ranked]) -> RunKey | None:
        """Return the next run of the best trial that has earned more data, those nearest to a whole run first."""
        for rung, above in reversed(list(pairwise(self._in_use))):
            there = [(arm, each) for (arm, at), each in ranked.items() if at == rung]
            best = sorted(there, key=lambda pair: self._place(pair[1]))[: int(len(there) * rung / above)]
            for arm, each in best:
                run_key = run_key_of(arm, above)
                if (arm, above) not in ranked and each.log_gain is not None and run_key not in self.runner.taken_keys:
                    return run_key
        return None

    def _place(self, small: Ranked) -> tuple[bool, float, float]:
        gain = low_fidelity_gain(small, self.runner.rules)
        return (gain is None, small.violation, 0.0 if gain is None else -gain)


def run_key_of(arm: str, rung: Fraction) -> RunKey:
    """Return the run key of a trial at a rung."""
    return RunKey(Purpose.TRIAL, arm) if rung == WHOLE else RunKey(Purpose.RUNG, arm, None, (), rung)
