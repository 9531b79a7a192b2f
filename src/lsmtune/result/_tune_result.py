"""All that a tuning study says, put together from its runs and decisions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.backends.rocksdb import unread_of
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.lint import ONE_LOAD, Finding
from lsmtune.model import Configuration, EngineBuild, Purpose, Value
from lsmtune.result._ablation import Evidence, evidence, evidence_by_option, taken_back_since
from lsmtune.result._builds import ArmBuild
from lsmtune.result._climb import Climb, after_climb, climb_of
from lsmtune.result._confirmation import Repetition, repeat
from lsmtune.result._decisions import Decisions, finalist
from lsmtune.result._detectable import DetectableGains, detectable_gains
from lsmtune.result._facts import StudyFacts
from lsmtune.result._front import Front, find_front
from lsmtune.result._full_size import FullSizeMemory, FullSizeSpace, full_size_memory, full_size_space
from lsmtune.result._history import History
from lsmtune.result._host_rows import HostTable, host_table
from lsmtune.result._max_rates import MaxRates, max_rates
from lsmtune.result._meaning import Meaning, meaning_of
from lsmtune.result._pairs import pair_gains
from lsmtune.result._phases import PhaseTable, compared_phases
from lsmtune.result._ranking import Ranked, noise_floors, rank
from lsmtune.result._rules import Rules
from lsmtune.result._steps import StepResult, step_results
from lsmtune.result._verification import (
    Comparison,
    Standing,
    compare,
    until,
    verified_contest,
    verified_winner,
    winner_of,
)
from lsmtune.result._warnings import study_warnings
from lsmtune.stats import (
    LOOKS,
    POCOCK_ALPHA,
    GuardVerdict,
    NoiseFloor,
    PairedComparison,
    compare_log_ratios,
)
from lsmtune.store import Study, StudyDescription, StudySummary

_BASELINE_ALPHA = 0.05


@dataclass(frozen=True)
class Change:
    """An option of the final configuration that differs from the reference.

    Attributes:
        option: its name.
        before: its value in the reference, at full size; key and text of the user's OPTIONS file where no value means
            them, such as ``filter_policy=ribbonfilter:10:0``; None where nothing tells.
        after: its value in the final configuration, at full size.
        evidence: the test that took back this change alone; None where there was none.
        taken_back_since: changes that the tested configuration had and the final one has no more.
    """

    option: str
    before: Value | None
    after: Value
    evidence: Evidence | None
    taken_back_since: int = 0

    @property
    def is_known_alone(self) -> bool:
        """Whether runs tell the effect of this change alone: one whose test has no estimate counts as not tested."""
        return self.evidence is not None and self.evidence.effect is not None

    @property
    def tested_in(self) -> str:
        """In what the change was tested, in words; empty where that is the final configuration."""
        since = self.taken_back_since
        return f"in the winner, before {since} change{'s were' if since > 1 else ' was'} reverted" if since else ""


@dataclass(frozen=True)
class TuneResult:
    """What a tuning study says so far.

    Attributes:
        description: what the study is about.
        summary: its runs at a glance.
        rules: by what it is judged.
        decisions: what its stages decided.
        noise: spread of each indicator over the reference's first runs.
        detectable: smallest gains in the objective that could be shown; None while unknown.
        baselines: the other starting points against the reference, by name, at 95 %; no claim.
        leaders: the best trials so far, the best first; no claim.
        steps: what each step of a step-by-step tuning has shown, in order; empty where there are none.
        verified: finalists against the reference.
        candidates: their configurations by arm, of those that were run.
        repetition: the winner, and what is left of it, in runs after it was chosen; None where there were none.
        final: the configuration to export; the reference where nothing better was shown.
        changes: how it differs from the reference.
        tests: every test of reverting changes.
        warnings: what makes the results doubtful, as the linter found it.
        front: the verified finalists among each other; None where the result is no front, or nothing was verified.
        on_one_load: all runs of the verification read data of one load, or the tool makes the same data in each run;
            what they show holds for this data.
        meaning: what takes the meaning from the results.
        phases: of a comparison over several phases, who wins in each and over all of them, by indicator.
        climb: up to which scale it holds; None where nothing was verified at a larger one.
        max_rates: where the largest rate is sought, what stands behind it, by arm of the fresh runs.
        hosts: what each host did; None where one made all runs.
    """

    description: StudyDescription
    summary: StudySummary
    rules: Rules
    decisions: Decisions
    noise: Mapping[str, NoiseFloor]
    detectable: DetectableGains | None
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
    phases: tuple[PhaseTable, ...] = ()
    climb: Climb | None = None
    max_rates: tuple[MaxRates, ...] = ()
    hosts: HostTable | None = None

    @cached_property
    def full_size(self) -> FullSizeMemory | None:
        """The memory of the final configuration and of the reference at full size; None where nothing computes it."""
        final = {**self.reference_values, **self.final.values}
        return full_size_memory(self.facts, self.description, self.build, final)

    @property
    def host_names(self) -> tuple[str, ...]:
        """The hosts that made runs, by name."""
        return (self.description.host.name,) if self.hosts is None else tuple(row.name for row in self.hosts.rows)

    @property
    def full_size_space(self) -> FullSizeSpace | None:
        """The space of what the verdict is about, and of the reference, at full size; None where nothing tells it."""
        return full_size_space(self.rules, self.verdict, self.final)

    @property
    def verdict(self) -> Comparison | None:
        """The comparison that speaks for the final configuration; the best finalist's where none was accepted.

        It is that in runs after the winner was chosen, where there were such; the winner's in those that contradict it.
        """
        again = self.repetition
        if self.confirmed is not None and self.is_smaller:
            return self.confirmed
        if again is not None and (again.contradicts or (again.speaks and self.front is None)):
            return again.winner
        return self.chosen or max(self.verified, key=lambda each: each.claim.gain or 0.0, default=None)

    @property
    def chosen(self) -> Comparison | None:
        """The winner in the runs that chose it; None where there is none."""
        return winner_of(self.verified, self.decisions)

    @property
    def confirmed(self) -> Comparison | None:
        """The smaller configuration against the reference; None where no change was reverted."""
        return None if self.repetition is None else self.repetition.smaller

    @property
    def is_smaller(self) -> bool:
        """Whether the final configuration is what was left of the winner when changes were reverted."""
        return self.repetition is not None and self.repetition.takes_smaller

    @property
    def together(self) -> Evidence | None:
        """The test that took back the most of the changes that were not tested alone; None where there was none."""
        untested = {change.option for change in self.changes if not change.is_known_alone}
        tests = [
            test
            for test in self.tests
            if test.tested == self.final
            and test.effect is not None
            and len(test.about.removed) > 1
            and untested.issuperset(test.about.removed)
        ]
        return max(tests, key=lambda test: len(test.about.removed), default=None)

    @property
    def standing(self) -> Standing:
        """Whether the final configuration is exported, and what is open; refused where there is none."""
        return standing_of(self.decisions, self.chosen, self.repetition)

    @property
    def improved(self) -> bool:
        """Whether something better than the reference was shown; of its guards and limits see `standing`."""
        return self.standing is not Standing.REFUSED

    @cached_property
    def facts(self) -> StudyFacts:
        """What the study says of itself."""
        return StudyFacts.of(self.description)

    @property
    def builds(self) -> Mapping[str, ArmBuild]:
        """The builds that are compared with the study's own, by arm; empty where all runs use that one."""
        return self.facts.builds

    @property
    def build(self) -> EngineBuild:
        """The build that the final configuration was measured with; the study's own, but for a winner on another."""
        other = self.builds.get(self.decisions.winner or "")
        return self.description.build if other is None else other.build

    @property
    def reference_values(self) -> Mapping[str, Value]:
        """Value of every option of the reference under `build`; empty where the study did not keep them."""
        return self.reference_values_of(self.decisions.winner or "")

    def reference_values_of(self, arm: str) -> Mapping[str, Value]:
        """Return the value of every option of the reference under the build of an arm; empty where it was not kept."""
        other = self.builds.get(arm)
        return (self.facts.reference_values if other is None else other.reference_values) or {}


