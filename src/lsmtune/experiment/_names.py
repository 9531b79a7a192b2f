"""Options, presets and indicators that an experiment names: do they exist, and can they take the values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from lsmtune.backends import Check, KeyPath, Problem, findings, one_of
from lsmtune.errors import ConstraintError, OptionError
from lsmtune.experiment._changes import NamedChange
from lsmtune.experiment._experiment import DIRECT_IO, Experiment
from lsmtune.experiment._guards import read_guard
from lsmtune.experiment._messages import about, refusal
from lsmtune.experiment._tables import ChangeTable, RangeTable
from lsmtune.indicators import MAX_RATE, Objective
from lsmtune.model import Value
from lsmtune.space import Catalogue, Constraint, Dimension, Kind, Option, Override, read_value

_PRESET: KeyPath = ("space", "preset")
_OPTIONS: KeyPath = ("space", "options")
_EXCLUDE: KeyPath = ("space", "exclude")
_FIXED: KeyPath = ("space", "fixed")
_OWN: KeyPath = ("engine", "options")
_RANGES: KeyPath = ("space", "ranges")
_STEPS: KeyPath = ("steps",)
_COMPARE: KeyPath = ("compare",)
_SWEEP: KeyPath = ("sweep",)
_FLAGS: KeyPath = ("workload", "flags")
_BENCHMARKS: KeyPath = ("workload", "benchmarks")


_STILL = "write_buffer_size"

DEFAULT = "default"
"""What stands under [engine.options] in the place of a value, for the engine's default."""


def still_option(catalogue: Catalogue) -> str:
    """Return the option that stands still where only axes of the workload are swept, or only builds compared."""
    return _STILL if _STILL in catalogue.options else next(iter(catalogue.options))


