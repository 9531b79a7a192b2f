"""What of this host the runs of an experiment may use, so that they have what production has, in proportion."""

from lsmtune.executors import ResourceLimits
from lsmtune.experiment import Experiment
from lsmtune.memory_model import DB_BENCH


def memory_of_run(experiment: Experiment) -> int | None:
    """Return the memory of a run at the scale, page cache included, in B; None where nothing is said of it.

    The scale's share of the memory of production's host, and on top what a process needs without data: that does not
    shrink, and would take the place of the page cache.
    """
    memory_bytes = experiment.host.memory_bytes
    return None if memory_bytes is None else round(memory_bytes * experiment.scale) + _process_bytes(experiment)


def resource_limits(experiment: Experiment) -> ResourceLimits | None:
    """Return what the measured processes of a run are held to; None where nothing holds them."""
    host = experiment.host
    is_held = host.cached_by == "cgroup" and host.memory_bytes is not None
    limits = ResourceLimits(
        memory_bytes=round((host.memory_bytes or 0) * experiment.scale) if is_held else None,
        process_bytes=_process_bytes(experiment) if is_held else 0,
        read_bytes_s=host.read_bandwidth_bytes_s,
        write_bytes_s=host.write_bandwidth_bytes_s,
        read_ops_s=host.read_iops,
        write_ops_s=host.write_iops,
    )
    return None if limits == ResourceLimits() else limits


def _process_bytes(experiment: Experiment) -> int:
    return DB_BENCH.bytes + experiment.workload().threads * DB_BENCH.thread_bytes
