"""All that a tuning study says, put together from its runs and decisions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lsmtune.errors import StatisticsError, UsageError
from lsmtune.lint import Finding
from lsmtune.model import FRESH, Configuration, EngineBuild, Purpose, Tool, Value
from lsmtune.result._builds import ArmBuild, read_builds
from lsmtune.result._confirmation import Repetition, repeat
from lsmtune.result._decisions import Decisions, finalist
from lsmtune.result._front import Front, find_front
from lsmtune.result._history import History
from lsmtune.result._meaning import Meaning, meaning_of
from lsmtune.result._pairs import Contest, pair_gains
from lsmtune.result._pruning import Evidence, evidence, evidence_by_option, noise_of_gain
from lsmtune.result._ranking import Ranked, noise_floors, rank
from lsmtune.result._rules import Rules
from lsmtune.result._steps import StepResult, step_results
from lsmtune.result._verification import Comparison, Standing, compare
from lsmtune.result._warnings import study_warnings
from lsmtune.stats import (
    LOOKS,
    POCOCK_ALPHA,
    GuardVerdict,
    NoiseFloor,
    PairedComparison,
    compare_log_ratios,
    smallest_detectable_gain,
)
from lsmtune.store import Study, StudyDescription, StudySummary

_BASELINE_ALPHA = 0.05


@dataclass(frozen=True)
class Change:
    """An option of the final configuration that differs from the reference.

    Attributes:
        option: its name.
        before, after: its value in the reference and in the final configuration, at full size.
        evidence: the test that took back this change alone; None where there was none.
    """

    option: str
    before: Value | None
    after: Value
    evidence: Evidence | None


@dataclass(frozen=True)
class TuneResult:
    """What a tuning study says so far.

    Attributes:
        description: what the study is about.
        summary: its runs at a glance.
        rules: by what it is judged.
        decisions: what its stages decided.
        noise: spread of each indicator over the reference's first runs.
        detectable: smallest gain in the objective that could be shown, by number of pairs; empty while unknown.
        baselines: the other starting points against the reference, by name, at 95 %; no claim.
        leaders: the best trials so far, the best first; no claim.
        steps: what each step of a step-by-step tuning has shown, in order; empty where there are none.
        verified: finalists against the reference.
        candidates: their configurations by arm, of those that were run.
        repetition: the winner, and what is left of it, in runs that did not choose it; None where there were none.
        final: the configuration to take home; the reference where nothing better was shown.
        changes: how it differs from the reference.
        tests: every test of taking changes back.
        warnings: what makes the results doubtful, as the linter found it.
        front: the verified finalists among each other; None where the result is no front, or nothing was verified.
        on_one_load: all runs of the verification read data of one load, or the tool makes the same data in each run;
            what they show holds for this data.
        meaning: what takes the meaning from the results.
    """

    description: StudyDescription
    summary: StudySummary
    rules: Rules
    decisions: Decisions
    noise: Mapping[str, NoiseFloor]
    detectable: Mapping[int, float]
    baselines: Mapping[str, PairedComparison | None]
    leaders: tuple[Ranked, ...]
    steps: tuple[StepResult, ...]
    verified: tuple[Comparison, ...]
    candidates: Mapping[str, Configuration]
    repetition: Repetition | None
    final: Configuration
    changes: tuple[Change, ...]
    tests: tuple[Evidence, ...]
    warnings: tuple[Finding, ...]
    front: Front | None = None
    on_one_load: bool = False
    meaning: Meaning = field(default_factory=Meaning)

    @property
    def verdict(self) -> Comparison | None:
        """The comparison that speaks for the final configuration; the best finalist's where none was accepted.

        It is that in runs that did not choose the configuration, where there were such.
        """
        if self.confirmed is not None and self.is_smaller:
            return self.confirmed
        if self.repetition is not None and self.repetition.speaks and self.front is None:
            return self.repetition.winner
        return self.chosen or max(self.verified, key=lambda each: each.claim.gain or 0.0, default=None)

    @property
    def chosen(self) -> Comparison | None:
        """The winner in the runs that chose it; None where there is none."""
        return next((each for each in self.verified if each.arm == self.decisions.winner), None)

    @property
    def confirmed(self) -> Comparison | None:
        """The smaller configuration against the reference; None where no change was taken back."""
        return None if self.repetition is None else self.repetition.pruned

    @property
    def is_smaller(self) -> bool:
        """Whether the final configuration is what was left of the winner when changes were taken back."""
        return self.repetition is not None and self.repetition.takes_smaller

    @property
    def standing(self) -> Standing:
        """Whether the final configuration is taken home, and what is open; refused where there is none."""
        return standing_of(self.decisions, self.chosen, self.repetition)

    @property
    def improved(self) -> bool:
        """Whether something better than the reference was shown; of its guards and limits see `standing`."""
        return self.standing is not Standing.REFUSED

    @cached_property
    def builds(self) -> Mapping[str, ArmBuild]:
        """The builds that are compared with the study's own, by arm; empty where all runs use that one."""
        return read_builds(self.description)

    @property
    def build(self) -> EngineBuild:
        """The build that the final configuration was measured with; the study's own, but for a winner on another."""
        other = self.builds.get(self.decisions.winner or "")
        return self.description.build if other is None else other.build

    @property
    def reference_values(self) -> Mapping[str, Value]:
        """Value of every option of the reference under `build`; empty where the study did not keep them."""
        other = self.builds.get(self.decisions.winner or "")
        known: Any = self.description.facts.get("reference_values") if other is None else other.reference_values
        return known if isinstance(known, Mapping) else {}


