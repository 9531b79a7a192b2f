"""The experiment that a study or a table of runs has kept."""

import tomllib
from pathlib import Path

from lsmtune.errors import UsageError
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._property_files import with_property_files


def recorded_experiment(text: str) -> Experiment:
    """Return an experiment from the text that a study or a table of runs has kept.

    It was checked when the study was made; the files that it names need not be there any more.

    Raises:
        UsageError: it is one of a command of the user's own, which has no workload.
    """
    document = tomllib.loads(text)
    if "workload" not in document:
        raise UsageError(
            "this is a study of a command, made by lsmtune nni, and not of a workload; lsmtune show shows it"
        )
    if "engine" in document:
        document["engine"] = {key: value for key, value in document["engine"].items() if key == "name"}
    return Experiment.model_validate(with_property_files(document, Path()).document)
