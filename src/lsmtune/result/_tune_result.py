"""All that a tuning study says, put together from its runs and decisions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lsmtune.errors import StatisticsError, UsageError
from lsmtune.lint import Finding
from lsmtune.model import Configuration, EngineBuild, Purpose, Value
from lsmtune.result._builds import ArmBuild, read_builds
from lsmtune.result._decisions import Decisions, finalist
from lsmtune.result._front import Front, find_front
from lsmtune.result._history import History
from lsmtune.result._pruning import Evidence, evidence, evidence_by_option, noise_of_gain
from lsmtune.result._ranking import Ranked, noise_floors, rank
from lsmtune.result._rules import Rules
from lsmtune.result._steps import StepResult, step_results
from lsmtune.result._verification import Comparison, Contest, compare, pair_gains
from lsmtune.result._warnings import study_warnings
from lsmtune.stats import LOOKS, NoiseFloor, PairedComparison, compare_log_ratios, smallest_detectable_gain
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
        confirmed: the pruned configuration against the reference; None where nothing was pruned.
        final: the configuration to take home; the reference where nothing better was shown.
        changes: how it differs from the reference.
        tests: every test of taking changes back.
        warnings: what makes the results doubtful, as the linter found it.
        front: the verified finalists among each other; None where the result is no front, or nothing was verified.
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
    confirmed: Comparison | None
    final: Configuration
    changes: tuple[Change, ...]
    tests: tuple[Evidence, ...]
    warnings: tuple[Finding, ...]
    front: Front | None = None

    @property
    def verdict(self) -> Comparison | None:
        """The comparison that speaks for the final configuration; the best finalist's where none was accepted."""
        if self.confirmed is not None and self.confirmed.accepted:
            return self.confirmed
        winner = next((each for each in self.verified if each.arm == self.decisions.winner), None)
        return winner or max(self.verified, key=lambda each: each.claim.gain or 0.0, default=None)

    @property
    def improved(self) -> bool:
        """Whether something better than the reference was shown."""
        return bool(self.decisions.winner)

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
    confirmed = _confirmed(history, rules, decisions)
    candidates = {stored.run.arm: stored.run.configuration for stored in history.select((Purpose.VERIFY,))}
    candidates.pop(rules.reference, None)
    final = _final(candidates, rules, decisions, confirmed)
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
        confirmed=confirmed,
        final=final,
        changes=_changes(study, rules, final, tests),
        tests=tests,
        warnings=study_warnings(study, history, rules, final),
        front=front,
    )


def choose_winner(comparisons: tuple[Comparison, ...]) -> str:
    """Return the arm of the accepted comparison with the largest gain; empty if none was accepted."""
    accepted = [each for each in comparisons if each.accepted]
    return max(accepted, key=lambda each: each.claim.gain or 0.0).arm if accepted else ""


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
    if not named[arm].accepted:
        raise UsageError(
            f"{arm} was not shown to be better than the reference with guards and limits held; lsmtune show STUDY says "
            "which ones were"
        )
    prune = decisions.prune if arm == decisions.winner else ()
    return replace(decisions, winner=arm, prune=prune, pruned=None, confirm_looks=None)


def _confirmed(history: History, rules: Rules, decisions: Decisions) -> Comparison | None:
    if not decisions.confirm_looks:
        return None
    contest = Contest(Purpose.CONFIRM, rules.reference, ("pruned",))
    (comparison,) = compare(history, rules, contest, decisions.confirm_looks)
    return comparison


def _looks_complete(history: History, rules: Rules, purpose: Purpose) -> int:
    """Looks whose blocks all have a run of the reference, while the stage still goes on."""
    blocks = [block for block, arms in history.blocks(purpose).items() if rules.reference in arms]
    return sum(len([block for block in blocks if block < look]) == look for look in LOOKS)


def _final(
    candidates: Mapping[str, Configuration], rules: Rules, decisions: Decisions, confirmed: Comparison | None
) -> Configuration:
    if not decisions.winner:
        return rules.start
    if decisions.pruned is not None and confirmed is not None and confirmed.accepted:
        return Configuration.of(decisions.pruned, rules.start.options_file)
    return candidates[decisions.winner]


def _changes(study: Study, rules: Rules, final: Configuration, tests: tuple[Evidence, ...]) -> tuple[Change, ...]:
    known = study.description.facts.get("reference_values")
    before: Mapping[str, Any] = known if isinstance(known, Mapping) else {}
    alone = evidence_by_option(tests)
    return tuple(
        Change(name, before.get(name), value, alone.get(name))
        for name, value in final.changes_from(rules.start).items()
    )


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
