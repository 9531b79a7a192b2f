"""Where tunings start: the baselines of an experiment on a build."""

from collections.abc import Mapping
from pathlib import Path

from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.backends.rocksdb import DEFAULT_FAMILY, OptionsFile, unread_of
from lsmtune.errors import UsageError
from lsmtune.experiment import Experiment, chosen_without, searched_options
from lsmtune.model import Configuration, EngineBuild, Value
from lsmtune.space import Catalogue

_COMPRESSOR, _LEVEL = "compression_type", "min_level_to_compress"


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


def settle_compressor(
    experiment: Experiment, build: EngineBuild, known: Catalogue, own: Configuration | None
) -> tuple[Experiment, tuple[str, ...]]:
    """Return an experiment that chooses no compressor beside a list of the file's for each level, and sentences on it.

    RocksDB goes by such a list instead. One that begins with levels that are not compressed, and has the file's
    compressor from there on, is one that lsmtune writes anew. Another one stays as it is until the first compressed
    level is said: a compressor that a preset brings is not searched beside it, and one that is named is refused.

    Args:
        experiment: what the user asked for.
        build: what runs.
        known: the options that it can set.
        own: the user's OPTIONS file with what is set over it; None: there is none.

    Raises:
        UsageError: the experiment names one.
        OptionError: a searched option is unknown.
    """
    listed = None if own is None else unread_of(own, known.options.values(), build.version).get(_LEVEL)
    if own is None or listed is None:
        return experiment, ()
    everything, space = catalogue_of(build.engine), experiment.space
    said: tuple[str, ...] = ()
    is_changed = experiment.reference == "options_file"
    named = {everything.option(name).name for name in (*space.options, *space.ranges)}
    if is_changed and space.preset and _COMPRESSOR in set(searched_options(experiment, everything)) - named:
        thinned = space.model_copy(update={"exclude": (*space.exclude, _COMPRESSOR)})
        experiment = experiment.model_copy(update={"space": thinned})
        said = (f"{_COMPRESSOR} of the preset is not searched: the OPTIONS file has {listed}, which RocksDB goes by",)
    is_chosen = is_changed and chosen_without(experiment, everything, _COMPRESSOR, _LEVEL)
    if is_chosen or _COMPRESSOR in own.values:
        raise UsageError(
            f"{experiment.engine.options_file} has {listed}, beside which RocksDB does not go by {_COMPRESSOR}; take "
            f"{_COMPRESSOR} out of what is searched and set, or write {_LEVEL} under [engine.options], which takes the "
            "place of that list"
        )
    return experiment, said


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
