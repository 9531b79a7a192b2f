"""The commented experiment file for RocksDB's db_bench."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from lsmtune.backends._needs import Needs
from lsmtune.backends._toml import toml_text

_ENGINE = """\
[engine]
name = "rocksdb"                    # db_bench {version} was found
{db_bench}
# options_file = "OPTIONS-000007"   # your own configuration; relative to this file
reference = "db_bench"              # gains are measured against: "db_bench", "rocksdb" or "options_file"
# [engine.options]                  # what your program sets and that file cannot hold, or "default" for the engine's
# cache_size = "512MiB"
# cache_type = "lru_cache"
"""

_TEMPLATE = """\
# An experiment of lsmtune. Run it with: lsmtune tune THIS_FILE
# Sizes, times and counts are written like "64MiB", "20m" and "64M". Lines that begin with "# " and a key show
# what else can be said. All values are at full size; the scale shrinks data and options together.

scale = {scale:<27} # 1 measures at full size; smaller runs are shorter and say less about tails
# constraints = ["write_buffer_size * max_write_buffer_number + cache_size <= 1 GiB"]

{engine}
[workload]                          # what db_bench is asked to do; it stays the same while options are tuned
{phases}
num = {num:<29} # keys at full size; many times the memtables, so that levels are compacted
key_size = 16
value_size = "1KiB"
threads = {threads}                         # this machine has {cores} processors
{duration}                  # length of timed phases; left out, phases run their operation count
# operations = "1M"                 # operations at full size where they are not num
compression_ratio = 0.5             # share of a value that remains when compressed
disable_wal = false
settle = "wait"                     # "wait" lets compactions finish before results are read, "none" does not
statistics = true                   # the engine's counters; they cost 5 to 10 % of the throughput

# [workload.flags]                  # further db_bench flags that describe the workload
# mix_get_ratio = 0.9

[space]
preset = {preset:<26} # "write-heavy", "read-heavy", "balanced" or "all"
# options = ["block_size"]          # in addition to the preset
exclude = {exclude}

# [space.ranges]                    # other ranges than the catalogue's
# write_buffer_size = {{ low = "16MiB", high = "256MiB", log = true }}
# compression_type = {{ values = ["none", "lz4", "zstd"] }}

{fixed}

[objective]                         # weights; left out, the throughput
{objective}
# waf = 0.5

[guards]                            # how much worse than the reference an indicator may get, or a limit
{guards}

[budget]                            # what comes first
time = {time}
# runs = 100

[search]
sampler = "agp"                     # "steps": the list under [[steps]]; the others: docs/reference/samplers.md
seed = 1
anchor_every = 5                    # of so many runs of the search, one repeats the reference
cap = 3.0                           # a run that takes this many times the reference's time is stopped
noise_runs = 5                      # repeats of the reference: three at the start, the rest among the first trials
finalists = 3                       # configurations that are verified with fresh runs
# pareto = true                     # the result is a front between the 2 to 4 indicators of the objective
interest = 0.03                     # smallest gain worth having

# [verify]
# scales = ["1/4"]                  # larger ones than the scale above: what was chosen is verified there again
# share = 0.3                       # part of the budget that this may take
# shrink = "data"                   # there the data alone is smaller than in production; left out, the tree with it

[host]
# scratch = "/var/tmp"              # where data is put; left out, the study folder's scratch
min_free = "2GiB"                   # no run starts with less free disk
max_disk = "20GiB"                  # a run that takes more is stopped
# memory = "64GiB"                  # of production's host: a run gets its scale's share, the page cache included
# disturbed = "use"                 # use runs that others disturb at once; left out, they are made again first
"""


_NOT_FIXED = """\
# [space.fixed]                     # set, and not searched
# bloom_bits = 10"""
_FIXED_CACHE = """\
[space.fixed]                       # set, and not searched
cache_size = "512MiB"               # the block cache that your program has
# bloom_bits = 10"""
_PAIR_BYTES = 16 + 1024
_SCALED_BYTES = 1 << 30
"""Data of a run that takes seconds and not minutes."""

_FACTORS: Mapping[str, str] = MappingProxyType(
    {
        "space": "1.10x",
        "memory": "1.50x  # memory at full size, as lsmtune memory computes it",
        "latency": '1.10x  # or a limit: "<= 5ms"',
        "wear": "1.10x",
    }
)
_PHASES: Mapping[str, str] = MappingProxyType(
    {
        "writes": """\
benchmarks = "fillrandom"           # measured phases in db_bench's names, in order
# load = "fillseq"                  # builds the data once; needed by workloads that read
# measure = "fillrandom"            # the phase that counts; left out, the last one that measures something""",
        "reads": """\
load = "fillrandom"                 # builds the data once, settled; runs begin with a copy of it
benchmarks = "readrandom"           # measured phases in db_bench's names, in order; here look-ups of keys
# measure = "readrandom"            # the phase that counts; left out, the last one that measures something""",
        "mixed": """\
load = "fillrandom"                 # builds the data once, settled; runs begin with a copy of it
benchmarks = "readwhilewriting"     # look-ups while one more thread, which is not counted, writes
# measure = "readwhilewriting"      # the phase that counts; left out, the last one that measures something""",
    }
)
_PRESETS: Mapping[str, str] = MappingProxyType({"writes": "write-heavy", "reads": "read-heavy", "mixed": "balanced"})
_DEPEND_ON_THE_DISK = ("mmap_read", "use_direct_reads")


def commented_experiment(
    build_version: str,
    cores: int,
    needs: Needs | None = None,
    *,
    db_bench: Path | None = None,
    exclude: tuple[str, ...] = (),
) -> str:
    """Return a commented experiment file for what was found on this machine.

    Args:
        build_version: version of the db_bench that was found, for example ``"7.8.3"``.
        cores: processors that may be used; one is left to flushes and compactions.
        needs: what the user answered; left out, `Needs()`.
        db_bench: path to write where the user named one.
        exclude: options of the preset that the build cannot take.
    """
    path = '# db_bench = "/path/to/db_bench"   # left out, the newest of lsmtune build rocksdb, else the one in PATH'
    if db_bench is not None:
        path = f"db_bench = {toml_text(str(db_bench))}"
    wanted = needs or Needs()
    reads = wanted.work != "writes"
    halvings = max(0, (wanted.size_bytes - 1) // _SCALED_BYTES).bit_length()
    left_out = (*exclude, *(name for name in _DEPEND_ON_THE_DISK if wanted.work == "reads" and name not in exclude))
    return _TEMPLATE.format(
        engine=_ENGINE.format(version=build_version, db_bench=path),
        threads=max(1, min(cores - 1, 4)),
        cores=cores,
        exclude=f"[{', '.join(toml_text(name) for name in left_out)}]",
        scale=f'"1/{2**halvings}"' if halvings else "1",
        phases=_PHASES[wanted.work],
        num=toml_text(wanted.num(_PAIR_BYTES)),
        duration='duration = "10s"  ' if reads else '# duration = "10s"',
        preset=toml_text(_PRESETS[wanted.work]),
        fixed=_FIXED_CACHE if reads else _NOT_FIXED,
        objective="throughput_ops_s = 1.0" if reads else "throughput_settled_ops_s = 1.0",
        guards=wanted.guards(_FACTORS),
        time=toml_text(wanted.time),
    )
