"""An engine build: an engine at a version, as found on this machine."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class EngineBuild:
    """An engine at a version, as found on this machine.

    Attributes:
        engine: its name, such as ``"rocksdb"``.
        version: for example ``"7.8.3"``.
        path: the program that drives it: db_bench, or lsmtune's own driver.
        fingerprint: 16 hex digits of the SHA-256 over the binary and the engine library that it loads; results of
            others are not comparable.
        assertions: whether the build checks assertions (slower, aborts on some bad input).
        compressors: names of the compressors that worked when tried.
        flags: flag names that a db_bench knows, with their default as printed by ``--help``.
        tool: the name of what kind of program `path` is; see `lsmtune.backends.registry`.
    """

    engine: str
    version: str
    path: Path
    fingerprint: str
    assertions: bool
    compressors: tuple[str, ...]
    flags: tuple[tuple[str, str], ...]
    tool: str = "db_bench"

    @property
    def version_tuple(self) -> tuple[int, ...]:
        """The version as numbers: ``"7.8.3"`` -> (7, 8, 3)."""
        return tuple(int(part) for part in self.version.split(".") if part.isdigit())
