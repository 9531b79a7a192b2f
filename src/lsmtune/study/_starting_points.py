"""Where tunings start: the baselines of an experiment on a build."""

from collections.abc import Mapping
from pathlib import Path

from lsmtune.backends.registry import backend_of
from lsmtune.backends.rocksdb import DEFAULT_FAMILY, OptionsFile
from lsmtune.errors import UsageError
from lsmtune.experiment import Experiment
from lsmtune.model import Configuration, EngineBuild, Value
from lsmtune.space import Catalogue


def starting_points(
    experiment: Experiment,
    build: EngineBuild,
    known: Catalogue,
    own: Mapping[str, Value],
    fixed: Mapping[str, Value],
) -> dict[str, Configuration]:
    """Return the baselines by name.

    Args:
        experiment: what the user asked for.
        build: what runs.
        known: the options that it can set.
        own: the user's own configuration, or what it sets over the user's OPTIONS file.
        fixed: options that are set in all baselines.

    Raises:
        UsageError: the user's OPTIONS file cannot be read.
    """
    starts = {
        name: Configuration.of({**values, **fixed})
        for name, values in backend_of(build).baselines(build, known).items()
    }
    path = experiment.engine.options_file
    if path is not None:
        starts["options_file"] = Configuration.of({**own, **fixed}, _own_file(path, experiment))
    elif experiment.engine.options:
        starts["options"] = Configuration.of({**own, **fixed})
    return starts


def whole_file(experiment: Experiment) -> str:
    """Return the user's OPTIONS file where another column family of it than "default" is tuned; else nothing.

    Raises:
        UsageError: it cannot be read.
    """
    path, family = experiment.engine.options_file, experiment.engine.column_family
    return "" if path is None or family in (None, DEFAULT_FAMILY) else _read_options_file(path)


def _own_file(path: Path, experiment: Experiment) -> str:
    """Return the user's OPTIONS file, of several column families the one that is tuned, if it is not "default"."""
    text, family = _read_options_file(path), experiment.engine.column_family
    return text if family in (None, DEFAULT_FAMILY) else OptionsFile.parse(text, str(path)).only(family or "").text()


def _read_options_file(path: Path) -> str:
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"engine.options_file: {path} cannot be read: {reason}") from None
    OptionsFile.parse(text, str(path))
    return text
