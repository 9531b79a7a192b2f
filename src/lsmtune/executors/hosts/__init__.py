"""Runs on other hosts: what carries them there, what a host does with them, and who may do so.

Nothing outside `_dask` and `_serve` knows what carries them.
"""

from lsmtune.executors.hosts._executor import HostsExecutor
from lsmtune.executors.hosts._journal import Journal
from lsmtune.executors.hosts._scheduler import HostSeen, Kept, Recipe, Scheduler, Task
from lsmtune.executors.hosts._security import KEYS, Keys, default_keys
from lsmtune.executors.hosts._site import Site, SiteSettings
from lsmtune.executors.hosts._waiting import Wait, unheard

__all__ = [
    "KEYS",
    "HostSeen",
    "HostsExecutor",
    "Journal",
    "Kept",
    "Keys",
    "Recipe",
    "Scheduler",
    "Site",
    "SiteSettings",
    "Task",
    "Wait",
    "default_keys",
    "unheard",
]
