"""What a file of properties says that describes a workload, and the options of an engine beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lsmtune.model import Value


@dataclass(frozen=True)
class PropertyFile:
    """What a property file says.

    Attributes:
        properties: of the workload, as the tool spells them.
        options: of the engine, by the catalogue's names, in base units at full size.
        passed_over: names that mean nothing here, and those that lsmtune decides.
        problems: sentences ``file:line: ...``.
    """

    properties: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Value] = field(default_factory=dict)
    passed_over: Sequence[str] = ()
    problems: Sequence[str] = ()


def joined(files: Sequence[PropertyFile]) -> PropertyFile:
    """Return what several files say together; the later one wins."""

    def names() -> Iterator[str]:
        for file in files:
            yield from file.passed_over

    return PropertyFile(
        {name: value for file in files for name, value in file.properties.items()},
        {name: value for file in files for name, value in file.options.items()},
        tuple(dict.fromkeys(names())),
        tuple(problem for file in files for problem in file.problems),
    )
