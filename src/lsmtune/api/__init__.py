"""The door for Python: what the commands do, as functions that return studies and values."""

from lsmtune.api._answers import analyze, doctor
from lsmtune.api._memory import memory
from lsmtune.api._predict import calibrate, predict, predict_curve
from lsmtune.api._production import check, compare_canaries, diagnose, import_trace, resemble
from lsmtune.api._published import reproduce, resume_nni, tune_nni
from lsmtune.api._report_view import check_own, report_view
from lsmtune.api._studies import Asked, compare, read_experiment, sample, sweep, tune
from lsmtune.api._study import Study, load
from lsmtune.experiment import Experiment

__all__ = [
    "Asked",
    "Experiment",
    "Study",
    "analyze",
    "calibrate",
    "check",
    "check_own",
    "compare",
    "compare_canaries",
    "diagnose",
    "doctor",
    "import_trace",
    "load",
    "memory",
    "predict",
    "predict_curve",
    "read_experiment",
    "report_view",
    "reproduce",
    "resemble",
    "resume_nni",
    "sample",
    "sweep",
    "tune",
    "tune_nni",
]
