"""What the tools of a study are called: their builds, and the starting points that they bring."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.backends.registry import backend_of, starting_points
from lsmtune.model import EngineBuild

_OWN: Mapping[str, str] = MappingProxyType(
    {
        "options_file": "your options file",
        "options": "your options",
        "middle": "the middle of the search space",
        "own": "your own values",
    }
)


def build_words(build: EngineBuild) -> str:
    """Describe a build: version, kind, path, compressors; of a command, where it runs."""
    return backend_of(build).described(build)


def reference_words(name: str) -> str:
    """Name a starting point in words."""
    return {**starting_points(), **_OWN}.get(name, f'"{name}"')
