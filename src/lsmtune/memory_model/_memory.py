"""What a configuration needs: parts that add up, each with its formula."""

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class MemoryPart:
    """A part of the resident memory of a process.

    Attributes:
        name: what it is, for example ``"block cache"``.
        bytes: of one of `count`, in B; None where the workload does not say enough.
        formula: how it was calculated, in words with the numbers.
        source: where the rule is from.
        count: how many of it a process holds: 1, or the number of its stores.
    """

    name: str
    bytes: int | None
    formula: str
    source: str
    count: int = 1

    @property
    def total_bytes(self) -> int | None:
        """Bytes of all of them, in B; None where it is not known."""
        return None if self.bytes is None else self.bytes * self.count


@dataclass(frozen=True)
class Memory:
    """The resident memory that a process needs with a configuration, at its peak.

    Attributes:
        parts: what it is made of, those of no bytes left out; they add up.
        assumptions: what was not said and is taken for granted, in sentences.
        stores: how many databases the process has open.
    """

    parts: tuple[MemoryPart, ...]
    assumptions: tuple[str, ...] = ()
    stores: int = 1

    @cached_property
    def total_bytes(self) -> int:
        """All known parts together, in B."""
        return sum(part.total_bytes or 0 for part in self.parts)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """The names of the parts that are missing in the total."""
        return tuple(part.name for part in self.parts if part.bytes is None)

    @cached_property
    def by_name(self) -> dict[str, MemoryPart]:
        """The parts by their name."""
        return {part.name: part for part in self.parts}

    def share(self, part: MemoryPart) -> float | None:
        """Return the share of a part in the total, from 0 to 1; None where its bytes are not known."""
        whole = part.total_bytes
        return None if whole is None or not self.total_bytes else whole / self.total_bytes
