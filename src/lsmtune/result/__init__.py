"""What a study's runs say: rankings, comparisons, evidence and warnings as pure functions of the stored runs."""

from lsmtune.result._builds import BUILDS, ArmBuild, read_builds
from lsmtune.result._decisions import (
    LEAST_CORRELATION,
    Decisions,
    Plan,
    PruneStep,
    RungCheck,
    SearchStop,
    StepTaken,
    finalist,
)
from lsmtune.result._front import Front, Pairing, Relation, find_front
from lsmtune.result._history import History
from lsmtune.result._pruning import EVIDENCE_ALPHA, Evidence, evidence, noise_of_gain, prune_gains
from lsmtune.result._ranking import Ranked, fit_reference, noise_floors, rank, score
from lsmtune.result._rankings import Ranking, Rankings, phase_indicators, rank_by
from lsmtune.result._rules import SHOWN_INDICATORS, Rules
from lsmtune.result._steps import StepResult, step_contest
from lsmtune.result._tune_result import Change, TuneResult, choose_winner, read_rules, summarise
from lsmtune.result._verification import Comparison, Contest, compare, judge

__all__ = [
    "BUILDS",
    "EVIDENCE_ALPHA",
    "LEAST_CORRELATION",
    "SHOWN_INDICATORS",
    "ArmBuild",
    "Change",
    "Comparison",
    "Contest",
    "Decisions",
    "Evidence",
    "Front",
    "History",
    "Pairing",
    "Plan",
    "PruneStep",
    "Ranked",
    "Ranking",
    "Rankings",
    "Relation",
    "Rules",
    "RungCheck",
    "SearchStop",
    "StepResult",
    "StepTaken",
    "TuneResult",
    "choose_winner",
    "compare",
    "evidence",
    "finalist",
    "find_front",
    "fit_reference",
    "judge",
    "noise_floors",
    "noise_of_gain",
    "phase_indicators",
    "prune_gains",
    "rank",
    "rank_by",
    "read_builds",
    "read_rules",
    "score",
    "step_contest",
    "summarise",
]
