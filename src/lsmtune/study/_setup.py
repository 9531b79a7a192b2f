"""What can be studied: an experiment on this machine, or a command of the user's own."""

from pathlib import Path
from typing import Protocol

from lsmtune.backends import Bench
from lsmtune.result import Rules
from lsmtune.store import StudyDescription
from lsmtune.study._budget import Budget
from lsmtune.study._runner import RunPolicy
from lsmtune.study.plans._search import SearchSettings


class Setup(Protocol):
    """All that a study needs to be opened, run and searched."""

    @property
    def name(self) -> str:
        """The name of the study."""
        ...

    @property
    def rules(self) -> Rules:
        """By what the study is judged."""
        ...

    @property
    def budget(self) -> Budget:
        """What may be spent where nobody says otherwise."""
        ...

    def introduction(self, folder: Path) -> list[str]:
        """Return what is about to happen in `folder`, and what is left out, in sentences."""
        ...

    def description(self, folder: Path) -> StudyDescription:
        """Return what the study in `folder` is about."""
        ...

    def scratch(self, folder: Path) -> Path:
        """Return the folder for the data of the runs of the study in `folder`; it is emptied at every start."""
        ...

    def bench(self) -> Bench:
        """Return the bench that makes the runs."""
        ...

    def policy(self, budget: Budget) -> RunPolicy:
        """Return how runs are made, under a budget."""
        ...

    def search_settings(self) -> SearchSettings:
        """Return how the search goes.

        Raises:
            SamplerError: a package that the sampler needs is missing.
        """
        ...
