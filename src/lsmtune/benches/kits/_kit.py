"""What a tool has to offer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from lsmtune.benches._base import Bench
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.space import Catalogue, Option


class Kit(ABC):
    """All that differs between tools, in one place; it keeps no state."""

    @abstractmethod
    def build(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Find the tool and find out what engine it drives.

        Args:
            engine: ``"rocksdb"`` or ``"leveldb"``.
            path: the program that the user named; None looks for one.
            origin: where the user named it, for messages.

        Raises:
            EngineError: there is no such program, or it does not drive the engine.
        """

    @abstractmethod
    def lacking(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options of the catalogue that cannot be set with this build."""

    @abstractmethod
    def stock(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the value of each option in a run that sets none, at full size."""

    @abstractmethod
    def starts(self, build: EngineBuild, known: Catalogue) -> Mapping[str, Mapping[str, Value]]:
        """Return the starting points by name, each as what it sets; the first one sets nothing."""

    @abstractmethod
    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench that runs a workload at a scale."""
