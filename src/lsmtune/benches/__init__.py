"""Benches: a workload and a configuration become processes; what the processes leave becomes a measurement."""

from lsmtune.benches._base import Bench, Glance, Halt, HaltKind, Seen, Step, StepRecord

__all__ = ["Bench", "Glance", "Halt", "HaltKind", "Seen", "Step", "StepRecord"]
