"""What lsmtune decides itself of what the driver is told."""

SET_BY_LSMTUNE = {
    "recordcount": "workload.num",
    "operationcount": "workload.operations",
    "threadcount": "workload.threads",
    "maxexecutiontime": "workload.duration",
    "lsmtune.duration_s": "workload.duration",
    "lsmtune.value_compressibility": "workload.compression_ratio",
    "lsmtune.disable_wal": "workload.disable_wal",
    "lsmtune.statistics": "workload.statistics",
    "lsmtune.seed": "search.seed",
    "lsmtune.phases": "workload.benchmarks",
    "lsmtune.interval_s": "",
    "lsmtune.warmup_s": "",
}
"""Properties that lsmtune passes itself, with the key that decides them."""
