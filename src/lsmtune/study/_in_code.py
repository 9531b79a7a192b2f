"""What a user's own configuration has beyond its OPTIONS file, and has to say: the block cache and its like.

An OPTIONS file holds neither caches nor limiters. Where one of them matters and nothing is said of it, another
configuration than the user's would be measured under the user's name, so the study is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.backends.rocksdb import (
    OptionsFile,
    has_no_block_cache,
    lost_filter,
    may_limit_rate,
    names_write_buffer_limit,
)
from lsmtune.errors import UsageError
from lsmtune.experiment import DEFAULT, Experiment, own_values, searched_options
from lsmtune.lint import CacheBlocks, Finding, few_blocks
from lsmtune.model import Configuration, EngineBuild, Value
from lsmtune.result import InCode, Said
from lsmtune.space import Catalogue, Option, library_values, scaled_value

_CACHE, _KIND, _ROWS = "cache_size", "cache_type", "row_cache_size"
_LIMITER, _BUFFERS, _FILTER = "rate_limiter_bytes_per_sec", "db_write_buffer_size", "bloom_bits"
_BLOCK = "block_size"
_IN_CODE = (_CACHE, _KIND, _ROWS, _LIMITER, _BUFFERS, _FILTER)
_HELD = frozenset({_BUFFERS, _FILTER})
"""Those that an OPTIONS file holds unless they were lost or made in code."""
_EXAMPLES = {
    _CACHE: '"512MiB"',
    _KIND: '"lru_cache"',
    _ROWS: '"64MiB"',
    _LIMITER: '"100MiB"',
    _BUFFERS: '"256MiB"',
    _FILTER: "10",
}


def reads(experiment: Experiment) -> bool:
    """Return whether a measured phase looks for data that is there: reads, scans, updates of what was read."""
    return experiment.backend.vocabulary.reads(experiment.workload())


def writes(experiment: Experiment) -> bool:
    """Return whether a measured phase changes the database."""
    return experiment.backend.vocabulary.writes(experiment.workload())


def own_settings(
    experiment: Experiment, build: EngineBuild, everything: Catalogue, known: Catalogue
) -> dict[str, Value]:
    """Return the user's own values that the tool can set.

    Args:
        experiment: what the user asked for.
        build: what runs.
        everything: the options of the engine's version.
        known: those of them that the tool can set.

    Raises:
        UsageError: the tool cannot set a value and would measure another one.
        OptionError: an option is unknown or cannot take its value.
    """
    library = _unset(build, everything)
    settled: dict[str, Value] = {}
    for name, value in own_values(experiment, everything, library).items():
        if name in known.options:
            settled[name] = value
        elif value != library.get(name):
            raise UsageError(
                f"engine.options.{name} is {value}, but {backend_of(build).program} {build.version} cannot set it and "
                f'runs with {library.get(name)}; write "{DEFAULT}" if that will do, or use another tool or build'
            )
    return settled


@dataclass(frozen=True)
class _Asked:
    """What decides whether an option has to be said.

    Attributes:
        reads, writes: what the workload does.
        searched: names of the options that are searched.
        file: the OPTIONS file; None where the configuration is values alone.
        settable: options that the tool can set.
        said: what the experiment says, by option.
        cached: whether a block cache may be there.
    """

    reads: bool
    writes: bool
    searched: frozenset[str]
    file: OptionsFile | None
    settable: frozenset[str]
    said: Mapping[str, Said]
    cached: bool

    def matters(self, name: str) -> bool:
        """Whether a value would be of any effect on the workload and is not in the file."""
        if self.file is None:
            return name == _CACHE and (self.reads or name in self.searched)
        return {
            _CACHE: self.reads and self.cached,
            _KIND: self.reads and self.cached,
            _ROWS: self.reads,
            _LIMITER: self.writes,
            _BUFFERS: self.writes and not names_write_buffer_limit(self.file),
            _FILTER: bool(lost_filter(self.file)),
        }[name] or name in self.searched - _HELD

    def missing(self) -> Iterator[tuple[str, str]]:
        """Yield the options that have to be said and are not, each with the reason."""
        for name in _IN_CODE:
            if name in self.said or name not in self.settable or not self.matters(name):
                continue
            if name in self.searched:
                yield name, "it is searched"
            elif name in (_CACHE, _KIND):
                yield name, "the workload reads"
            elif self.file is not None and name == _LIMITER and may_limit_rate(self.file):
                yield name, "the workload writes, and the file's bytes_per_sync is not 0, as beside a limiter"
            elif self.file is not None and name == _FILTER:
                yield name, f"no filter can be made of the file's {lost_filter(self.file)}"


def in_code_of(
    experiment: Experiment, build: EngineBuild, known: Catalogue, starts: Mapping[str, Configuration]
) -> tuple[InCode, ...]:
    """Return what the user's own configuration has beyond its OPTIONS file; nothing where none is the user's.

    Args:
        experiment: what the user asked for.
        build: what runs.
        known: the options that it can set.
        starts: the baselines by name.

    Raises:
        UsageError: the experiment has to say something of an option and does not.
    """
    own = starts.get("options_file") or (starts["options"] if experiment.reference == "options" else None)
    if own is None:
        return ()
    everything = catalogue_of(build.engine).for_version(build.version_tuple)
    asked = _asked(experiment, known, everything, own)
    missing = list(asked.missing())
    if missing:
        raise UsageError(_refusal(missing, from_file=asked.file is not None))
    library = _unset(build, everything)
    return tuple(
        _stated(everything.option(name), own.values.get(name, library[name]), experiment, asked)
        for name in _IN_CODE
        if name in everything.options and (asked.matters(name) or (name in asked.said and name not in _HELD))
    )


def cache_findings(experiment: Experiment, known: Catalogue, reference: Mapping[str, Value]) -> tuple[Finding, ...]:
    """Return what the linter says, before a run, of the block cache of the reference.

    Args:
        experiment: what the user asked for.
        known: the options that the tool can set.
        reference: value of every option in the reference, at full size.
    """
    if not reads(experiment) or not {_CACHE, _BLOCK} <= reference.keys():
        return ()
    cache, block = reference[_CACHE], reference[_BLOCK]
    at_scale = scaled_value(known.option(_CACHE), cache, experiment.scale)
    found = few_blocks(CacheBlocks(int(at_scale), int(cache), int(block)))
    return () if found is None else (replace(found, about="reference"),)


def _unset(build: EngineBuild, everything: Catalogue) -> dict[str, Value]:
    """Return the value of each option that nobody sets: the engine's default, or what the tool makes of it."""
    return {**library_values(everything, build.version_tuple), **backend_of(build).made}


