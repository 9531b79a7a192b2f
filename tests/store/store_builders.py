"""Builders that hide the set-up of store tests."""

from collections.abc import Mapping
from pathlib import Path

from lsmtune.model import (
    Configuration,
    EngineBuild,
    HostFacts,
    Measurement,
    Outcome,
    Overridden,
    Purpose,
    Run,
    Status,
)
from lsmtune.store import Study, StudyDescription

BUILD = EngineBuild(
    engine="rocksdb",
    version="7.8.3",
    path=Path("/usr/bin/db_bench"),
    fingerprint="0123456789abcdef",
    assertions=True,
    compressors=("snappy", "zstd"),
    flags=(("num", "1000000"), ("cache_size", "8388608")),
)
HOST = HostFacts("bench-1", "fedcba9876543210", "Some CPU", 2, 8 << 30, "6.1.0", "ext4", 80 << 30)

MEASUREMENT = Measurement(
    indicators={"throughput_ops": 125_000.5, "stall_share": 0.0, "read_amp": None, "waf@load": 4.25},
    effective={"write_buffer_size": 67_108_864, "bloom_bits": 10.0, "compression_type": "zstd", "sync": False},
    overridden=(Overridden("level0_stop_writes_trigger", 5, 30, "raised to the slowdown trigger"),),
    warnings=("the build checks assertions",),
    facts={"levels": "L0 2, L1 4"},
)


def description(name: str = "fill", experiment: str = 'name = "fill"\n') -> StudyDescription:
    """A description with every field set."""
    return StudyDescription(
        name,
        experiment,
        BUILD,
        HOST,
        {"scale": "1/64", "reference": "stock", "guards": ["waf", None, 1.5]},
        1e9,
        "0.0.9",
    )


def outcome(
    status: Status = Status.OK,
    measurement: Measurement | None = MEASUREMENT,
    artefacts: Mapping[str, str] | None = None,
    reason: str = "",
) -> Outcome:
    """How a run ended, 2.5 s after 1,700,000,000."""
    return Outcome(status, 1.7e9, 2.5, reason, measurement, None, artefacts or {})


def planned(study: Study, purpose: Purpose = Purpose.TRIAL, **values: int) -> Run:
    """A run in the state PLANNED."""
    return study.plan(Run(0, purpose, "arm", None, Configuration.of(values), seed=11, load_seed=7))


def started(study: Study, purpose: Purpose = Purpose.TRIAL, **values: int) -> Run:
    """A run in the state RUNNING."""
    run = planned(study, purpose, **values)
    study.start(run)
    return run


def finished(study: Study, purpose: Purpose = Purpose.TRIAL, how: Outcome | None = None, **values: int) -> Run:
    """A run that ended."""
    run = started(study, purpose, **values)
    study.finish(run, how or outcome())
    return run
