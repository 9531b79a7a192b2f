"""Results for machines: base units, None for what is not known, nothing rounded."""

from collections.abc import Mapping
from typing import Any

from lsmtune.model import Configuration, EngineBuild
from lsmtune.report._doctor import DoctorFacts, ProgramNoise
from lsmtune.report._findings import findings_json
from lsmtune.report._full_size import full_size_json
from lsmtune.report._phases import phases_json
from lsmtune.report._plain import plain
from lsmtune.report._states import stage_of, state_of
from lsmtune.report._words import next_step, verdict_sentence
from lsmtune.result import (
    Change,
    Climb,
    Comparison,
    Decisions,
    Evidence,
    Ranked,
    Repetition,
    StepResult,
    TuneResult,
    at_scale_words,
    worse_parts,
)
from lsmtune.stats import FAMILY_LEVEL, Detectable

FORMAT = 2
"""Version of both objects. 1: the first. 2: `repetition` in the place of `confirmed`, `limits` of `broken_limits`,
`p_adjusted` of `p_holm`; the level is that of all intervals together; new: `standing`, `troubles`, `stability`,
`chosen`, `on_one_load`, `detectable_interval`, `detectable_from`, `others` of the doctor."""


def tune_json(result: TuneResult) -> dict[str, Any]:
    """Return all that a tuning study says as values of JSON; a number that is not finite is None."""
    summary, best = result.summary, result.verdict
    return {
        "format": FORMAT,
        "name": result.description.name,
        "lsmtune_version": result.description.lsmtune_version,
        "created_at": result.description.created_at,
        "state": str(state_of(result)),
        "stage": None if result.decisions.done else stage_of(result),
        "sentence": verdict_sentence(result),
        "next_step": next_step(result),
        "improved": result.improved,
        "full_size": full_size_json(result),
        "standing": str(result.standing),
        "level": FAMILY_LEVEL,
        "build": _build(result.description.build),
        "builds": {
            arm: {"name": each.name, "build": _build(each.build), "defaults": plain(each.defaults)}
            for arm, each in result.builds.items()
        },
        "host": plain(result.description.host),
        "facts": plain(result.facts.about()),
        "rules": plain(result.rules.to_json()),
        "runs": {
            "counts": [
                {"purpose": str(purpose), "status": str(status), "runs": number}
                for (purpose, status), number in summary.counts.items()
            ],
            "first_started_at": summary.first_started_at,
            "last_ended_at": summary.last_ended_at,
            "run_time_s": summary.run_time_s,
        },
        "decisions": _decisions(result.decisions),
        "steps": [_step(each) for each in result.steps],
        "phases": phases_json(result.phases),
        "max_rates": plain(result.max_rates),
        "verdict": None if best is None else _comparison(best),
        "verified": [_comparison(each) for each in result.verified],
        "front": None if result.front is None else {**plain(result.front), "chosen": result.front.chosen},
        "candidates": {arm: _configuration(each) for arm, each in result.candidates.items()},
        "chosen": None if result.chosen is None else _comparison(result.chosen),
        "repetition": None if result.repetition is None else _repetition(result.repetition),
        "climb": None if result.climb is None else _climb(result.climb, improved=result.improved),
        "on_one_load": result.on_one_load,
        "final": _configuration(result.final),
        "changes": [_change(change) for change in result.changes],
        "together": None if result.together is None else _evidence(result.together),
        "tests": [_evidence(test) for test in result.tests],
        "baselines": plain(result.baselines),
        "noise": plain(result.noise),
        "hosts": plain(result.hosts),
        **_detectable(result),
        "meaning": _meaning(result),
        "leaders": [_ranked(trial) for trial in result.leaders],
        **findings_json(result.warnings),
    }


def doctor_json(facts: DoctorFacts) -> dict[str, Any]:
    """Return what the doctor found as values of JSON; a number that is not finite is None."""
    return {
        "format": FORMAT,
        "build": _build(facts.build),
        "found": facts.found,
        "host": plain(facts.host),
        "missing": list(facts.missing),
        "changed_defaults": [
            {"option": name, "catalogue": known, "build": found} for name, known, found in facts.changed_defaults
        ],
        **_noise(facts),
        "elapsed_s": facts.elapsed_s,
        "advice": list(facts.advice),
        "limits": [plain(ability) for ability in facts.abilities],
        "driven": [_build(build) for build in facts.driven],
        "others": [
            {"name": other.name, "build": _build(other.build), **_noise(other), "reason": other.reason}
            for other in facts.others
        ],
    }


