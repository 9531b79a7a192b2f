"""The one helper of `nni.utils` that trials use."""

from __future__ import annotations

from typing import Any

__all__ = ["merge_parameter"]


def merge_parameter(base_params: Any, override_params: dict[str, Any] | None) -> Any:
    """Set the parameters of a trial on top of its own: a dict, or what `argparse` returned; return it.

    Raises:
        ValueError: a parameter is not among the trial's own.
    """
    for key, value in (override_params or {}).items():
        known = key in base_params if isinstance(base_params, dict) else hasattr(base_params, key)
        if not known:
            raise ValueError(f"{key} is not a parameter of this trial")
        if isinstance(base_params, dict):
            base_params[key] = value
        else:
            setattr(base_params, key, value)
    return base_params
