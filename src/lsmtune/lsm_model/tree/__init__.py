"""A model of an LSM tree under writes, event by event, with the engine's own rules.

`run_phases` says what phases of writes come to: write amplification, space, times, stalls. Files are known by their
ranges and by how many keys of each class they hold; nothing is measured, no key is named. RocksDB's leveled, universal
and FIFO compaction and its blob files are described, and LevelDB. What is left out: key ranges that are not alike
(sequential and random writes at once), snapshots, TTL but for FIFO, periodic compaction, compactions for the sake of
seeks, several column families, and what a device does beyond its bandwidth.
"""

from lsmtune.lsm_model.tree._costs import Costs, Step
from lsmtune.lsm_model.tree._forecast import Outcome, run_phases, sustained_rate
from lsmtune.lsm_model.tree._held import held_bytes
from lsmtune.lsm_model.tree._lookups import ReadOutcome, lookup_blocks, run_reads
from lsmtune.lsm_model.tree._plan import Machine, models
from lsmtune.lsm_model.tree._reads import Popularity, Reads
from lsmtune.lsm_model.tree._writes import Fifo, Order, Rules, Writes

__all__ = [
    "Costs",
    "Fifo",
    "Machine",
    "Order",
    "Outcome",
    "Popularity",
    "ReadOutcome",
    "Reads",
    "Rules",
    "Step",
    "Writes",
    "held_bytes",
    "lookup_blocks",
    "models",
    "run_phases",
    "run_reads",
    "sustained_rate",
]
