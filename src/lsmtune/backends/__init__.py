"""What differs between tools and engines: how they are found, run and read, and what is said to them.

A bench turns a workload and a configuration into processes, and what the processes leave into a measurement.
"""

from lsmtune.backends._backend import Backend
from lsmtune.backends._base import Bench, Glance, Halt, HaltKind, Seen, Step, StepRecord
from lsmtune.backends._by_arm import ArmBench
from lsmtune.backends._problems import Check, KeyPath, Problem, findings, one_of, suggestion
from lsmtune.backends._request import Request
from lsmtune.backends._step_words import StepVocabulary
from lsmtune.backends._steps import Benchmark, BenchmarkKind, described
from lsmtune.backends._vocabulary import Vocabulary

__all__ = [
    "ArmBench",
    "Backend",
    "Bench",
    "Benchmark",
    "BenchmarkKind",
    "Check",
    "Glance",
    "Halt",
    "HaltKind",
    "KeyPath",
    "Problem",
    "Request",
    "Seen",
    "Step",
    "StepRecord",
    "StepVocabulary",
    "Vocabulary",
    "described",
    "findings",
    "one_of",
    "suggestion",
]
