"""What the processes of a run took, and what its data depends on: the same for every tool."""

from collections.abc import Sequence

from lsmtune.benches._base import StepRecord
from lsmtune.model import Configuration
from lsmtune.space import Catalogue, Format


def process_indicators(records: Sequence[StepRecord]) -> dict[str, float | None]:
    """Return processor time, peak memory, bytes of the storage layer and wall time, over all processes of a run.

    The peak is what the executor sampled, for every tool: a driver that tells its own at the end says nothing of it
    where it is stopped, and db_bench never does.
    """
    peaks = [record.memory_peak_bytes for record in records if record.memory_peak_bytes is not None]
    read = [record.io_read_bytes for record in records]
    written = [record.io_written_bytes for record in records]
    return {
        "cpu_s": sum(record.cpu_s for record in records),
        "memory_peak_bytes": max(peaks) if peaks else None,
        "io_read_bytes": None if None in read else sum(each or 0 for each in read),
        "io_written_bytes": None if None in written else sum(each or 0 for each in written),
        "elapsed_s": records[-1].ended_at - records[0].started_at,
    }


def loaded_configuration(configuration: Configuration, catalogue: Catalogue) -> Configuration:
    """Return what of a configuration data on disk depends on: runs that differ in the rest can share a load."""
    shared = [name for name in configuration.values if catalogue.option(name).format is not Format.FILES]
    return configuration.without(shared)


def reshapes(configuration: Configuration, catalogue: Catalogue) -> bool:
    """Return whether loaded data has to settle into another shape of the tree."""
    return any(catalogue.option(name).format is Format.TREE for name in configuration.values)
