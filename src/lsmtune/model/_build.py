"""An engine build: an engine at a version, as found on this machine."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class EngineBuild:
    """An engine at a version, as found on this machine.

    Attributes:
        engine: ``"rocksdb"``.
        version: for example ``"7.8.3"``.
        path: the db_bench binary.
        fingerprint: 16 hex digits of the SHA-256 over the binary and the engine library that it loads; results of
            others are not comparable.
        assertions: whether the build checks assertions (slower, aborts on some bad input).
        compressors: names of the compressors that worked when tried.
        flags: flag names that the binary knows, with their default as printed by ``--help``.
    """

    engine: str
    version: str
    path: Path
    fingerprint: str
    assertions: bool
    compressors: tuple[str, ...]
    flags: tuple[tuple[str, str], ...]

    @property
    def version_tuple(self) -> tuple[int, ...]:
        """The version as numbers: ``"7.8.3"`` -> (7, 8, 3)."""
        return tuple(int(part) for part in self.version.split(".") if part.isdigit())
