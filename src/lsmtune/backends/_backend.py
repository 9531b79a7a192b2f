"""What a tool has to offer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

from lsmtune.backends._base import Bench
from lsmtune.errors import EngineError
from lsmtune.model import Configuration, EngineBuild, Timeline, Value, Workload
from lsmtune.space import Catalogue, Option


class Backend(ABC):
    """All that differs between tools, in one place; it keeps no state."""

    formats: ClassVar[tuple[str, ...]] = ("json",)
    """Names of the exports that can hold its options, the one that suits it best first."""

    optimised: ClassVar[str] = ""
    """What builds an engine without assertions, such as ``make rocksdb builds one``; empty where nothing does."""

    same_data: ClassVar[bool] = False
    """Whether it makes the same data in each run, whatever the seed."""

    draws_by_seed: ClassVar[bool] = False
    """Whether operations are drawn by the seed alone, so that equal seeds repeat them, and 0 stands for the clock."""

    rest: ClassVar[str] = ""
    """What an OPTIONS file holds that it writes, beside the configuration, in words."""

    has_workload: ClassVar[bool] = True
    """Whether its experiments say what is asked of an engine; a command of the user's own asks what it likes."""

    @abstractmethod
    def name(self, build: EngineBuild) -> str:
        """Return what the program is called in sentences, without its version."""

    def spelled(
        self,
        build: EngineBuild,
        known: Catalogue,
        configuration: Configuration,
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return a configuration at full size as the program takes it: the text of an OPTIONS file, if any, arguments.

        Raises:
            EngineError: the engine has no OPTIONS files.
        """
        raise EngineError(f"{self.name(build)} takes no OPTIONS file; choose one of {', '.join(self.formats)}")

    def timeline(self, log: list[str]) -> Timeline | None:
        """Return the lines of the engine's LOG as a time line; None where none of them has a time."""
        return None

    @abstractmethod
    def find(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Find the tool and find out what engine it drives.

        Args:
            engine: ``"rocksdb"`` or ``"leveldb"``.
            path: the program that the user named; None looks for one.
            origin: where the user named it, for messages.

        Raises:
            EngineError: there is no such program, or it does not drive the engine.
        """

    @abstractmethod
    def unsupported(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options of the catalogue that cannot be set with this build."""

    @abstractmethod
    def defaults(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the value of each option in a run that sets none, at full size."""

    @abstractmethod
    def baselines(self, build: EngineBuild, known: Catalogue) -> Mapping[str, Mapping[str, Value]]:
        """Return the starting points by name, each as what it sets; the first one sets nothing."""

    @abstractmethod
    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench that runs a workload at a scale."""
