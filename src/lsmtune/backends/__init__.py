"""Benches: a workload and a configuration become processes; what the processes leave becomes a measurement."""

from lsmtune.backends._base import Bench, Glance, Halt, HaltKind, Seen, Step, StepRecord
from lsmtune.backends._by_arm import ArmBench
from lsmtune.backends._steps import Benchmark, BenchmarkKind

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
