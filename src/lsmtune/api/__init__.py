"""The door for Python: what the commands do, as functions that return studies and values."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsmtune.api._answers import analyze, doctor
    from lsmtune.api._asked import Asked, read_experiment
    from lsmtune.api._hosts import compare_hosts
    from lsmtune.api._memory import memory
    from lsmtune.api._predict import calibrate, predict, predict_curve
    from lsmtune.api._production import check, compare_canaries, diagnose, import_trace, resemble
    from lsmtune.api._published import reproduce, resume_nni, tune_nni
    from lsmtune.api._report_view import check_own, report_view
    from lsmtune.api._studies import compare, sample, sweep, tune
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
    "compare_hosts",
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

_HOMES = {
    "lsmtune.api._answers": ("analyze", "doctor"),
    "lsmtune.api._asked": ("Asked", "read_experiment"),
    "lsmtune.api._hosts": ("compare_hosts",),
    "lsmtune.api._memory": ("memory",),
    "lsmtune.api._predict": ("calibrate", "predict", "predict_curve"),
    "lsmtune.api._production": ("check", "compare_canaries", "diagnose", "import_trace", "resemble"),
    "lsmtune.api._published": ("reproduce", "resume_nni", "tune_nni"),
    "lsmtune.api._report_view": ("check_own", "report_view"),
    "lsmtune.api._studies": ("compare", "sample", "sweep", "tune"),
    "lsmtune.api._study": ("Study", "load"),
    "lsmtune.experiment": ("Experiment",),
}
"""What is where: a command loads what it needs, and none of the rest."""


def __getattr__(name: str) -> Any:
    """Load a function when it is asked for."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
