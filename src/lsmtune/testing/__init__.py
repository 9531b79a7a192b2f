"""What tests of lsmtune and of its extensions are made with: conformance suites, builders, a fake engine."""

from lsmtune.testing._builders import FakePlan, FakeStudy, fake_description, fake_rules, fake_study
from lsmtune.testing._fake_executor import QUIET, REALISTIC, FakeExecutor, Fault, Faults, Noise, at_runs
from lsmtune.testing._surface import Surface, fake_space

__all__ = [
    "QUIET",
    "REALISTIC",
    "FakeExecutor",
    "FakePlan",
    "FakeStudy",
    "Fault",
    "Faults",
    "Noise",
    "Surface",
    "at_runs",
    "fake_description",
    "fake_rules",
    "fake_space",
    "fake_study",
]
