"""What the processes of a run took, and what its data depends on: the same for every tool."""

import hashlib
import json
from collections.abc import Collection, Sequence

from lsmtune.backends._base import HaltKind, ProcessRecord
from lsmtune.lint import hung_engine
from lsmtune.model import Configuration
from lsmtune.space import Catalogue, Format


def process_indicators(records: Sequence[ProcessRecord]) -> dict[str, float | None]:
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


def cut_short(records: Sequence[ProcessRecord], consequence: str) -> tuple[str, ...]:
    """Return a line for each process that was ended because it hung, with what follows from that."""
    return tuple(
        str(hung_engine(record.process.name, record.stopped.reason, consequence))
        for record in records
        if record.stopped is not None and record.stopped.kind is HaltKind.HUNG
    )


def last_result(phases: Sequence[str], silent: Collection[str]) -> str:
    """Return the last phase that prints a result; the last of all where none does.

    Args:
        phases: of a process, in order.
        silent: those that print none.
    """
    return next((phase for phase in reversed(phases) if phase not in silent), phases[-1])


def data_name(*parts: object) -> str:
    """Return a name for loaded data: 16 hex digits over all that it depends on, which has to be JSON."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def loaded_configuration(configuration: Configuration, catalogue: Catalogue, *, settles: bool = True) -> Configuration:
    """Return what of a configuration data on disk depends on: runs that differ in the rest can share a load.

    Args:
        configuration: of a run.
        catalogue: of the engine.
        settles: whether loaded data takes another shape of the tree before it is measured; otherwise what shapes the
            tree has to be there when the data is loaded.
    """
    needed = (Format.FILES,) if settles else (Format.FILES, Format.TREE)
    shared = [name for name in configuration.values if catalogue.option(name).format not in needed]
    return configuration.without(shared)


def reshapes(configuration: Configuration, catalogue: Catalogue) -> bool:
    """Return whether loaded data has to settle into another shape of the tree."""
    return any(catalogue.option(name).format is Format.TREE for name in configuration.values)
