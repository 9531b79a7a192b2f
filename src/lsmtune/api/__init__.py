"""The door for Python: what the commands do, as functions that return studies and values."""

from lsmtune.api._answers import analyze, doctor
from lsmtune.api._studies import Asked, compare, read_experiment, sample, sweep, tune
from lsmtune.api._study import Study, load
from lsmtune.api._working import at_trials, at_work, budget_of, budget_or_all, write_tables
from lsmtune.experiment import Experiment

__all__ = [
    "Asked",
    "Experiment",
    "Study",
    "analyze",
    "at_trials",
    "at_work",
    "budget_of",
    "budget_or_all",
    "compare",
    "doctor",
    "load",
    "read_experiment",
    "sample",
    "sweep",
    "tune",
    "write_tables",
]
