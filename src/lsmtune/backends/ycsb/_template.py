"""The commented experiment file for LevelDB, driven by lsmtune-ycsb."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.backends._needs import Needs
from lsmtune.backends._toml import toml_text

_TEMPLATE = """\
# An experiment of lsmtune. Run it with: lsmtune tune THIS_FILE
# Sizes, times and counts are written like "64MiB", "20m" and "2M". Lines that begin with "# " and a key show what else
# can be said. LevelDB runs at full size only: the sizes of its levels are compiled in.

[engine]
name = "leveldb"                    # {version} was found
# driver = "/path/to/lsmtune-ycsb"  # left out, the one in PATH, else the one that lsmtune build driver built

[workload]                          # what the driver is asked to do; it stays the same while options are tuned
tool = "ycsb"                       # "db_bench" is LevelDB's own benchmark, with other phases
{phases}
num = {num:<29} # records; many times the memtables, so that there is something to compact
operations = "200k"                 # of each phase after the load; left out, num
threads = 1                         # this machine has {cores} processors
# duration = "10s"                  # length of each phase after the load, in place of operations
settle = "wait"                     # "wait" lets compactions finish before sizes are read
# compression_ratio = 0.5           # share of a value that remains when compressed; left out, YCSB's random bytes

[workload.properties]               # YCSB's own properties, for all phases
fieldcount = 10
fieldlength = 100
# target = 20000                    # operations/s; latencies then count from when an operation should have begun

# [workload.phases.mine]            # a phase of your own, to be named in benchmarks
# readproportion = 0.8
# updateproportion = 0.2
# requestdistribution = "zipfian"

[space]
preset = {preset:<26} # "write-heavy", "read-heavy", "balanced" or "all"
# exclude = ["compression"]

[space.fixed]                       # set, and not searched; under [engine.options] a value may be searched too
cache_size = "8MiB"                 # the block cache that your program has; LevelDB's default is 8 MiB

# [objective]                       # weights; left out, the throughput of each phase counts the same
# throughput_ops_s = 1.0            # of the last phase
# "throughput_ops_s@load" = 0.5

[guards]                            # how much worse than the reference an indicator may get, or a limit
{guards}

[budget]                            # what comes first
time = {time}
# runs = 100
"""


USUAL_NEEDS = Needs("mixed", 300 << 20)
"""LevelDB runs at full size, so that a run has less data."""

_RECORD_BYTES = 1024
_FACTORS: Mapping[str, str] = MappingProxyType(
    {
        "space": "1.10x",
        "memory": "1.10x  # so that larger memtables have their price",
        "latency": '1.10x  # of the last phase; or a limit: "<= 5ms"',
        "wear": "1.10x",
    }
)
_PHASES: Mapping[str, str] = MappingProxyType(
    {
        "writes": """\
benchmarks = "load"                 # phases in order: load, YCSB's core workloads a to f, or your own""",
        "reads": """\
load = "load"                       # builds the data once; runs begin with a copy of it
benchmarks = "c"                    # phases in order: YCSB's core workloads a to f, or your own; c only reads""",
        "mixed": """\
benchmarks = ["load", "a", "b", "d"]   # phases in order: load, YCSB's core workloads a to f, or your own
# load = "load"                     # instead of a measured load: builds the data once, and runs begin with a copy""",
    }
)
_PRESETS: Mapping[str, str] = MappingProxyType({"writes": "write-heavy", "reads": "read-heavy", "mixed": "balanced"})


def commented_leveldb_experiment(build_version: str, cores: int, needs: Needs | None = None) -> str:
    """Return a commented experiment file for LevelDB, driven by lsmtune-ycsb.

    Args:
        build_version: version of LevelDB that the driver was built with.
        cores: processors that may be used.
        needs: what the user answered; left out, `USUAL_NEEDS`.
    """
    wanted = needs or USUAL_NEEDS
    return _TEMPLATE.format(
        version=build_version,
        cores=cores,
        phases=_PHASES[wanted.work],
        num=toml_text(wanted.num(_RECORD_BYTES)),
        preset=toml_text(_PRESETS[wanted.work]),
        guards=wanted.guards(_FACTORS),
        time=toml_text(wanted.time),
    )
