"""lsmtune-ycsb, lsmtune's own driver for the workloads of YCSB: commands, output, measurements."""

from lsmtune.backends.ycsb._bench import YcsbBench
from lsmtune.backends.ycsb._command import Command, CommandBuilder
from lsmtune.backends.ycsb._core import CORE_WORKLOADS
from lsmtune.backends.ycsb._driver import ENVIRONMENT_VARIABLE, OUTPUT_FORMAT, discover_driver, find_driver
from lsmtune.backends.ycsb._options import OptionWriter
from lsmtune.backends.ycsb._phases import LOAD, SETTLE, phases_of
from lsmtune.backends.ycsb._property_file import read_property_file
from lsmtune.backends.ycsb._records import record_bytes
from lsmtune.backends.ycsb._series import held_rates, timed_series
from lsmtune.backends.ycsb._template import commented_leveldb_experiment
from lsmtune.backends.ycsb._unsupported import unsupported

__all__ = [
    "CORE_WORKLOADS",
    "ENVIRONMENT_VARIABLE",
    "LOAD",
    "OUTPUT_FORMAT",
    "SETTLE",
    "Command",
    "CommandBuilder",
    "OptionWriter",
    "YcsbBench",
    "commented_leveldb_experiment",
    "discover_driver",
    "find_driver",
    "held_rates",
    "phases_of",
    "read_property_file",
    "record_bytes",
    "timed_series",
    "unsupported",
]