def summarise(study: Study, leaders: int = 10, more: Iterable[str] = (), take: int | None = None) -> TuneResult:
    """Put together what a study says so far.

    Args:
        study: what was measured.
        leaders: number of the best trials to name.
        more: further indicators to compare in.
        take: place from 1 of an accepted finalist that is exported as it was verified, instead of what was chosen.

    Raises:
        UsageError: the finalist to take is none, or was not accepted.
    """
    facts = StudyFacts.of(study.description)
    rules = facts.rules
    history, decisions = History.read(study, rules, more), Decisions.read(study)
    looks = _looks(history, rules, decisions)
    verified, front = _verified(history, rules, decisions, looks)
    if rules.pareto and decisions.winner == "":
        decisions = replace(decisions, winner=choose_winner(verified))  # older studies left a front's open ones out
    climb = climb_of(history, rules, decisions)
    decisions = after_climb(decisions, climb)
    if take is not None:
        decisions = _taking(decisions, verified, take)
    chosen = winner_of(verified, decisions)
    repetition = repeat(history, rules, chosen, decisions.confirm_looks or 0)
    candidates = _candidates(history, rules)
    final = _final(candidates, rules, decisions, (chosen, repetition))
    tests = evidence(history, rules, decisions)
    ranked = [each for each in rank(history, rules) if each.log_gain is not None]
    warnings = study_warnings(study, history, rules, final)
    return TuneResult(
        description=study.description,
        summary=study.summary(),
        rules=rules,
        decisions=decisions,
        noise=noise_floors(history, rules),
        detectable=detectable_gains(history, rules, verified, looks),
        baselines=_baselines(history, rules),
        leaders=tuple(ranked[:leaders]),
        steps=step_results(history, rules, decisions),
        verified=verified,
        candidates=candidates,
        repetition=repetition,
        final=final,
        changes=_changes(facts, study.description.build, final, tests),
        tests=tests,
        warnings=warnings,
        front=front,
        on_one_load=_is_on_one_load(study.description, warnings),
        meaning=meaning_of(study, history, rules, final, decisions.winner),
        phases=compared_phases(study, rules, decisions, verified, looks),
        climb=climb,
        max_rates=max_rates(study, history),
        hosts=host_table(study, history, rules),
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


def _verified(
    history: History, rules: Rules, decisions: Decisions, looks: int
) -> tuple[tuple[Comparison, ...], Front | None]:
    """Return the finalists against the reference, and among each other where the result is a front, after a look."""
    if not decisions.finalists or not looks:
        return (), None
    contest = verified_contest(rules, decisions)
    verified, seen = compare(history, rules, contest, looks), until(history, contest.purpose, LOOKS[looks - 1])
    return verified, find_front(seen, rules, contest, verified) if rules.pareto else None


def _taking(decisions: Decisions, verified: tuple[Comparison, ...], place: int) -> Decisions:
    """Return the decisions with another winner, of which nothing was reverted."""
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
    if arm != decisions.winner:
        decisions = replace(decisions, elimination=(), final_tests=())
    return replace(decisions, winner=arm, smaller=None, confirm_looks=None)


def _looks(history: History, rules: Rules, decisions: Decisions) -> int:
    """Looks of the verification; while it goes on, those whose blocks all have a run of the reference."""
    if decisions.verify_looks:
        return decisions.verify_looks
    blocks = [block for block, arms in history.blocks(Purpose.VERIFY).items() if rules.reference in arms]
    return sum(len([block for block in blocks if block < look]) == look for look in LOOKS)


def final_configuration(history: History, rules: Rules, decisions: Decisions) -> Configuration:
    """Return what a study hands over so far: the winner, what is left of it, or the reference."""
    decisions = after_climb(decisions, climb_of(history, rules, decisions))
    chosen = verified_winner(history, rules, decisions) if decisions.winner else None
    repetition = repeat(history, rules, chosen, decisions.confirm_looks or 0)
    return _final(_candidates(history, rules), rules, decisions, (chosen, repetition))


def _candidates(history: History, rules: Rules) -> dict[str, Configuration]:
    """Return the configurations that were verified, by arm."""
    ran = {stored.run.arm: stored.run.configuration for stored in history.select((Purpose.VERIFY,))}
    return {arm: configuration for arm, configuration in ran.items() if arm != rules.reference}


def _final(
    candidates: Mapping[str, Configuration],
    rules: Rules,
    decisions: Decisions,
    shown: tuple[Comparison | None, Repetition | None],
) -> Configuration:
    chosen, repetition = shown
    if standing_of(decisions, chosen, repetition) is Standing.REFUSED:
        return rules.start
    if decisions.smaller is not None and repetition is not None and repetition.takes_smaller:
        return Configuration.of(decisions.smaller, rules.start.options_file)
    return candidates[decisions.winner or ""]


def _changes(
    facts: StudyFacts, build: EngineBuild, final: Configuration, tests: tuple[Evidence, ...]
) -> tuple[Change, ...]:
    start = facts.rules.start
    changed = final.changes_from(start)
    unread = unread_of(start, catalogue_of(build.engine).options.values(), build.version)
    before = {**(facts.reference_values or {}), **unread}
    alone = evidence_by_option(tests, start, final)
    since = {name: taken_back_since(test, start, final) or 0 for name, test in alone.items()}
    return tuple(
        Change(name, before.get(name), value, alone.get(name), since.get(name, 0)) for name, value in changed.items()
    )


def _is_on_one_load(description: StudyDescription, warnings: Iterable[Finding]) -> bool:
    return backend_of(description.build).same_data or any(finding.rule is ONE_LOAD for finding in warnings)


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
