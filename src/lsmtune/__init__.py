"""Find, tune and prove the options of an LSM-tree storage engine.

    import lsmtune
    study = lsmtune.tune("fill.toml", budget="40m")
    print(study.verdict)

What a command does is a function of its name; `load` opens what was made before.
"""

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
    """Load the door when somebody walks through it: the command line and `import lsmtune` do not wait for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "Experiment":
        from lsmtune.experiment import Experiment

        return Experiment
    from lsmtune import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return __all__
