"""What goes wrong on one of many hosts is told with the name of that host."""

from collections.abc import Callable
from typing import Any

import pytest
from hosts_builders import RECIPE

from lsmtune.errors import RunError
from lsmtune.executors import Limits
from lsmtune.executors.hosts import Task
from lsmtune.executors.hosts._dask import DaskScheduler
from lsmtune.model import Configuration, Purpose, Run


class Refused:
    """A run that has ended with an error, as the client of dask tells it; it is its own client."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def submit(self, *_: Any, **__: Any) -> "Refused":
        return self

    def add_done_callback(self, hear: Callable[["Refused"], None]) -> None:
        hear(self)

    def result(self) -> None:
        raise self.error

    def release(self) -> None:
        """There is nothing to give back."""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RunError("the lock of this host, /x, is broken"), 'the host "lab-3": the lock of this host, /x, is broken$'),
        (ValueError("no"), r"the host lab-3 could not make a run \(ValueError: no\); see what its worker printed"),
    ],
)
def test_an_error_names_its_host(error: Exception, said: str) -> None:
    scheduler = DaskScheduler.__new__(DaskScheduler)  # without one that it would connect to
    scheduler._client, scheduler._workers = Refused(error), {"lab-3": "tcp://127.0.0.1:1"}
    run = Run(1, Purpose.TRIAL, "trial-1", None, Configuration(), 1, 1, host="lab-3")
    with pytest.raises(RunError, match=f"^{said}"):
        scheduler.submit("lab-3", Task("study.session.1", RECIPE, run, Limits())).result()
