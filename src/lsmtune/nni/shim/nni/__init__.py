"""Stands in for NNI's package in trials that `lsmtune nni` runs: parameters in, results out.

It has no dependency and runs on any Python from 3.7 on, whichever the trial uses. The parameters are read from
``$NNI_SYS_DIR/parameter.cfg``, in NNI's own form; each result is a line of JSON, appended to ``$LSMTUNE_METRICS``.
"""

from __future__ import annotations

import json
import os
from typing import Any

__all__ = [
    "get_current_parameter",
    "get_experiment_id",
    "get_next_parameter",
    "get_next_parameters",
    "get_sequence_id",
    "get_trial_id",
    "report_final_result",
    "report_intermediate_result",
]

_PARAMETERS: dict[str, Any] = {}
_SEQUENCE: list[int] = []


def get_next_parameter() -> dict[str, Any]:
    """Return the parameters of this trial, nested where the search space is.

    Raises:
        RuntimeError: the program was not started by lsmtune.
    """
    with open(os.path.join(_variable("NNI_SYS_DIR"), "parameter.cfg"), encoding="utf-8") as file:  # noqa: PTH118, PTH123 - plain for any Python
        parameters = json.load(file)["parameters"]
    _PARAMETERS.clear()
    _PARAMETERS.update(parameters)
    return dict(parameters)


get_next_parameters = get_next_parameter


def get_current_parameter(tag: str | None = None) -> Any:
    """Return what `get_next_parameter` gave, or one parameter of it; None before it was called."""
    if not _PARAMETERS:
        return None
    return dict(_PARAMETERS) if tag is None else _PARAMETERS[tag]


def report_intermediate_result(metric: Any) -> None:
    """Report a result on the way: a number, or a dict whose "default" is one.

    Raises:
        TypeError: it is neither.
    """
    _report("PERIODICAL", len(_SEQUENCE), metric)
    _SEQUENCE.append(1)


def report_final_result(metric: Any) -> None:
    """Report the result of the trial: a number, or a dict whose "default" is one.

    Raises:
        TypeError: it is neither.
    """
    _report("FINAL", 0, metric)


def get_experiment_id() -> str:
    """Return a name of the experiment."""
    return _variable("NNI_EXP_ID")


def get_trial_id() -> str:
    """Return a name of this trial, unique in its experiment."""
    return _variable("NNI_TRIAL_JOB_ID")


def get_sequence_id() -> int:
    """Return the number of this trial in its experiment, from 0."""
    return int(_variable("NNI_TRIAL_SEQ_ID"))


def __getattr__(name: str) -> Any:
    raise AttributeError(f"lsmtune's nni has no {name}; it has {', '.join(__all__)}")


def _report(kind: str, sequence: int, metric: Any) -> None:
    value = metric
    if isinstance(metric, dict):
        if "default" not in metric:
            raise TypeError(f'a result is a number, or a dict with the key "default"; this one has {sorted(metric)}')
        value = metric["default"]
    if isinstance(value, str):
        raise TypeError(f"a result is a number, not the text {value!r}")
    line = json.dumps({"type": kind, "sequence": sequence, "value": float(value)})
    with open(_variable("LSMTUNE_METRICS"), "a", encoding="utf-8") as file:  # noqa: PTH123 - plain for any Python
        file.write(line + "\n")


def _variable(name: str) -> str:
    if name not in os.environ:
        raise RuntimeError(f"{name} is not set: this nni serves trials that lsmtune starts; run lsmtune nni config.yml")
    return os.environ[name]
