"""The facts of the machine that a run was made on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HostFacts:
    """The facts of a machine that decide whether two runs can be compared.

    Attributes:
        name: host name.
        fingerprint: 16 hex digits over machine id, processor, cores and memory.
        processor: model name of the processor.
        cores: processors that this process may use.
        memory_bytes: memory of the machine, or of the control group if that is less.
        kernel: kernel release.
        filesystem: type of the filesystem that holds the data.
        disk_free_bytes: free space there.
        processor_cache_bytes: the last-level cache that a core reaches; None where the kernel does not say, or for a
            study that was made before it was kept.
        readahead_bytes: what the kernel reads around a page that is missing in the page cache, of files in memory maps
            or read in order; None as above, and where several devices hold the data.
    """

    name: str
    fingerprint: str
    processor: str
    cores: int
    memory_bytes: int
    kernel: str
    filesystem: str
    disk_free_bytes: int
    processor_cache_bytes: int | None = None
    readahead_bytes: int | None = None


@dataclass(frozen=True)
class Ability:
    """Something that a host lets runs be held to, or not.

    Attributes:
        name: what is held, in words.
        how: what holds it; empty where nothing does.
        trouble: why nothing does, as a clause; empty where something does.
    """

    name: str
    how: str
    trouble: str = ""
