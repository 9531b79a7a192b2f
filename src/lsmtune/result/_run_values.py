"""The value of every option: at a starting point, in the reference, in any run."""

from collections.abc import Mapping
from functools import lru_cache

from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.backends.rocksdb import OptionsFile, read_values, unread_of
from lsmtune.model import Configuration, EngineBuild, Purpose, Run, Value
from lsmtune.result._facts import StudyFacts
from lsmtune.result._rules import Rules
from lsmtune.space import Catalogue, library_values


def values_at(start: Configuration, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
    """Return the value of every option at a starting point, at full size."""
    values = backend_of(build).defaults(build, known)
    if start.options_file is not None:
        file = OptionsFile.parse(start.options_file, "engine.options_file")
        library = library_values(known, build.version_tuple)
        in_file = {option.name for option in known.options.values() if option.section != "tool"}
        values |= {name: value for name, value in library.items() if name in in_file}
        values |= read_values(file, known.options.values(), build.version)
    return values | dict(start.values)


def start_values(facts: StudyFacts, own: EngineBuild) -> dict[str, Value]:
    """Return the value of every option in the reference, at full size; see `run_values`."""
    start = facts.rules.start
    return {**(facts.reference_values or {}), **_unread(start, own), **start.values}


def run_values(facts: StudyFacts, own: EngineBuild, run: Run) -> dict[str, Value]:
    """Return the value of every option in a run, at full size, as far as the study tells it.

    Where no value of an option means what the user's OPTIONS file states, key and text of the file stand for it, such
    as ``filter_policy=ribbonfilter:10:0``.

    Args:
        facts: of the study.
        own: the study's own build.
        run: one of its runs.
    """
    other, asked = facts.builds.get(run.arm), run.configuration
    if other is not None:
        return {**other.reference_values, **_unread(asked, other.build), **asked.values}
    there = other_start_values(facts, own, run)
    if there is not None:
        return {**there, **_unread(asked, own), **asked.values}
    return {**start_values(facts, own), **asked.values}


def other_start_values(facts: StudyFacts, own: EngineBuild, run: Run) -> dict[str, Value] | None:
    """Return the values that a run at another starting point begins with, at full size; None of all other runs.

    They are the reference's, but for what the reference or a file sets. What the run itself sets is left out.

    Args:
        facts: of the study.
        own: the study's own build.
        run: one of its runs.
    """
    if not _is_other_start(facts.rules, run):
        return None
    known, start, configuration = facts.reference_values or {}, facts.rules.start, run.configuration
    there = values_at(configuration, own, catalogue_of(own.engine).for_version(own.version_tuple))
    has_file = start.options_file is not None or configuration.options_file is not None
    apart = known.keys() if has_file else start.values.keys()
    return {name: there.get(name, value) if name in apart else value for name, value in known.items()}


def _is_other_start(rules: Rules, run: Run) -> bool:
    return run.purpose is Purpose.BASELINE and run.arm in rules.baselines and run.arm != rules.reference


def _unread(configuration: Configuration, build: EngineBuild) -> Mapping[str, str]:
    file = configuration.options_file
    return {} if file is None else _unread_in(file, build.engine, build.version)


@lru_cache(maxsize=16)
def _unread_in(options_file: str, engine: str, version: str) -> Mapping[str, str]:
    return unread_of(Configuration.of({}, options_file), catalogue_of(engine).options.values(), version)
