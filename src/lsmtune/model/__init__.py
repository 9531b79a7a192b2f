"""Frozen values that every layer speaks in: configurations, workloads, runs, measurements, hosts, builds."""

from lsmtune.model._build import EngineBuild
from lsmtune.model._configuration import Configuration, Value
from lsmtune.model._host import HostFacts
from lsmtune.model._measurement import Measurement, Outcome, Overridden, Status
from lsmtune.model._run import WHOLE, Purpose, Run
from lsmtune.model._workload import WORKLOAD_AXES, Settle, Tool, Workload

__all__ = [
    "WHOLE",
    "WORKLOAD_AXES",
    "Configuration",
    "EngineBuild",
    "HostFacts",
    "Measurement",
    "Outcome",
    "Overridden",
    "Purpose",
    "Run",
    "Settle",
    "Status",
    "Tool",
    "Value",
    "Workload",
]