def read_rules(description: StudyDescription) -> Rules:
    """Return the rules that a study keeps about itself."""
    facts: Any = description.facts
    return Rules.from_json(facts["rules"])


def summarise(study: Study, leaders: int = 10, more: Iterable[str] = (), take: int | None = None) -> TuneResult:
    """Put together what a study says so far.

    Args:
        study: what was measured.
        leaders: number of the best trials to name.
        more: further indicators to compare in.
        take: place from 1 of an accepted finalist that is taken home as it was verified, instead of what was chosen.

    Raises:
        UsageError: the finalist to take is none, or was not accepted.
    """
    rules = read_rules(study.description)
    history, decisions = History.read(study, rules, more), Decisions.read(study)
    verified, front = _verified(history, rules, decisions)
    if take is not None:
        decisions = _taking(decisions, verified, take)
    repetition = repeat(history, rules, decisions, decisions.confirm_looks or 0)
    candidates = {stored.run.arm: stored.run.configuration for stored in history.select((Purpose.VERIFY,))}
    candidates.pop(rules.reference, None)
    final = _final(candidates, rules, decisions, verified, repetition)
    tests = evidence(history, rules, decisions)
    ranked = [each for each in rank(history, rules) if each.log_gain is not None]
    return TuneResult(
        description=study.description,
        summary=study.summary(),
        rules=rules,
        decisions=decisions,
        noise=noise_floors(history, rules),
        detectable=_detectable(history, rules),
        baselines=_baselines(history, rules),
        leaders=tuple(ranked[:leaders]),
        steps=step_results(history, rules, decisions),
        verified=verified,
        candidates=candidates,
        repetition=repetition,
        final=final,
        changes=_changes(study, rules, final, tests),
        tests=tests,
        warnings=study_warnings(study, history, rules, final),
        front=front,
        on_one_load=_is_on_one_load(study.description, history),
        meaning=meaning_of(study, history, rules, final, decisions.winner),
    )


def choose_winner(comparisons: tuple[Comparison, ...]) -> str:
    """Return the arm of the accepted comparison with the largest gain.

    Where none is accepted, one that is better but of which something is open takes its place; empty if there is none.
    """
    shown = [each for each in comparisons if each.standing is not Standing.REFUSED]
    return max(shown, key=lambda each: (each.accepted, each.claim.gain or 0.0)).arm if shown else ""


def standing_of(decisions: Decisions, chosen: Comparison | None, repetition: Repetition | None) -> Standing:
    """Return the standing of the final configuration, from the runs that chose it and from those that repeated it.

    What the first left open, the second may have decided.
    """
    if not decisions.winner or chosen is None or (repetition is not None and repetition.contradicts):
        return Standing.REFUSED
    if repetition is not None and repetition.takes_smaller:
        return Standing.ACCEPTED
    if repetition is None or repetition.winner is None or chosen.standing is Standing.REFUSED:
        return chosen.standing
    return _standing_again(chosen, repetition.winner)


def _standing_again(chosen: Comparison, again: Comparison) -> Standing:
    if not _is_steady(chosen, again):
        return Standing.UNSTABLE
    if chosen.standing is Standing.UNDECIDED and GuardVerdict.INCONCLUSIVE in again.bounds:
        return Standing.UNDECIDED
    few = chosen.claim.n + again.claim.n < LOOKS[1]
    return Standing.UNSTABLE if chosen.standing is Standing.UNSTABLE and few else Standing.ACCEPTED