def _noise(found: DoctorFacts | ProgramNoise) -> dict[str, Any]:
    return {
        "noise": plain(found.noise),
        "detectable": {name: _gains(gains) for name, gains in found.detectable.items()},
        "detectable_interval": {name: _intervals(gains) for name, gains in found.detectable.items()},
        "runs": found.runs,
    }


def _build(build: EngineBuild) -> dict[str, Any]:
    """Return a build without its flags, which are hundreds and say nothing about results."""
    return {name: value for name, value in plain(build).items() if name != "flags"}


def _meaning(result: TuneResult) -> dict[str, Any]:
    meaning, best = result.meaning, result.verdict
    return {
        "qualifier": meaning.qualifier,
        "reference": [finding.to_json() for finding in meaning.reference],
        "result": [finding.to_json() for finding in meaning.result],
        "kept_out": dict(meaning.kept_out),
        "worse": [] if best is None else list(worse_parts(result.rules, best)),
    }


def _decisions(decisions: Decisions) -> dict[str, Any]:
    stored = {"elimination": "prune", "smaller": "pruned"}  # the names that files of format 1 and 2 have
    return {stored.get(name, name): value for name, value in plain(decisions).items()}


def _configuration(configuration: Configuration) -> dict[str, Any]:
    return {
        "key": configuration.key,
        "values": plain(configuration.values),
        "options_file": configuration.options_file,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    levels = {
        name: {"reference": plain(base), "result": plain(value)} for name, (base, value) in comparison.levels.items()
    }
    standing = {"accepted": comparison.accepted, "standing": str(comparison.standing)}
    return {**plain(comparison), "levels": levels, **standing}


def _repetition(found: Repetition) -> dict[str, Any]:
    return {
        "winner": None if found.winner is None else _comparison(found.winner),
        "pruned": None if found.smaller is None else _comparison(found.smaller),
        "retained": plain(found.retained),
        "margin": found.margin,
        "takes_smaller": found.takes_smaller,
    }


def _climb(climb: Climb, *, improved: bool) -> dict[str, Any]:
    return {
        "start": str(climb.climbing.start),
        "scales": [str(scale) for scale in climb.climbing.scales],
        "shrink": str(climb.climbing.shrink),
        "share": climb.climbing.share,
        "order": list(climb.order),
        "taken": climb.taken,
        "holds_to": str(climb.holds_to) if improved else None,
        "seen": [
            {
                **plain(each.step),
                "outcome": str(each.outcome),
                "sentence": at_scale_words(each),
                "comparison": None if each.comparison is None else _comparison(each.comparison),
            }
            for each in climb.seen
        ],
    }


def _step(each: StepResult) -> dict[str, Any]:
    comparison = None if each.comparison is None else _comparison(each.comparison)
    return {**plain(each.step), "comparison": comparison}


def _change(change: Change) -> dict[str, Any]:
    return {
        "option": change.option,
        "before": change.before,
        "after": change.after,
        "evidence": None if change.evidence is None else _evidence(change.evidence),
        "taken_back_since": change.taken_back_since,
    }


def _evidence(test: Evidence) -> dict[str, Any]:
    return {
        "removed": list(test.about.removed),
        "taken_back": test.about.accepted,
        "final": test.about.final,
        "earned": plain(test.effect),
    }


def _ranked(trial: Ranked) -> dict[str, Any]:
    return {
        "run": trial.stored.run.id,
        "arm": trial.stored.run.arm,
        "log_gain": plain(trial.log_gain),
        "violation": plain(trial.violation),
        "values": plain(trial.stored.run.configuration.values),
    }


def _detectable(result: TuneResult) -> dict[str, Any]:
    """Return what pairs can show, by their number, and from what that is estimated; None while unknown."""
    seen = result.detectable
    if seen is None:
        return {"detectable": {}, "detectable_interval": {}, "detectable_from": None}
    source = {"looks": seen.looks, "runs": seen.runs, "pairs": seen.pairs, "freedom": seen.spread.freedom}
    return {
        "detectable": _gains(seen.gains),
        "detectable_interval": _intervals(seen.gains),
        "detectable_from": {"sd_log_ratio": seen.spread.sd, **source, "claims": seen.claims},
    }


def _gains(seen: Mapping[int, Detectable]) -> dict[str, float | None]:
    return {str(pairs): plain(each.gain) for pairs, each in seen.items()}


def _intervals(seen: Mapping[int, Detectable]) -> dict[str, list[float | None]]:
    return {str(pairs): [plain(each.low), plain(each.high)] for pairs, each in seen.items()}
