"""Benches: a workload and a configuration become processes; what the processes leave becomes a measurement."""

from lsmtune.benches._base import Bench, Glance, Halt, HaltKind, Seen, Step, StepRecord
from lsmtune.benches._by_arm import ArmBench
from lsmtune.benches._steps import Benchmark, BenchmarkKind

__all__ = [
    "ArmBench",
    "Bench",
    "Benchmark",
    "BenchmarkKind",
    "Glance",
    "Halt",
    "HaltKind",
    "Seen",
    "Step",
    "StepRecord",
]
