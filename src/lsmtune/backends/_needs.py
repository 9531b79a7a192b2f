"""What somebody who begins needs of an engine, in the few answers that a first experiment file follows from."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lsmtune.errors import UsageError
from lsmtune.units import format_bytes, parse_seconds

WORKS = ("writes", "reads", "mixed")
"""What is made faster."""

KEPT: Mapping[str, str] = MappingProxyType(
    {"space": "space_bytes", "memory": "memory_peak_bytes", "latency": "latency_p99_s", "wear": "waf"}
)
"""What must not get worse, each with the indicator that a guard holds; wear is how much the disk is written."""

_LEAST_BYTES, _MOST_BYTES = 64 << 20, 64 << 40


@dataclass(frozen=True)
class Needs:
    """What a first experiment is about; the commented file says the rest.

    Attributes:
        work: of `WORKS`.
        size_bytes: size of the data at full size, before compression.
        kept: of `KEPT`.
        time: how long the tuning may take, like ``"30m"``.

    Raises:
        UsageError: one of them cannot be.
        QuantityError: the time cannot be read.
    """

    work: str = "writes"
    size_bytes: int = 64 << 30
    kept: tuple[str, ...] = ("space", "memory")
    time: str = "30m"

    def __post_init__(self) -> None:
        if self.work not in WORKS:
            raise UsageError(f'"{self.work}" is none of {", ".join(WORKS)}; write one of them')
        for name in self.kept:
            if name not in KEPT:
                raise UsageError(f'"{name}" is none of {", ".join(KEPT)}; write those that count, or none')
        if not _LEAST_BYTES <= self.size_bytes <= _MOST_BYTES:
            raise UsageError(
                f"{format_bytes(self.size_bytes)} of data is not between {format_bytes(_LEAST_BYTES)} and "
                f"{format_bytes(_MOST_BYTES)}; write it like 64GiB"
            )
        if parse_seconds(self.time) <= 0:
            raise UsageError(f'"{self.time}" is no time to tune in; write it like 30m')

    def num(self, pair_bytes: int) -> str:
        """Return how many pairs of so many bytes the data has, with two digits, as an experiment file says it."""
        count = self.size_bytes // pair_bytes
        digits = max(0, len(str(count)) - 2)
        cut = count // 10**digits * 10**digits
        unit, each = next(((unit, each) for unit, each in (("M", 10**6), ("k", 10**3)) if cut >= each), ("", 1))
        return f"{cut / each:g}{unit}"

    def guards(self, factors: Mapping[str, str]) -> str:
        """Return the lines of a table [guards]: those that are kept, and the others as comments.

        Args:
            factors: for each of `KEPT` how much worse it may get, with a comment or without.
        """
        lines = []
        for name, factor in factors.items():
            said, _, remark = factor.partition("  # ")
            line = f'{KEPT[name]} = "{said}"'
            line = line if name in self.kept else f"# {line}"
            lines.append(f"{line:<35} # {remark}" if remark else line)
        return "\n".join(lines)
