"""What a study's runs say: rankings, comparisons, evidence and warnings as pure functions of the stored runs."""

from lsmtune.result import checkpoints
from lsmtune.result._ablation import EVIDENCE_ALPHA, Evidence, elimination_gains, evidence, evidence_by_option
from lsmtune.result._bounds_at_full_size import BoundsAtFullSize
from lsmtune.result._builds import ArmBuild
from lsmtune.result._climb import (
    AtScale,
    Climb,
    ClimbOutcome,
    climbers,
    compare_at,
    first_block,
    outcome_of,
    scenario_of,
)
from lsmtune.result._climb_words import at_scale_words, climb_words, lost_words
from lsmtune.result._confirmation import SMALLER, WINNER, Repetition, repeat, retained_margin
from lsmtune.result._decisions import Decisions, finalist, place_of
from lsmtune.result._detectable import DetectableGains
from lsmtune.result._facts import ParameterFacts, StudyFacts, WorkloadFacts, ranges_of
from lsmtune.result._front import Front, Pairing, Relation, find_front
from lsmtune.result._full_size import FullSizeMemory, FullSizeSpace
from lsmtune.result._history import Counts, History
from lsmtune.result._in_code import InCode, Said, in_code_words, own_words
from lsmtune.result._max_rates import MaxRates
from lsmtune.result._meaning import Meaning, Yardstick, worse_parts
from lsmtune.result._on_hosts import OnHosts
from lsmtune.result._pairs import Contest, Troubles, log_slowdown, troubles
from lsmtune.result._phases import (
    BY_PHASE,
    PhaseLevels,
    PhaseRow,
    PhaseTable,
    compared_phases,
    phase_bases,
    phase_names,
    phase_table,
)
from lsmtune.result._ranking import Ranked, fit_reference, noise_floors, noise_of_gain, noise_of_slacks, rank, score
from lsmtune.result._rankings import Ranking, Rankings, phase_indicators, rank_by
from lsmtune.result._rules import SHOWN_INDICATORS, Climbing, Disturbed, Rules, Shrink
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
from lsmtune.result._tools import build_words, reference_words
from lsmtune.result._tune_result import Change, TuneResult, choose_winner, final_configuration, summarise
from lsmtune.result._verification import Comparison, LimitSeen, Standing, compare, verified_winner
from lsmtune.result.checkpoints import (
    LEAST_CORRELATION,
    AblationPlan,
    ClimbStep,
    Design,
    EliminationTest,
    Point,
    Progress,
    RungCheck,
    SearchStop,
    SharedOut,
    StepTaken,
)

__all__ = [
    "BY_PHASE",
    "EVIDENCE_ALPHA",
    "FLUSHES",
    "LEAST_CORRELATION",
    "LOG",
    "MEASURED",
    "SHOWN_INDICATORS",
    "SMALLER",
    "WINNER",
    "AblationPlan",
    "ArmBuild",
    "AtScale",
    "Bar",
    "BoundsAtFullSize",
    "Change",
    "Climb",
    "ClimbOutcome",
    "ClimbStep",
    "Climbing",
    "Comparison",
    "Contest",
    "Counts",
    "Decisions",
    "Design",
    "DetectableGains",
    "Disturbed",
    "EliminationTest",
    "Evidence",
    "Front",
    "FullSizeMemory",
    "FullSizeSpace",
    "History",
    "InCode",
    "JobSum",
    "LimitSeen",
    "MaxRates",
    "Meaning",
    "OnHosts",
    "Pairing",
    "ParameterFacts",
    "PhaseLevels",
    "PhaseRow",
    "PhaseTable",
    "Point",
    "Progress",
    "Ranked",
    "Ranking",
    "Rankings",
    "Relation",
    "Repetition",
    "Rules",
    "RunTimeline",
    "RungCheck",
    "Said",
    "SearchStop",
    "SharedOut",
    "Shrink",
    "Standing",
    "StepResult",
    "StepTaken",
    "StudyFacts",
    "Troubles",
    "TuneResult",
    "WorkloadFacts",
    "Yardstick",
    "arrival_spans",
    "at_scale_words",
    "build_words",
    "checkpoints",
    "choose_winner",
    "climb_words",
    "climbers",
    "compare",
    "compare_at",
    "compared_phases",
    "elimination_gains",
    "evidence",
    "evidence_by_option",
    "files_by_level",
    "final_configuration",
    "finalist",
    "find_front",
    "first_block",
    "fit_reference",
    "in_code_words",
    "job_sums",
    "log_slowdown",
    "lost_words",
    "noise_floors",
    "noise_of_gain",
    "noise_of_slacks",
    "outcome_of",
    "own_words",
    "phase_bases",
    "phase_indicators",
    "phase_names",
    "phase_table",
    "place_of",
    "ranges_of",
    "rank",
    "rank_by",
    "read_timeline",
    "reference_words",
    "repeat",
    "retained_margin",
    "scenario_of",
    "score",
    "shown_runs",
    "span_rates",
    "step_contest",
    "summarise",
    "timeline_bars",
    "timeline_lanes",
    "troubles",
    "verified_winner",
    "worse_parts",
    "written_spans",
]
