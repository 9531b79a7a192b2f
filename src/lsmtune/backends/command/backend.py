"""A command of the user's own: what is measured is whatever it does."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from lsmtune.backends._backend import Backend
from lsmtune.backends._base import Bench
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.space import Catalogue, Option

_NONE = "a command of yours is run by lsmtune nni alone, with the configuration that names it"


class CommandBackend(Backend):
    """Has parameters in place of options; `lsmtune.nni` finds and runs it."""

    title = "your command"
    program = "command"
    starting_points = MappingProxyType({})
    has_workload = False

    @property
    def shorter_runs(self) -> str:
        """The key of NNI's configuration, and less work."""
        return "raise maxTrialDuration in its configuration, or let a trial do less"

    def name(self, build: EngineBuild) -> str:
        """Return ``a command of yours``."""
        return "a command of yours"

    def described(self, build: EngineBuild) -> str:
        """Return where it runs, and the mark of its files."""
        return f"a command of yours, run in {build.path}; files {build.version}"

    def catalogue(self, engine: str) -> Catalogue:
        """Return no options."""
        return Catalogue(engine, {}, {})

    def find(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Refuse.

        Raises:
            EngineError: always.
        """
        raise EngineError(_NONE)

    def unsupported(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return nothing."""
        return ()

    def defaults(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return nothing."""
        return {}

    def baselines(self, build: EngineBuild, known: Catalogue) -> Mapping[str, Mapping[str, Value]]:
        """Return nothing."""
        return {}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Refuse.

        Raises:
            EngineError: always.
        """
        raise EngineError(_NONE)
