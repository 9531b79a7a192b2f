"""From a service's LOG and back to it: reading what it runs and what happened there."""

from lsmtune.production._canary import Canary, Effect, Instance, Traffic, compare_canaries
from lsmtune.production._card import diagnosis_card
from lsmtune.production._configured import read_service_files
from lsmtune.production._defaults import defaults_of
from lsmtune.production._diagnosis_json import diagnosis_json
from lsmtune.production._differences import Difference, Differences, changes_of, differences_of
from lsmtune.production._events import Events, FamilyEvents, Written
from lsmtune.production._finding import ServiceFinding, Sure, Try
from lsmtune.production._findings import findings_of
from lsmtune.production._over_time import OverTime, ShareOverTime
from lsmtune.production._page import diagnosis_page
from lsmtune.production._reader import read_service
from lsmtune.production._resemble import resembling_experiment
from lsmtune.production._rollout import FigureCheck, OptionCheck, OptionState, Rollout, check_rollout
from lsmtune.production._rollout_card import canary_card, canary_json, rollout_card, rollout_json
from lsmtune.production._service_log import (
    CacheStats,
    FamilyStats,
    LevelRow,
    Moment,
    Opening,
    ServiceLog,
    ServiceOptions,
    StallKind,
    StatsDump,
    Unread,
    WalStats,
)
from lsmtune.production._trace_experiment import TraceAsked, trace_experiment
from lsmtune.production._trace_profile import TraceProfile, read_trace
from lsmtune.production._trends import Trend, trends_of

__all__ = [
    "CacheStats",
    "Canary",
    "Difference",
    "Differences",
    "Effect",
    "Events",
    "FamilyEvents",
    "FamilyStats",
    "FigureCheck",
    "Instance",
    "LevelRow",
    "Moment",
    "Opening",
    "OptionCheck",
    "OptionState",
    "OverTime",
    "Rollout",
    "ServiceFinding",
    "ServiceLog",
    "ServiceOptions",
    "ShareOverTime",
    "StallKind",
    "StatsDump",
    "Sure",
    "TraceAsked",
    "TraceProfile",
    "Traffic",
    "Trend",
    "Try",
    "Unread",
    "WalStats",
    "Written",
    "canary_card",
    "canary_json",
    "changes_of",
    "check_rollout",
    "compare_canaries",
    "defaults_of",
    "diagnosis_card",
    "diagnosis_json",
    "diagnosis_page",
    "differences_of",
    "findings_of",
    "read_service",
    "read_service_files",
    "read_trace",
    "resembling_experiment",
    "rollout_card",
    "rollout_json",
    "trace_experiment",
    "trends_of",
]
