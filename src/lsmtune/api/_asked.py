"""What studies and predictions are asked for, however it is written."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import tomli_w

from lsmtune.backends.registry import catalogue_of
from lsmtune.errors import ExperimentError
from lsmtune.experiment import Experiment, load_experiment, nothing_searched, parse_experiment

Asked: TypeAlias = "str | Path | Mapping[str, Any] | Experiment"
"""An experiment: the path of its file, its tables as a dict, or what `read_experiment` returned."""


def read_experiment(experiment: Asked, *, searches: bool = True) -> Experiment:
    """Return an experiment.

    Args:
        experiment: see `Asked`. Relative paths in a dict start in the working folder.
        searches: whether options are going to be searched, so that the experiment has to name some.

    Raises:
        ExperimentError: it cannot be read, or something in it is wrong; a line for each problem.

    Examples:
        >>> from lsmtune.api import read_experiment
        >>> fill = {"name": "fill", "workload": {"benchmarks": "fillrandom", "num": "20k"}}
        >>> read_experiment(fill, searches=False).name
        'fill'
        >>> read_experiment({**fill, "budgett": {"time": "40m"}}, searches=False)
        Traceback (most recent call last):
            ...
        lsmtune.errors.ExperimentError: experiment.toml:7: budgett is not a key of an experiment; did you mean "budget"?
    """
    if isinstance(experiment, Experiment):
        if not experiment.text:
            raise ExperimentError(
                "this experiment was made by hand, so nothing has checked it; give its tables as a dict, or its file"
            )
        if searches and (sentence := nothing_searched(experiment, catalogue_of(experiment.engine.name))):
            raise ExperimentError(f'space of the experiment "{experiment.name}" {sentence}, and read it again')
        return experiment
    if isinstance(experiment, str | Path):
        return load_experiment(Path(experiment), searches=searches)
    try:
        text = tomli_w.dumps(experiment)
    except (TypeError, ValueError) as error:
        raise ExperimentError(f"the experiment cannot be written as TOML: {error}; use what TOML can hold") from None
    return parse_experiment(text, Path("experiment.toml"), searches=searches)
