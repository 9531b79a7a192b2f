"""What of a host a run may use, and what it took of that."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class ResourceLimits:
    """What of a host a run may use; None limits nothing.

    Attributes:
        memory_bytes: memory of the run's processes and of the page cache that they fill, in B, at the scale of the
            study; of the part that grows and shrinks with the data.
        process_bytes: what a process needs however little data there is, in B; it comes on top.
        read_bytes_s, write_bytes_s: bandwidth of the disk of the run's data, in B/s.
        read_ops_s, write_ops_s: its requests in a second.
    """

    memory_bytes: int | None = None
    process_bytes: int = 0
    read_bytes_s: int | None = None
    write_bytes_s: int | None = None
    read_ops_s: int | None = None
    write_ops_s: int | None = None

    @property
    def limits_io(self) -> bool:
        """Whether the disk is limited."""
        return any(each is not None for each in (self.read_bytes_s, self.write_bytes_s, *self._requests))

    @property
    def _requests(self) -> tuple[int | None, int | None]:
        return self.read_ops_s, self.write_ops_s

    def memory_at(self, rung: Fraction) -> int | None:
        """Return the memory of a run with `rung` times the study's data, in B; None where it is not limited."""
        return None if self.memory_bytes is None else round(self.memory_bytes * rung) + self.process_bytes


@dataclass(frozen=True)
class Taken:
    """What a control group counted; None is what the host does not show.

    Attributes:
        memory_limit_bytes: that really held, as the kernel rounds it.
        memory_peak_bytes: most that processes and page cache had together.
        page_cache_bytes: in the page cache at the end.
        refaults: pages of files that were thrown out of the page cache and read again.
        oom_kills: processes that the kernel ended for want of memory.
        read_bytes, written_bytes: over the device, of all devices.
    """

    memory_limit_bytes: int | None = None
    memory_peak_bytes: int | None = None
    page_cache_bytes: int | None = None
    refaults: int | None = None
    oom_kills: int | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None

    @property
    def facts(self) -> dict[str, str]:
        """What is kept with a run, by name; what is not known is left out."""
        return {f"group_{name}": str(value) for name, value in vars(self).items() if value is not None}
