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
from lsmtune.result._ranking import Ranked, fit_reference, noise_floors, noise_of_slacks, rank, score
from lsmtune.result._rankings import Ranking, Rankings, phase_indicators, rank_by
from lsmtune.result._rules import SHOWN_INDICATORS, Rules
from lsmtune.result._steps import StepResult, step_contest
from lsmtune.result._timeline_shape import (
    FLUSHES,
    Bar,
    JobSum,
    arrival_spans,
    files_by_level,
    job_sums,
    span_rates,
    timeline_bars,
    timeline_lanes,
    written_spans,
)
from lsmtune.result._timelines import LOG, MEASURED, RunTimeline, read_timeline, shown_runs
from lsmtune.result._tune_result import Change, TuneResult, choose_winner, read_rules, summarise
from lsmtune.result._verification import Comparison, Contest, compare, judge

__all__ = [
    "BUILDS",
    "EVIDENCE_ALPHA",
    "FLUSHES",
    "LEAST_CORRELATION",
    "LOG",
    "MEASURED",
    "SHOWN_INDICATORS",
    "ArmBuild",
    "Bar",
    "Change",
    "Comparison",
    "Contest",
    "Decisions",
    "Evidence",
    "Front",
    "History",
    "JobSum",
    "Pairing",
    "Plan",
    "PruneStep",
    "Ranked",
    "Ranking",
    "Rankings",
    "Relation",
    "Rules",
    "RunTimeline",
    "RungCheck",
    "SearchStop",
    "StepResult",
    "StepTaken",
    "TuneResult",
    "arrival_spans",
    "choose_winner",
    "compare",
    "evidence",
    "files_by_level",
    "finalist",
    "find_front",
    "fit_reference",
    "job_sums",
    "judge",
    "noise_floors",
    "noise_of_gain",
    "noise_of_slacks",
    "phase_indicators",
    "prune_gains",
    "rank",
    "rank_by",
    "read_builds",
    "read_rules",
    "read_timeline",
    "score",
    "shown_runs",
    "span_rates",
    "step_contest",
    "summarise",
    "timeline_bars",
    "timeline_lanes",
    "written_spans",
]
