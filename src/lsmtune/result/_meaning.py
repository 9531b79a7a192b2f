"""What a verdict means: findings that qualify an improvement, and what got worse beside a mean that got better."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from lsmtune.indicators import indicator
from lsmtune.lint import (
    LITTLE_COMPACTED,
    RULES,
    SUB_SECOND,
    TOO_SHORT,
    Compacted,
    Finding,
    compacted_slack,
    little_compacted,
    read_finding,
)
from lsmtune.model import WHOLE, Configuration
from lsmtune.result import checkpoints
from lsmtune.result._facts import StudyFacts
from lsmtune.result._history import Counts, History
from lsmtune.result._rules import Rules
from lsmtune.result._verification import Comparison
from lsmtune.stats import PairedComparison
from lsmtune.store import StoredRun, Study

_LOOKED_AT = 6


@dataclass(frozen=True)
class Meaning:
    """What takes the meaning from the results of a study.

    Attributes:
        reference: qualifying findings in the runs of the reference.
        result: those in the runs of the final configuration; empty where that is the reference.
        kept_out: trials that looked better and were no finalists for such a finding, by the code of its rule.
    """

    reference: tuple[Finding, ...] = ()
    result: tuple[Finding, ...] = ()
    kept_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def qualifier(self) -> str:
        """What an improvement holds for, behind "improved": ``"on data that fits the memtables"``; empty for no bounds.

        What is found in the final configuration alone is said to be.
        """
        both = {finding.rule.code: finding.rule.qualifies for finding in self.reference}
        own = {finding.rule.code: finding.rule.qualifies for finding in self.result if finding.rule.code not in both}
        alone = [f"{phrase} (the result's, not the reference's)" for phrase in own.values()]
        return " and ".join([*both.values(), *alone])

    @property
    def kept_out_words(self) -> str:
        """For what the trials that were kept out are better; empty where there were none."""
        return " and ".join(f"{RULES[code].qualifies} ({trials})" for code, trials in self.kept_out.items())


class Yardstick:
    """The reference's runs so far, to hold others against."""

    def __init__(self, study: Study, history: History, rules: Rules) -> None:
        """`history` is that of `study`."""
        self._study = study
        self._columns = {name: study.indicator(name) for name in ("compaction_count", "compaction_written_bytes")}
        self._columns["flush_bytes"] = study.indicator("flush_bytes")
        runs = [stored for stored in _sound(history) if stored.run.arm == rules.reference]
        self._compacted = self._work(runs)
        found = self._found(runs)
        self.findings = _usual(found)
        short = sum(TOO_SHORT.code in each or SUB_SECOND.code in each for each in found)
        self._is_short = 0 < len(found) <= 2 * short

    def findings_of(self, runs: Sequence[StoredRun]) -> tuple[Finding, ...]:
        """Return the qualifying findings of runs of one configuration that is not the reference."""
        little, stored = self.little_compacted(runs), _usual(self._found(runs))
        return stored if little is None else (*stored, little)

    def little_compacted(self, runs: Sequence[StoredRun]) -> Finding | None:
        """Return what the linter says of runs that compact next to nothing where the reference does."""
        return little_compacted(self._work(runs), self._compacted)

    def bars(self, stored: StoredRun) -> tuple[Finding, ...]:
        """Return the qualifying findings of a trial that the reference does not have.

        Beside a reference of 1 to 3 s, which is too short as well, a run of less than a second is not of another kind:
        a trial that is a little faster, or that others disturbed less, ends within it.
        """
        own = {finding.rule for finding in self.findings} | ({SUB_SECOND} if self._is_short else set())
        return tuple(finding for finding in self.findings_of([stored]) if finding.rule not in own)

    def slacks(self, runs: Sequence[StoredRun | None]) -> list[dict[str, float]]:
        """Return for each run how far it is from the findings that bar any of them, by the code of the rule.

        None stands for the reference, which has none of them. Below 0 are those that bar the run itself. Of
        `little-compacted` it is a log ratio; of others, which runs are stored with as words alone, -1 or 1.
        """
        barred = [() if stored is None else self.bars(stored) for stored in runs]
        codes = [{finding.rule.code for finding in findings} for findings in barred]
        seen = sorted(set().union(*codes))
        slacks = [{code: -1.0 if code in own else 1.0 for code in seen} for own in codes]
        if LITTLE_COMPACTED.code in seen:
            for own, stored in zip(slacks, runs, strict=True):
                work = self._compacted if stored is None else self._work([stored])
                slack = compacted_slack(work, self._compacted)
                if slack is not None:
                    own[LITTLE_COMPACTED.code] = slack
        return slacks

    def _found(self, runs: Sequence[StoredRun]) -> list[dict[str, Finding]]:
        """Return what each of the last runs was stored with, by code."""
        measured = (self._study.measurement(stored.run.id) for stored in runs[-_LOOKED_AT:])
        read = (map(read_finding, measurement.warnings if measurement is not None else ()) for measurement in measured)
        return [{finding.rule.code: finding for finding in findings} for findings in read]

    def _work(self, runs: Sequence[StoredRun]) -> Compacted:
        def typical(name: str) -> float | None:
            column = self._columns[name]
            values = [column[stored.run.id] for stored in runs if stored.run.id in column]
            return median(values) if values else None

        return Compacted(typical("compaction_count"), typical("compaction_written_bytes"), typical("flush_bytes"))


def _usual(of_runs: Sequence[Mapping[str, Finding]]) -> tuple[Finding, ...]:
    """Return the qualifying findings that at least half of the runs have."""
    found: dict[str, Finding] = {}
    for of_run in of_runs:
        found |= of_run
    count = Counter(code for of_run in of_runs for code in of_run)
    usual = (finding for code, finding in found.items() if 2 * count[code] >= len(of_runs))
    return tuple(finding for finding in usual if finding.rule.qualifies)


def meaning_of(study: Study, history: History, rules: Rules, final: Configuration, winner: str | None) -> Meaning:
    """Return what takes the meaning from the results of a study.

    Args:
        study: what was measured.
        history: of the study.
        rules: of the study.
        final: the configuration to export.
        winner: its arm in the verification, which tells on which build it ran; None or empty where there is none.
    """
    yardstick, kept = Yardstick(study, history, rules), study.saved(checkpoints.KEPT_OUT)
    others = StudyFacts.of(study.description).builds
    runs: list[StoredRun] = []
    if winner and winner in others:
        runs = [stored for stored in _sound(history) if stored.run.arm == winner]
    elif final != rules.start:
        own = (stored for stored in _sound(history) if stored.run.arm not in others)
        runs = [stored for stored in own if stored.run.configuration == final]
    return Meaning(yardstick.findings, yardstick.findings_of(runs), kept or {})


def worse_parts(rules: Rules, comparison: Comparison) -> dict[str, PairedComparison]:
    """Return the indicators that the objective weighs and in which a candidate is shown to be worse, as value ratios.

    Shown is what the whole interval says; it is not corrected for the number of indicators.
    """
    weighed = {name: comparison.indicators[name] for name in rules.objective.weights if name in comparison.indicators}
    return {name: pairs for name, pairs in weighed.items() if _is_worse(name, pairs)}


def _is_worse(name: str, pairs: PairedComparison) -> bool:
    return pairs.high < 1 if indicator(name).better == "higher" else pairs.low > 1


def _sound(history: History) -> list[StoredRun]:
    """Return the runs of which something counts, with all of the data and the study's own workload."""
    return [
        stored
        for stored in history.runs
        if history.counts(stored) is not Counts.NOTHING and stored.run.rung == WHOLE and not stored.run.scenario
    ]