def _asked(experiment: Experiment, known: Catalogue, everything: Catalogue, own: Configuration) -> _Asked:
    file = None if own.options_file is None else OptionsFile.parse(own.options_file, "engine.options_file")
    words = {**experiment.engine.options, **experiment.space.fixed}
    said = {
        everything.option(name).name: Said.DEFAULT if value == DEFAULT else Said.VALUE for name, value in words.items()
    }
    return _Asked(
        reads=reads(experiment),
        writes=writes(experiment),
        searched=frozenset(searched_options(experiment, everything)),
        file=file,
        settable=frozenset(known.options),
        said=said,
        cached=own.values.get(_CACHE) != 0 and not (file is not None and has_no_block_cache(file)),
    )


def _stated(option: Option, value: Value, experiment: Experiment, asked: _Asked) -> InCode:
    at_scale = scaled_value(option, value, experiment.scale)
    return InCode(option.name, value, at_scale, option.unit, asked.said.get(option.name, Said.NOTHING))


def _refusal(missing: Sequence[tuple[str, str]], *, from_file: bool) -> str:
    groups = [
        f"{' and '.join(name for name, why in missing if why == reason)} ({reason})"
        for reason in dict.fromkeys(why for _, why in missing)
    ]
    which = "which an OPTIONS file cannot hold" if from_file else "so that the tool's own would pass for yours"
    examples = " and ".join(f"{name} = {_EXAMPLES[name]}" for name, _ in missing)
    return (
        f"engine.options says nothing of {' and of '.join(groups)}, {which}; write there what your program sets, like "
        f'{examples}, or "{DEFAULT}" for the engine\'s default'
    )
