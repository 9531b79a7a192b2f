"""What differs between tools and engines: how they are found, run and read, and what is said to them.

A bench turns a workload and a configuration into processes, and what the processes leave into a measurement. Here is
what a backend is written with; `lsmtune.backends.registry` lists those that there are.
"""

from lsmtune.backends._backend import Backend
from lsmtune.backends._base import Bench, Glance, Halt, HaltKind, Hold, Process, ProcessRecord, Seen, Waited
from lsmtune.backends._benchmark import Benchmark, BenchmarkKind, described
from lsmtune.backends._by_arm import ArmBench
from lsmtune.backends._failure import ending, worded
from lsmtune.backends._known_builds import build_of
from lsmtune.backends._needs import KEPT, WORKS, Needs
from lsmtune.backends._phase_words import PhaseVocabulary
from lsmtune.backends._problems import Check, KeyPath, Problem, findings, one_of, suggestion
from lsmtune.backends._processes import data_name, loaded_configuration, process_indicators
from lsmtune.backends._program import Program, ask, cache_folder, checkout, expanded, fingerprint, loaded_libraries
from lsmtune.backends._property_file import PropertyFile, joined
from lsmtune.backends._request import Request
from lsmtune.backends._scaled import ScaledWorkload
from lsmtune.backends._vocabulary import Vocabulary

__all__ = [
    "KEPT",
    "WORKS",
    "ArmBench",
    "Backend",
    "Bench",
    "Benchmark",
    "BenchmarkKind",
    "Check",
    "Glance",
    "Halt",
    "HaltKind",
    "Hold",
    "KeyPath",
    "Needs",
    "PhaseVocabulary",
    "Problem",
    "Process",
    "ProcessRecord",
    "Program",
    "PropertyFile",
    "Request",
    "ScaledWorkload",
    "Seen",
    "Vocabulary",
    "Waited",
    "ask",
    "build_of",
    "cache_folder",
    "checkout",
    "data_name",
    "described",
    "ending",
    "expanded",
    "findings",
    "fingerprint",
    "joined",
    "loaded_configuration",
    "loaded_libraries",
    "one_of",
    "process_indicators",
    "suggestion",
    "worded",
]
