"""Executors: where runs happen. The local one runs them here, one at a time on the whole host."""

from lsmtune.executors._abilities import host_abilities
from lsmtune.executors._base import Executor, Limits, Progress, Watcher
from lsmtune.executors._clone import clone_database
from lsmtune.executors._host import host_facts
from lsmtune.executors._local import LocalExecutor
from lsmtune.executors._lock import HostLock
from lsmtune.executors._process import run_process
from lsmtune.executors._resources import ResourceLimits

__all__ = [
    "Executor",
    "HostLock",
    "Limits",
    "LocalExecutor",
    "Progress",
    "ResourceLimits",
    "Watcher",
    "clone_database",
    "host_abilities",
    "host_facts",
    "run_process",
]
