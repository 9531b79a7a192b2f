"""An option of an engine, as the catalogue describes it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lsmtune.errors import OptionError
from lsmtune.model import Value

SECTIONS = ("DB", "CF", "Table", "tool")
_VERSION = re.compile(r"\d+(\.\d+)*")


class Kind(StrEnum):
    """Type of an option's value."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    CHOICE = "choice"


class Mutability(StrEnum):
    """How a changed value reaches a running database."""

    ONLINE = "online"
    """By SetOptions or SetDBOptions, without a restart."""
    RESTART = "restart"
    """When the database is opened again."""


class Format(StrEnum):
    """What of the data on disk depends on the option."""

    NONE = "none"
    """Nothing: loaded data can be shared between values."""
    TREE = "tree"
    """The shape of the tree: shared data has to settle under the new value before it is measured."""
    FILES = "files"
    """The content of files: data has to be loaded anew for each value."""


@dataclass(frozen=True)
class Option:
    """An option: where it lives, what it takes, what it costs.

    Attributes:
        name: lsmtune's name: the db_bench flag where there is one, else the OPTIONS key.
        flag: db_bench flag; None where only an OPTIONS file can set it.
        key: OPTIONS key, a dot reaching into a nested value (``compression_opts.level``); None where it is never
            written to OPTIONS files.
        section: ``"DB"``, ``"CF"``, ``"Table"`` of the OPTIONS file, or ``"tool"`` for what only db_bench knows.
        kind: see `Kind`.
        unit: ``"B"``, ``"B/s"``, ``"files"``, ... or ``""``.
        db_bench_default, library_default: value by the first version (``"7.8"``) that has it, at full size.
        low, high: sensible range for a search, at full size; None for bools and choices, and for a number that a
            search must leave alone (`searchable` is then false). A default outside the range is a special value.
        log: search on a logarithmic axis.
        choices: the values of a CHOICE.
        only_if_named: choices that a search leaves out unless the user lists them.
        choices_since: first version of each choice that came later than the oldest that lsmtune runs, 6.2.
        flag_values, key_values: spelling of a value as flag and in an OPTIONS file, where not the value itself.
        special: values outside the range that a search tries as well, with their meaning (``{0: "off"}``).
        scaled: shrinks with the scale.
        floor: least value that the engine takes after scaling; None where there is none.
        condition: option names with the values for which this option has an effect, all of them together.
        also_if: the same of other options, each of which gives it an effect by itself, whatever the condition says.
        condition_since: first version in which a value there counts, where that is not the oldest.
        constraint: relation to other options in words; empty where there is none.
        mutability, format: see the types.
        online_since: first version that changes it online, where that is not all of them; older ones need a restart.
        since: first version that has it (``"7.8"`` where older), until: first version without it, or None.
        summary, price: a sentence each: what it is; what more and less of it costs.

    Raises:
        OptionError: the fields contradict one another; the message names the option.
    """

    name: str
    flag: str | None
    key: str | None
    section: str
    kind: Kind
    unit: str
    db_bench_default: Mapping[str, Value]
    library_default: Mapping[str, Value]
    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[str, ...] = ()
    only_if_named: tuple[str, ...] = ()
    choices_since: Mapping[str, str] = field(default_factory=dict)
    flag_values: Mapping[str, str] = field(default_factory=dict)
    key_values: Mapping[str, str] = field(default_factory=dict)
    special: Mapping[Value, str] = field(default_factory=dict)
    scaled: bool = False
    floor: int | None = None
    condition: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    also_if: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    condition_since: Mapping[str, str] = field(default_factory=dict)
    constraint: str = ""
    mutability: Mutability = Mutability.RESTART
    online_since: str | None = None
    format: Format = Format.NONE
    since: str = "7.8"
    until: str | None = None
    summary: str = ""
    price: str = ""

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise OptionError(f"option {self.name!r}: {problem}; correct its entry in the catalogue")

    @property
    def searchable(self) -> bool:
        """Whether a search can draw values: a bool, a choice, or a number with a range."""
        return self.kind in (Kind.BOOL, Kind.CHOICE) or self.low is not None

    @property
    def usual_choices(self) -> tuple[str, ...]:
        """The choices that a search tries by itself."""
        return tuple(choice for choice in self.choices if choice not in self.only_if_named)

    def takes(self, value: Value) -> bool:
        """Return whether `value` has the type of this option and, for a choice, is one of its values."""
        if self.kind is Kind.BOOL:
            return isinstance(value, bool)
        if self.kind is Kind.CHOICE:
            return value in self.choices
        if self.kind is Kind.INT:
            return isinstance(value, int) and not isinstance(value, bool)
        return isinstance(value, int | float) and not isinstance(value, bool)

    def works_if(self, mark: Callable[[str], str] = str) -> str:
        """Return for which values of others it has an effect, in words; empty where it always has one.

        `mark` sets names and values apart from the words between them.
        """
        together = " and ".join(self._needed(self.condition, mark))
        return ", or if ".join((together, *self._needed(self.also_if, mark))) if together else ""

    def _needed(self, others: Mapping[str, tuple[Value, ...]], mark: Callable[[str], str]) -> Iterator[str]:
        since = {value: f" (since {first})" for value, first in self.condition_since.items()}
        for name, values in others.items():
            texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
            yield f"{mark(name)} is {' or '.join(mark(text) + since.get(text, '') for text in texts)}"

    def _problems(self) -> Iterator[str]:
        if not self.name.isidentifier():
            yield "its name is not an identifier"
        if self.section not in SECTIONS:
            yield f"its section {self.section!r} is none of {', '.join(SECTIONS)}"
        if self.flag is None and self.key is None:
            yield "it has neither a flag nor a key, so nothing can set it"
        for version in (self.since, self.until, self.online_since, *self.db_bench_default, *self.library_default):
            if version is not None and not _VERSION.fullmatch(version):
                yield f"{version!r} is not a version"
        if self.online_since is not None and self.mutability is Mutability.RESTART:
            yield f"it needs a restart, and is changed online since {self.online_since}"
        yield from self._problems_of_range()
        yield from self._problems_of_values()

    def _problems_of_range(self) -> Iterator[str]:
        number = self.kind in (Kind.INT, Kind.FLOAT)
        if (self.low is None) != (self.high is None):
            yield "low and high must be given together"
        if self.low is None or self.high is None:
            if self.log or (self.scaled and not number):
                yield "log and scaled need a number with a range"
            return
        if not number:
            yield f"a {self.kind} has no range"
        if self.low > self.high:
            yield f"low {self.low:g} is above high {self.high:g}"
        if self.log and self.low <= 0:
            yield f"low {self.low:g} cannot lie on a logarithmic axis"

    def _problems_of_values(self) -> Iterator[str]:
        if (self.kind is Kind.CHOICE) != bool(self.choices):
            yield "choices belong to the kind choice, which needs them"
        for value in (*self.db_bench_default.values(), *self.library_default.values(), *self.special):
            if not self.takes(value):
                yield f"it cannot take its default or special value {value!r}"
        for spelled in (*self.flag_values, *self.key_values, *self.only_if_named, *self.choices_since):
            if spelled not in self.choices:
                yield f"{spelled!r} is described but is not among its choices"
