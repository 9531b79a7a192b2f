"""Executors: where runs happen. The local one runs them here, one at a time on the whole host."""

from lsmtune.executors._base import Executor, Limits, Progress, Watcher
from lsmtune.executors._host import host_facts
from lsmtune.executors._local import LocalExecutor
from lsmtune.executors._lock import HostLock

__all__ = ["Executor", "HostLock", "Limits", "LocalExecutor", "Progress", "Watcher", "host_facts"]
