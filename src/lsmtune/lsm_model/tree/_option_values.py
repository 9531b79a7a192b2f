"""Values of options, read with what stands where one is missing."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.model import Value


@dataclass(frozen=True)
class OptionValues:
    """Values of options by name, in base units; what is missing stands at the default of the engine's db_bench."""

    values: Mapping[str, Value]

    def number(self, name: str, usual: float) -> float:
        """Return an option as a number."""
        value = self.values.get(name)
        return usual if value is None else float(value)

    def word(self, name: str, usual: str) -> str:
        """Return an option as a text."""
        value = self.values.get(name)
        return usual if value is None else str(value)
