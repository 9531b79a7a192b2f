"""What studies in hostile worlds are held against, with the goal of each question."""

from enum import StrEnum


class Kind(StrEnum):
    """How a study goes."""

    TUNE_1 = "tune, 1 finalist"
    TUNE_3 = "tune, 3 finalists"
    COMPARE = "compare"
    STEPS = "steps"
    SWEEP = "sweep"

    @property
    def tunes(self) -> bool:
        """Whether it searches, takes changes back and confirms."""
        return self in (Kind.TUNE_1, Kind.TUNE_3)


class Question(StrEnum):
    """A share of the studies; each study answers it with yes, no or not at all."""

    FALSE = "false improvements"
    """Something is called better that is not: what is handed over, or any other arm; of a sweep, the lead of a cell."""
    STEP = "steps kept that are no better"
    """One step, drawn from the list: each is a claim of its own. Better, and with its guard held."""
    BROKEN = "broken guards accepted"
    """Something is accepted whose guard is truly broken."""
    SHOWN = "true gains shown"
    """Something truly better, with its guard truly held, is called better; the goal is that of one finalist."""
    PASSED = "true gains shown although a guard is worse than before"
    """As above, where a guard is near to its margin. There is no goal: it says what a guard costs."""
    ENDED = "studies with a verdict"
    """The study came to its end, whatever it says."""
    CLAIM = "the interval of a claimed gain holds the truth"
    """Of studies that claim a gain, the interval of the verdict; of a sweep, that of a certain lead. The goal is a
    tuning's, whose interval is from runs that did not claim; elsewhere a claim that needed luck is too large."""
    GAIN = "the interval of a gain holds the truth"
    """Of one candidate, whatever it showed."""
    GUARD = "the interval of a guard holds the truth"
    INDICATOR = "the interval of an indicator holds the truth"
    STAYS = "the interval of the ablation effect of a change that stayed holds the truth"
    TESTED = "the interval of the ablation effect of a tested change holds the truth"
    FLOOR = "the interval of the noise holds the truth"
    KEPT = "backward elimination that lost no more than the margin"
    """Of studies with an improvement: the true log gain lost, against the larger of the minimum effect of interest and
    a quarter of the log gain that the winner showed."""
    LOST = "log gain lost by backward elimination"
    """Sum over the studies with an improvement, over the sum of their winners' true log gains."""

    @property
    def is_loss(self) -> bool:
        """Whether yes is bad, so that the goal is an upper limit."""
        return self in (Question.FALSE, Question.STEP, Question.BROKEN, Question.LOST)

    def asked_of(self, kind: Kind) -> bool:
        """Whether studies of a kind can answer it."""
        if kind is Kind.SWEEP:
            return self in (Question.FALSE, Question.ENDED, Question.CLAIM, Question.GAIN)
        if self is Question.STEP:
            return kind is Kind.STEPS
        if self in (Question.STAYS, Question.TESTED, Question.KEPT, Question.LOST):
            return kind.tunes
        return self is not Question.FLOOR or kind is Kind.TUNE_1

    def goal(self, kind: Kind) -> float | None:
        """Return the limit of the share; None where there is none."""
        limits = {
            Question.FALSE: 0.05,
            Question.STEP: 0.05,
            Question.BROKEN: 0.05,
            Question.LOST: 0.10,
            Question.SHOWN: 0.90 if kind is Kind.TUNE_1 else None,
            Question.PASSED: None,
            Question.CLAIM: 0.94 if kind.tunes else None,
            Question.ENDED: 1.0,
            Question.KEPT: 0.95,
        }
        return limits.get(self, 0.94)
