"""Frozen values that every layer speaks in: configurations, workloads, runs with what they gave, hosts, builds."""

from lsmtune.model._address import PORT, SchedulerAddress
from lsmtune.model._build import EngineBuild
from lsmtune.model._configuration import Configuration, Value
from lsmtune.model._host import Ability, HostFacts
from lsmtune.model._measurement import RATE_BARS, Measurement, Outcome, Overridden, Status
from lsmtune.model._run import FRESH, HOST_BLOCKS, WHOLE, Purpose, Run
from lsmtune.model._study_kind import StudyKind
from lsmtune.model._timeline import HeldRate, Job, JobKind, Move, TimedSeries, Timeline, TreeState, WriteStall
from lsmtune.model._workload import FULL_SIZE_OPTIONS, WORKLOAD_AXES, MaxRate, Settle, Workload

__all__ = [
    "FRESH",
    "FULL_SIZE_OPTIONS",
    "HOST_BLOCKS",
    "PORT",
    "RATE_BARS",
    "WHOLE",
    "WORKLOAD_AXES",
    "Ability",
    "Configuration",
    "EngineBuild",
    "HeldRate",
    "HostFacts",
    "Job",
    "JobKind",
    "MaxRate",
    "Measurement",
    "Move",
    "Outcome",
    "Overridden",
    "Purpose",
    "Run",
    "SchedulerAddress",
    "Settle",
    "Status",
    "StudyKind",
    "TimedSeries",
    "Timeline",
    "TreeState",
    "Value",
    "Workload",
    "WriteStall",
]
