"""Examples of each command, for its help."""

_EXAMPLES = {
    "diagnose": (
        "lsmtune diagnose /var/lib/service/rocksdb  # what runs, what happened, what is wrong",
        "lsmtune diagnose LOG LOG.old.17000000.gz --json  # all figures of some files",
        "lsmtune diagnose LOG --report page.html  # the same with pictures over time",
    ),
    "check": (
        "lsmtune check /var/lib/service/rocksdb --against studies/fill",
        "lsmtune check --canary /srv/a --canary /srv/b --control /srv/c --control /srv/d",
    ),
    "doctor": ("lsmtune doctor", "lsmtune doctor --hosts tls://lab-0:8786"),
    "init": (
        "lsmtune init  # experiment.toml; asks five questions",
        "lsmtune init reads.toml --work reads --size 200GiB --keep latency,space --time 1h",
        "lsmtune init leveldb.toml --engine leveldb",
        "lsmtune init service.toml --from /var/lib/service/rocksdb",
    ),
    "tune": (
        "lsmtune tune experiment.toml --budget 40m",
        "lsmtune tune experiment.toml --sampler steps  # the changes under [[steps]], in turn",
        "lsmtune tune experiment.toml --json --exit-code  # in a script",
    ),
    "compare": (
        "lsmtune compare experiment.toml --against ~/rocksdb/db_bench  # another build",
        "lsmtune compare experiment.toml  # what stands under [[compare]]",
    ),
    "sample": ('lsmtune sample experiment.toml --budget "100 runs"',),
    "sweep": ("lsmtune sweep experiment.toml  # the grid under [sweep]",),
    "analyze": ("lsmtune analyze studies/experiment --interactions", "lsmtune analyze runs.parquet --indicator waf"),
    "reproduce": (
        "lsmtune reproduce reproductions/jin2022/sound.toml  # with a table [reproduce]",
        "lsmtune reproduce runs.parquet  # shown again, nothing is run",
        "lsmtune reproduce runs.parquet --figures figures  # and the paper's figures 5 to 9",
    ),
    "bench-samplers": ("lsmtune bench-samplers runs.parquet --sampler agp --sampler random",),
    "show": (
        "lsmtune show studies/experiment  # also while it runs",
        "lsmtune show studies/experiment --trials 10",
    ),
    "report": ("lsmtune report studies/experiment --output report.html",),
    "timeline": (
        "lsmtune timeline studies/experiment --output timeline.svg",
        "lsmtune timeline studies/experiment 3 17",
    ),
    "watch": (
        "lsmtune watch studies/experiment  # opens nothing by itself: it prints an address",
        "lsmtune watch studies --readonly  # all studies there, also those that begin later",
    ),
    "export": (
        "lsmtune export studies/experiment --output OPTIONS.tuned",
        "lsmtune export studies/experiment --for kafka-streams",
    ),
    "build driver": ("lsmtune build driver", "lsmtune build driver --rocksdb 11.8.1  # after lsmtune build rocksdb"),
    "build rocksdb": ("lsmtune build rocksdb", "lsmtune build rocksdb --version 10.4.2 --jobs 1"),
    "build leveldb": ("lsmtune build leveldb",),
    "build model": ("lsmtune build model",),
    "hosts keys": ("lsmtune hosts keys ~/.config/lsmtune/keys",),
    "hosts scheduler": ("lsmtune hosts scheduler --listen tls://lab-0:8786",),
    "hosts worker": ("lsmtune hosts worker tls://lab-0:8786 --label nvme --scratch /data/lsmtune",),
    "hosts status": ("lsmtune hosts status tls://lab-0:8786",),
    "nni create": (
        "lsmtune nni create --config config.yml",
        "lsmtune nni create --config config.yml --scale 1/16  # smaller",
    ),
    "nni resume": ("lsmtune nni resume auto_rocksdb_TPE",),
    "nni stop": ("lsmtune nni stop auto_rocksdb_TPE",),
    "nni view": ("lsmtune nni view auto_rocksdb_TPE",),
    "nni experiment list": ("lsmtune nni experiment list",),
    "nni experiment export": ("lsmtune nni experiment export auto_rocksdb_TPE --filename trials.csv --type csv",),
    "import nni": ("lsmtune import nni config.yml --output experiment.toml",),
    "import trace": (
        "lsmtune import trace queries.trace --output service.toml",
        "lsmtune import trace queries.trace --num 50M --scan-length 20  # what no trace tells",
        "lsmtune import trace queries.trace --replay --output replay.toml",
    ),
    "memory": (
        "lsmtune memory /var/lib/service/rocksdb  # of what runs there",
        "lsmtune memory --set write_buffer_size=256MiB --set max_write_buffer_number=4",
        "lsmtune memory experiment.toml --stores 12",
    ),
    "calibrate": (
        "lsmtune calibrate  # about a minute, with nothing else running",
        "lsmtune calibrate --scratch /data --output host.toml  # to predict elsewhere",
    ),
    "predict": (
        "lsmtune predict experiment.toml  # its reference, at full size",
        "lsmtune predict experiment.toml --size 4TiB --set write_buffer_size=256MiB --rate 50k",
        "lsmtune predict experiment.toml --vary write_buffer_size",
    ),
    "options": ("lsmtune options", "lsmtune options write_buffer_size"),
    "help": ("lsmtune help  # lists the topics", "lsmtune help budget"),
    "schema": ("lsmtune schema > experiment.schema.json",),
}


def examples_of(command: str) -> str:
    """Return what stands below the help of a command; its lines are not wrapped.

    Raises:
        KeyError: the command has no example yet.
    """
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in _EXAMPLES[command])))