def searched_options(experiment: Experiment, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the names of the options that are searched: preset and options, less excluded and fixed ones.

    Where the table [space] names none, they are those that [[steps]] and [[compare]] set.

    Raises:
        OptionError: an option or the preset is unknown.
    """
    table = experiment.space
    preset = catalogue.preset(table.preset).options if table.preset is not None else ()
    named = table.options if preset or table.options else _changed_options(experiment, catalogue)
    wanted = [*preset, *(catalogue.option(name).name for name in named)]
    out = {catalogue.option(name).name for name in (*table.exclude, *experiment.fixed)}
    return tuple(name for name in dict.fromkeys(wanted) if name not in out)


def chosen_without(experiment: Experiment, catalogue: Catalogue, option: str, beside: str) -> bool:
    """Return whether an experiment searches or sweeps an option, or sets it in a change that leaves another one out.

    Raises:
        OptionError: a searched option is unknown.
    """
    table, sweep = experiment.space, experiment.sweep
    varied = list(searched_options(experiment, catalogue)) if table.preset is not None or table.options else []
    changes: list[ChangeTable] = [*experiment.steps, *experiment.compare]
    if sweep is not None:
        varied += [catalogue.aliases.get(name, name) for name in sweep.options]
        changes += [variant for variants in sweep.variants.values() for variant in variants]
    named = [{catalogue.aliases.get(name, name) for name in change.values} for change in changes]
    return option in varied or any(option in names and beside not in names for names in named)


def nothing_searched(experiment: Experiment, catalogue: Catalogue) -> str:
    """Say of [space], as the end of a sentence, that no option is searched; empty where one is.

    Raises:
        OptionError: an option or the preset is unknown.
    """
    if searched_options(experiment, catalogue):
        return ""
    advice = 'preset = "write-heavy" or options = ["write_buffer_size"]'
    given = "space" in experiment.model_fields_set
    return f"has no option to search; write {advice}" if given else f"is missing; write [space] with {advice}"


def overrides(experiment: Experiment, catalogue: Catalogue) -> dict[str, Override]:
    """Return what the experiment wants otherwise than the catalogue, by option.

    Raises:
        OptionError: an option is unknown.
    """
    options = [(catalogue.option(name), table) for name, table in experiment.space.ranges.items()]
    return {option.name: _override(option, table) for option, table in options}


def fixed_values(experiment: Experiment, catalogue: Catalogue) -> dict[str, Value]:
    """Return the options that are set and not searched, with their values in base units at full size.

    Raises:
        OptionError: an option is unknown or cannot take its value.
    """
    return _read(experiment.fixed, catalogue)


def own_values(experiment: Experiment, catalogue: Catalogue, defaults: Mapping[str, Value]) -> dict[str, Value]:
    """Return the user's own configuration, in base units at full size.

    Args:
        experiment: what the user asked for.
        catalogue: the engine's options.
        defaults: the engine's, which "default" stands for.

    Raises:
        OptionError: an option is unknown or cannot take its value.
    """
    own = experiment.engine.options
    known = {catalogue.option(name).name: value for name, value in own.items()}
    unset = {name: defaults[name] for name, value in known.items() if value == DEFAULT}
    return {**_read({name: value for name, value in own.items() if value != DEFAULT}, catalogue), **unset}


def check_names(
    experiment: Experiment,
    catalogue: Catalogue,
    wrong: frozenset[KeyPath] = frozenset(),
    *,
    searches: bool = True,
) -> list[Problem]:
    """Return a problem for each option, preset and indicator that does not exist or cannot take its value.

    Args:
        experiment: what is checked.
        catalogue: the engine's options.
        wrong: keys that are known to be wrong; checks that read them are left out.
        searches: whether options are going to be searched, so that there has to be one.
    """
    in_space = (_PRESET, _OPTIONS, _EXCLUDE, _FIXED)
    checks = (
        Check(partial(_names_exist, catalogue), ()),
        Check(partial(_named_once, catalogue), ()),
        Check(partial(_fixed_fit, catalogue), ()),
        Check(partial(_direct_is_free, catalogue), (("host", "page_cache"), _OPTIONS, _FIXED)),
        Check(partial(_ranges_fit, catalogue), in_space),
        Check(partial(_own_options_fit, catalogue), ()),
        Check(partial(_changes_fit, catalogue), (_STEPS, _COMPARE)),
        Check(partial(_flags_are_no_options, catalogue), ()),
        Check(_objective_is_known, (_BENCHMARKS,)),
        Check(_guards_are_readable, (_BENCHMARKS,)),
        Check(partial(_constraints_parse, catalogue), ()),
    )
    searched = (Check(partial(_space_has_options, catalogue), (*in_space, ("space",))),) if searches else ()
    return findings(experiment, (*checks, *searched), wrong)


def changes_of(tables: Sequence[ChangeTable], catalogue: Catalogue) -> tuple[NamedChange, ...]:
    """Return named changes with their values in base units at full size.

    Raises:
        OptionError: an option is unknown or cannot take its value.
    """
    return tuple(NamedChange(table.name, table.because, _read(table.values, catalogue)) for table in tables)


def _read(values: Mapping[str, Value], catalogue: Catalogue) -> dict[str, Value]:
    options = [(catalogue.option(name), value) for name, value in values.items()]
    return {option.name: read_value(option, value) for option, value in options}


def _changed_options(experiment: Experiment, catalogue: Catalogue) -> tuple[str, ...]:
    changed = [name for table in (*experiment.steps, *experiment.compare) for name in table.values]
    swept = () if experiment.sweep is None else tuple(experiment.sweep.options) or (still_option(catalogue),)
    return (*changed, *swept)


def _override(option: Option, table: RangeTable) -> Override:
    values = table.values or ()
    is_choice = option.kind is Kind.CHOICE
    return Override(
        table.low,
        table.high,
        table.log,
        table.step,
        choices=values if is_choice else (),
        values=() if is_choice else values,
    )


def is_option(catalogue: Catalogue, name: str) -> bool:
    """Return whether the engine has an option of this name, or of this name in OPTIONS files."""
    return name in catalogue.options or name in catalogue.aliases


def _names_exist(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    table = experiment.space
    preset = table.preset
    if preset is not None and (sentence := refusal(lambda: catalogue.preset(preset))):
        yield Problem(_PRESET, sentence)
    for path, names in ((_OPTIONS, table.options), (_EXCLUDE, table.exclude)):
        for place, name in enumerate(names):
            if sentence := refusal(partial(catalogue.option, name)):
                yield Problem((*path, place), sentence)
    for path, keys in ((_FIXED, table.fixed), (_RANGES, table.ranges), (_OWN, experiment.engine.options)):
        for name in keys:
            if sentence := refusal(partial(catalogue.option, name)):
                yield Problem((*path, name), sentence)


def _set_by(experiment: Experiment) -> Iterator[tuple[KeyPath, Mapping[str, Value]]]:
    """Yield where one value is given to each of some options, with these values; sweeps give several."""
    yield _FIXED, experiment.space.fixed
    yield _OWN, experiment.engine.options
    for path, tables in ((_STEPS, experiment.steps), (_COMPARE, experiment.compare)):
        for place, table in enumerate(tables):
            yield (*path, place, "set"), table.values


def _named_once(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    """No table has an option under its name and under its key of OPTIONS files, as one value would be lost."""
    tables: tuple[tuple[KeyPath, Iterable[str]], ...] = (*_set_by(experiment), (_RANGES, experiment.space.ranges))
    for path, names in tables:
        first: dict[str, str] = {}
        for name in names:
            other = first.setdefault(catalogue.aliases.get(name, name), name)
            if other != name:
                yield Problem((*path, name), f"is another name of {other}; take one of them out")


def _space_has_options(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    try:
        sentence = nothing_searched(experiment, catalogue)
    except OptionError:
        return
    if sentence:
        yield Problem(("space",), sentence)


def _fixed_fit(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    listed = {catalogue.aliases.get(name, name) for name in experiment.space.options}
    own = {catalogue.aliases.get(name, name) for name in experiment.engine.options}
    for name, value in experiment.space.fixed.items():
        if not is_option(catalogue, name):
            continue
        option = catalogue.option(name)
        if option.name in listed:
            yield Problem((*_FIXED, name), "is fixed and stands in space.options; take it out of one of them")
        if option.name in own:
            yield Problem((*_FIXED, name), "is fixed and stands in engine.options; take it out of one of them")
        if sentence := refusal(partial(read_value, option, value)):
            yield Problem((*_FIXED, name), about(name, sentence))


def _direct_is_free(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    """The engine has the options that host.page_cache sets, and they stand nowhere else."""
    if experiment.host.cached_by != "direct":
        return
    if not catalogue.options.keys() >= set(DIRECT_IO):
        title = experiment.backend.title
        yield Problem(
            ("host", "page_cache"), f'is "direct", but {title} has no direct I/O; write "cgroup" and host.memory'
        )
        return
    sweep = experiment.sweep
    swept, variants = ({}, {}) if sweep is None else (sweep.options, sweep.variants)
    places: tuple[tuple[KeyPath, Mapping[str, object]], ...] = (
        *_set_by(experiment),
        (_OPTIONS, dict.fromkeys(experiment.space.options)),
        ((*_SWEEP, "options"), swept),
        *(
            ((*_SWEEP, "variants", factor, place, "set"), table.values)
            for factor, tables in variants.items()
            for place, table in enumerate(tables)
        ),
    )
    for path, values in places:
        for name, value in values.items():
            if catalogue.aliases.get(name, name) in DIRECT_IO and value is not True:
                said = f"names {name}, which is" if path == _OPTIONS else "is"
                where = (*path, experiment.space.options.index(name)) if path == _OPTIONS else (*path, name)
                yield Problem(where, f'{said} set by host.page_cache = "direct"; take one of them out')


def _own_options_fit(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    for name, value in experiment.engine.options.items():
        if value == DEFAULT:
            continue
        if is_option(catalogue, name) and (sentence := refusal(partial(read_value, catalogue.option(name), value))):
            yield Problem((*_OWN, name), about(name, sentence))


def _changes_fit(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    for path, tables in ((_STEPS, experiment.steps), (_COMPARE, experiment.compare)):
        names = [table.name for table in tables]
        for place, table in enumerate(tables):
            if table.name in names[:place]:
                yield Problem((*path, place, "name"), f'"{table.name}" stands there twice; give each one a name')
            for name, value in table.values.items():
                where: KeyPath = (*path, place, "set", name)
                if sentence := refusal(partial(catalogue.option, name)):
                    yield Problem(where, sentence)
                elif sentence := refusal(partial(read_value, catalogue.option(name), value)):
                    yield Problem(where, about(name, sentence))


def _ranges_fit(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    try:
        searched = searched_options(experiment, catalogue)
    except OptionError:
        return
    for name, table in experiment.space.ranges.items():
        if not is_option(catalogue, name):
            continue
        option = catalogue.option(name)
        if option.name not in searched:
            yield Problem((*_RANGES, name), "is not searched; add it to space.options, or take the range out")
        elif sentence := refusal(partial(axis_of, option, table)):
            yield Problem((*_RANGES, name), about(name, sentence))


def axis_of(option: Option, table: RangeTable) -> Dimension:
    """Return the axis of an option with the range that a file gives.

    Raises:
        OptionError: it does not fit the option.
    """
    default = next(iter(option.db_bench_default.values()))
    return Dimension.of(option, default, _override(option, table))


def _flags_are_no_options(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    flags = {option.flag for option in catalogue.options.values()}
    for flag in experiment.workload_table.flags:
        if flag in flags or is_option(catalogue, flag):
            yield Problem((*_FLAGS, flag), "is an option, not a part of the workload; put it under [space.fixed]")


def _objective_is_known(experiment: Experiment) -> Iterator[Problem]:
    for name in experiment.weights:
        known = refusal(partial(Objective, {name: 1.0}))
        sentence = known or _wrong_phase(experiment, name) or _not_sought(experiment, name)
        if sentence:
            yield Problem(("objective", name), sentence)


def _guards_are_readable(experiment: Experiment) -> Iterator[Problem]:
    for name, text in experiment.guard_texts.items():
        known = refusal(partial(read_guard, name, text))
        sentence = known or _wrong_phase(experiment, name) or _not_sought(experiment, name)
        if sentence:
            yield Problem(("guards", name), sentence)


def _not_sought(experiment: Experiment, name: str) -> str:
    """Return why a rate is not found that is asked for, or nothing."""
    if name.partition("@")[0] != MAX_RATE or (experiment.workload_table.max_rate is not None and name == MAX_RATE):
        return ""
    if name != MAX_RATE:
        return f"is sought for the measured phase alone; write {MAX_RATE}"
    return 'is sought only where [workload.max_rate] says what it keeps; write there limit = "5ms"'


def _wrong_phase(experiment: Experiment, name: str) -> str:
    """Return what is wrong with the phase in ``name@phase``, or nothing."""
    base, at, phase = name.partition("@")
    others = [each for each in experiment.workload_table.benchmarks if each != experiment.measure]
    if not at or phase in others:
        return ""
    if phase == experiment.measure:
        return f'"{phase}" is the measured phase; write {base} alone'
    known = f"write {one_of(f'{base}@{each}' for each in others)}" if others else f"write {base}"
    return f'"{phase}" is no other phase of workload.benchmarks; {known}'


def _constraints_parse(catalogue: Catalogue, experiment: Experiment) -> Iterator[Problem]:
    for place, text in enumerate(experiment.constraints):
        path: KeyPath = ("constraints", place)
        try:
            names = Constraint.parse(text).names
        except ConstraintError as error:
            yield Problem(path, str(error))
            continue
        for name in sorted(names):
            if sentence := refusal(partial(catalogue.option, name)):
                yield Problem(path, sentence)
