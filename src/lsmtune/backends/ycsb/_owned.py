"""What lsmtune decides itself of what the driver is told."""

SET_BY_LSMTUNE = {
    "recordcount": "workload.num",
    "operationcount": "workload.operations",
    "threadcount": "workload.threads",
    "maxexecutiontime": "workload.duration",
    "lsmtune.duration_s": "workload.duration",
    "lsmtune.value_compressibility": "workload.compression_ratio",
    "lsmtune.disable_wal": "workload.disable_wal",
    "lsmtune.reopen": "workload.reopen",
    "lsmtune.statistics": "workload.statistics",
    "lsmtune.seed": "search.seed",
    "lsmtune.phases": "workload.benchmarks",
    "lsmtune.max_rate.limit_s": "workload.max_rate.limit",
    "lsmtune.max_rate.percentile": "workload.max_rate.percentile",
    "lsmtune.max_rate.hold_s": "workload.max_rate.hold",
    "lsmtune.max_rate.precision": "workload.max_rate.precision",
    "lsmtune.max_rate.steps": "workload.max_rate.most",
    "lsmtune.interval_s": "",
    "lsmtune.warmup_s": "",
}
"""Properties that lsmtune passes itself, with the key that decides them."""
