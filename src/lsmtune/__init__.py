"""Find, tune and prove the options of an LSM-tree storage engine.

    import lsmtune
    study = lsmtune.tune("fill.toml", budget="40m")
    print(study.verdict)

What a command does is a function of its name; `load` opens what was made before.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsmtune.api import (
        Experiment,
        Study,
        analyze,
        calibrate,
        check,
        compare,
        compare_canaries,
        diagnose,
        doctor,
        import_trace,
        load,
        memory,
        predict,
        predict_curve,
        reproduce,
        resemble,
        resume_nni,
        sample,
        sweep,
        tune,
        tune_nni,
    )

__all__ = [
    "Experiment",
    "Study",
    "__version__",
    "analyze",
    "calibrate",
    "check",
    "compare",
    "compare_canaries",
    "diagnose",
    "doctor",
    "import_trace",
    "load",
    "memory",
    "predict",
    "predict_curve",
    "reproduce",
    "resemble",
    "resume_nni",
    "sample",
    "sweep",
    "tune",
    "tune_nni",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the door, or a module behind it, when somebody walks through: `import lsmtune` does not wait for it."""
    if name not in __all__:
        if not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "Experiment":
        from lsmtune.experiment import Experiment

        return Experiment
    from lsmtune import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return __all__
