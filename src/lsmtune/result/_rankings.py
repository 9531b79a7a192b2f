"""Trials ranked by one indicator each, such as the throughput of every phase. Nothing here is a claim."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lsmtune.errors import UsageError
from lsmtune.indicators import INDICATORS, Objective
from lsmtune.model import Workload
from lsmtune.result._decisions import Decisions
from lsmtune.result._facts import StudyFacts
from lsmtune.result._history import History
from lsmtune.result._ranking import Ranked, noise_floors, rank
from lsmtune.result._rules import Rules
from lsmtune.stats import NoiseFloor
from lsmtune.store import Study

_NEAR = 3  # names that a message offers


@dataclass(frozen=True)
class Ranking:
    """The best trials of a study by one indicator.

    Attributes:
        indicator: its name, ``name`` or ``name@phase``.
        phase: the phase of the workload in which it was measured; empty where no phase has its own.
        noise: its spread over the reference's first runs; None where that is not known.
        trials: the best trials as `rank` orders them with this indicator as the whole objective, so that `log_gain`
            is the gain in it; trials without a gain are left out.
        compared: number of trials that have a gain.
        values: what the runs gave, by run, in the indicator's unit.
        winner: the study's winner in this ranking; None where there is none, or it has no value.
    """

    indicator: str
    phase: str
    noise: NoiseFloor | None
    trials: tuple[Ranked, ...]
    compared: int
    values: Mapping[int, float]
    winner: Ranked | None

    @property
    def leader(self) -> Ranked | None:
        """The best trial that holds its bounds and is better than the reference; None where there is none."""
        return _leader(self.trials)

    @property
    def winner_leads(self) -> bool:
        """Whether the study's winner leads here, or a trial that ran the same configuration."""
        if self.leader is None or self.winner is None:
            return False
        return self.leader.stored.identity == self.winner.stored.identity


@dataclass(frozen=True)
class Rankings:
    """Rankings of the same trials by several indicators.

    Attributes:
        winner: the trial that was verified as the study's winner, with its gain in the objective; before that, and
            where none was accepted, the trial that leads by the objective. None where no trial does.
        verified: whether `winner` was verified.
        gains: log gain in the study's objective by run, for trials that have one.
        by: a ranking for each indicator that was asked for, in order.
    """

    winner: Ranked | None
    verified: bool
    gains: Mapping[int, float]
    by: tuple[Ranking, ...]


def rank_by(study: Study, workload: Workload, names: Sequence[str], most: int = 10) -> Rankings:
    """Rank the finished trials of a tuning by each of some indicators, against the reference at their moment.

    Args:
        study: what was measured.
        workload: what the study asks of the engine.
        names: indicators, ``name`` or ``name@phase``; any that the runs have, not only those of the study's rules.
        most: number of trials that each ranking keeps.

    Raises:
        UsageError: a name is no indicator or a fact, or no run of the study has a value of it.
    """
    rules, decisions = StudyFacts.of(study.description).rules, Decisions.read(study)
    names = tuple(dict.fromkeys(names))
    for name in names:
        _check(study, workload, name)
    history, stored = History.read(study, rules, names), study.indicators()
    overall = rank(history, rules)
    winner = _winner(overall, decisions)
    return Rankings(
        winner=winner,
        verified=decisions.winning_trial is not None,
        gains={each.stored.run.id: each.log_gain for each in overall if each.log_gain is not None},
        by=tuple(_ranking(history, rules, winner, (name, _phase(name, workload, stored)), most) for name in names),
    )


def phase_indicators(study: Study, workload: Workload) -> tuple[str, ...]:
    """Return the names under which the phases of the workload have the objective's first indicator, in their order.

    Raises:
        UsageError: the phases have indicators of their own, but not this one.
    """
    weights, stored = StudyFacts.of(study.description).rules.objective.weights, study.indicators()
    base = next(iter(weights)).partition("@")[0]
    phases = dict.fromkeys(workload.benchmarks)
    names = [base if phase == workload.measure else f"{base}@{phase}" for phase in phases]
    found = tuple(name for name in names if study.indicator(name))
    by_phase = [name for name in stored if name.partition("@")[0] == "throughput_ops_s"]
    if len(found) < 2 <= len(by_phase):
        asked = " ".join(f"--by {name}" for name in by_phase)
        raise UsageError(f"{base}, the first of the objective, is not known phase by phase; write {asked}")
    return found or (base,)


def _ranking(history: History, rules: Rules, winner: Ranked | None, about: tuple[str, str], most: int) -> Ranking:
    """Rank all trials under rules whose objective is one indicator alone, given with its phase."""
    name, phase = about
    alone = replace(rules, objective=Objective({name: 1.0}))
    trials = tuple(each for each in rank(history, alone) if each.log_gain is not None)
    run_id = None if winner is None else winner.stored.run.id
    return Ranking(
        indicator=name,
        phase=phase,
        noise=noise_floors(history, alone).get(name),
        trials=trials[:most],
        compared=len(trials),
        values=history.columns[name],
        winner=next((each for each in trials if each.stored.run.id == run_id), None),
    )


def _phase(name: str, workload: Workload, stored: Sequence[str]) -> str:
    """Return the phase of an indicator: without ``@`` that of the measured phase, where other phases have it too."""
    base, at, phase = name.partition("@")
    if at:
        return phase
    return workload.measure if any(each.startswith(f"{base}@") for each in stored) else ""


def _leader(ranked: Sequence[Ranked]) -> Ranked | None:
    """Return the first of a ranking, unless it broke a bound or is no better than the reference."""
    first = next(iter(ranked), None)
    if first is None or first.log_gain is None or first.log_gain <= 0 or first.violation > 0:
        return None
    return first


def _winner(overall: Sequence[Ranked], decisions: Decisions) -> Ranked | None:
    trial = decisions.winning_trial
    if trial is None:
        return _leader(overall)
    return next((each for each in overall if each.stored.run.arm == trial), None)


def _check(study: Study, workload: Workload, name: str) -> None:
    Objective({name: 1.0})  # refuses names that are no indicators, and facts
    if study.indicator(name):
        return
    base, _, phase = name.partition("@")
    if phase == workload.measure and study.indicator(base):
        raise UsageError(f'"{phase}" is the measured phase; write {base} alone')
    known = [each for each in study.indicators() if _is_judged(each) and study.indicator(each)]
    if not known:
        raise UsageError(f'no run of the study has a value of "{name}" yet; ask again when trials have ended')
    close = difflib.get_close_matches(name, known, n=_NEAR)
    hint = f"did you mean {' or '.join(close)}?" if close else f"they have {', '.join(known)}"
    raise UsageError(f'no run of the study has a value of "{name}"; {hint}')


def _is_judged(name: str) -> bool:
    """Whether more or less of an indicator is better; one that this lsmtune does not know is not judged."""
    known = INDICATORS.get(name.partition("@")[0])
    return known is not None and known.better is not None
