"""What tests of lsmtune and of its extensions are made with: conformance suites, builders, a fake engine."""

from lsmtune.testing._builders import FakePlan, FakeStudy, fake_description, fake_rules, fake_study, fake_table_facts
from lsmtune.testing._climbs import CLIMB_WORLDS, Climbed, climb_once
from lsmtune.testing._fake_executor import QUIET, REALISTIC, FakeExecutor, Fault, Faults, Noise, at_runs
from lsmtune.testing._fake_hosts import HOME, FakeHost, FakeHosts
from lsmtune.testing._surface import EachChange, Surface, fake_space
from lsmtune.testing._worlds import CALM, Candidates, Host, Trouble, World

__all__ = [
    "CALM",
    "CLIMB_WORLDS",
    "HOME",
    "QUIET",
    "REALISTIC",
    "Candidates",
    "Climbed",
    "EachChange",
    "FakeExecutor",
    "FakeHost",
    "FakeHosts",
    "FakePlan",
    "FakeStudy",
    "Fault",
    "Faults",
    "Host",
    "Noise",
    "Surface",
    "Trouble",
    "World",
    "at_runs",
    "climb_once",
    "fake_description",
    "fake_rules",
    "fake_space",
    "fake_study",
    "fake_table_facts",
]
