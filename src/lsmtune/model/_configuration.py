"""A configuration: values for options, at full size."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

Value: TypeAlias = bool | int | float | str


@dataclass(frozen=True)
class Configuration:
    """What differs from a starting point: db_bench's defaults, or a user's OPTIONS file.

    Attributes:
        items: (option, value) pairs, sorted by option; sizes in bytes at full size (before the scale).
        options_file: text of the OPTIONS file that the configuration starts from, at full size;
            None where it starts from the defaults of db_bench.
    """

    items: tuple[tuple[str, Value], ...] = ()
    options_file: str | None = None

    @classmethod
    def of(cls, values: Mapping[str, Value], options_file: str | None = None) -> "Configuration":
        """Return the configuration with these values."""
        return cls(tuple(sorted(values.items())), options_file)

    @property
    def values(self) -> Mapping[str, Value]:
        """The values by option, read-only."""
        return MappingProxyType(dict(self.items))

    @property
    def key(self) -> str:
        """16 hex digits that are equal exactly for equal configurations; 1, 1.0 and True differ."""
        text = json.dumps([self.items, self.options_file], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def changed(self, values: Mapping[str, Value]) -> "Configuration":
        """Return this configuration with `values` set on top."""
        return Configuration.of({**self.values, **values}, self.options_file)

    def changes_from(self, start: "Configuration") -> dict[str, Value]:
        """Return the values that `start` does not have, by option."""
        before = start.values
        return {name: value for name, value in self.items if before.get(name) != value}

    def without(self, names: Iterable[str]) -> "Configuration":
        """Return this configuration with the options `names` back at the starting point."""
        dropped = frozenset(names)
        kept = {name: value for name, value in self.items if name not in dropped}
        return Configuration.of(kept, self.options_file)