def _is_steady(chosen: Comparison, again: Comparison) -> bool:
    """Whether a winner that was run again is as stable as the reference, or else gains over all of its pairs.

    A stall that is rare may come only when the winner was chosen.
    """
    if again.stability is None or not again.stability.less_stable:
        return True
    return compare_log_ratios((*chosen.gains, *again.gains), POCOCK_ALPHA).low > 1


def _verified(history: History, rules: Rules, decisions: Decisions) -> tuple[tuple[Comparison, ...], Front | None]:
    """Return the finalists against the reference, and among each other where the result is a front."""
    looks = decisions.verify_looks or _looks_complete(history, rules, Purpose.VERIFY)
    if not decisions.finalists or not looks:
        return (), None
    arms = tuple(finalist(place) for place in range(1, len(decisions.finalists) + 1))
    contest = Contest(Purpose.VERIFY, rules.reference, arms)
    verified = compare(history, rules, contest, looks)
    return verified, find_front(history, rules, contest, verified) if rules.pareto else None


def _taking(decisions: Decisions, verified: tuple[Comparison, ...], place: int) -> Decisions:
    """Return the decisions with another winner, of which nothing was taken back."""
    named = {each.arm: each for each in verified}
    arm = finalist(place)
    if arm not in named:
        there = f"the study has {len(verified)}" if verified else "nothing was verified yet"
        raise UsageError(f"there is no {arm}: {there}; lsmtune show STUDY lists them")
    if named[arm].standing is Standing.REFUSED:
        raise UsageError(
            f"{arm} was not shown to be better than the reference with guards and limits held; lsmtune show STUDY says "
            "which ones were"
        )
    prune = decisions.prune if arm == decisions.winner else ()
    return replace(decisions, winner=arm, prune=prune, pruned=None, confirm_looks=None)


def _looks_complete(history: History, rules: Rules, purpose: Purpose) -> int:
    """Looks whose blocks all have a run of the reference, while the stage still goes on."""
    blocks = [block for block, arms in history.blocks(purpose).items() if rules.reference in arms]
    return sum(len([block for block in blocks if block < look]) == look for look in LOOKS)


def _final(
    candidates: Mapping[str, Configuration],
    rules: Rules,
    decisions: Decisions,
    verified: tuple[Comparison, ...],
    repetition: Repetition | None,
) -> Configuration:
    chosen = next((each for each in verified if each.arm == decisions.winner), None)
    if standing_of(decisions, chosen, repetition) is Standing.REFUSED:
        return rules.start
    if decisions.pruned is not None and repetition is not None and repetition.takes_smaller:
        return Configuration.of(decisions.pruned, rules.start.options_file)
    return candidates[decisions.winner or ""]


def _changes(study: Study, rules: Rules, final: Configuration, tests: tuple[Evidence, ...]) -> tuple[Change, ...]:
    known = study.description.facts.get("reference_values")
    before: Mapping[str, Any] = known if isinstance(known, Mapping) else {}
    alone = evidence_by_option(tests)
    return tuple(
        Change(name, before.get(name), value, alone.get(name))
        for name, value in final.changes_from(rules.start).items()
    )


def _is_on_one_load(description: StudyDescription, history: History) -> bool:
    if description.build.tool is Tool.DB_BENCH and description.build.engine == "leveldb":
        return True  # its db_bench draws keys and values from fixed seeds
    workload: Any = description.facts.get("workload", {})
    seeds = [stored.run.load_seed for stored in history.runs if stored.run.purpose in FRESH]
    return bool(workload.get("load")) and len(seeds) > 1 and len(set(seeds)) == 1


def _detectable(history: History, rules: Rules) -> dict[int, float]:
    spread = noise_of_gain(history, rules)
    return {} if spread is None else {pairs: smallest_detectable_gain(spread, pairs) for pairs in LOOKS}


def _baselines(history: History, rules: Rules) -> dict[str, PairedComparison | None]:
    found: dict[str, PairedComparison | None] = {}
    for name in rules.baselines:
        if name == rules.reference or not history.select((Purpose.BASELINE,), name):
            continue
        gains = pair_gains(history, rules, Purpose.BASELINE, name, rules.reference)
        try:
            found[name] = compare_log_ratios(gains, _BASELINE_ALPHA)
        except StatisticsError:
            found[name] = None
    return found
