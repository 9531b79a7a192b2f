"""An experiment meets further builds of its engine: what is compared, on which build, under which name."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsmtune.backends import expanded
from lsmtune.backends.registry import backend_of, catalogue_of, engines_of, options_of
from lsmtune.backends.rocksdb import demanded_beside, open_with
from lsmtune.errors import ConstraintError, EngineError, OptionError, UsageError
from lsmtune.experiment import CompareTable, NamedChange, changes_of, overrides, still_option
from lsmtune.model import EngineBuild, Value
from lsmtune.result import ArmBuild, values_at
from lsmtune.space import Catalogue, Space, build_space
from lsmtune.study._contenders import Contender, OtherBuild
from lsmtune.study._prepare import Prepared

_ON_DEMAND = "--against"


@dataclass(frozen=True)
class _Wanted:
    """A build as the user asks for it: the name of its arm, and what the arm sets, as it is written."""

    build: EngineBuild
    name: str
    table: CompareTable | None = None


def comparing(prepared: Prepared, against: Sequence[Path] = ()) -> Prepared:
    """Return the experiment with what it compares: its [[compare]], then other builds under the reference.

    Args:
        prepared: the experiment on its own build.
        against: programs of other builds that run the reference's configuration.

    Raises:
        UsageError: there is nothing to compare, a build is named twice, or it is one of another engine.
        EngineError: a program is missing or does not work, or refuses the reference's OPTIONS file.
        OptionError: a configuration sets an option or a compressor that its build does not have.
    """
    tables = prepared.experiment.compare
    if not tables and not against:
        raise UsageError(
            f'the experiment "{prepared.experiment.name}" has no [[compare]]; write each with a name and '
            'set = { write_buffer_size = "8MiB" }, or name another build with --against PATH'
        )
    found = [_contender(prepared, table) for table in tables]
    places = [expanded(path).absolute() for path in against]
    twice = [path for path, count in Counter(places).items() if count > 1]
    if twice:
        raise UsageError(f"{_ON_DEMAND} names {twice[0]} twice; name each build once")
    builds = [_discovered(prepared.build, path, _ON_DEMAND) for path in places]
    names = arm_names(prepared.build, builds, [table.name for table in tables])
    for build, name in zip(builds, names, strict=True):
        other = _fitted(prepared, _Wanted(build, name))
        found.append(Contender(NamedChange(name, "", {}), other))
    return prepared.with_contenders(tuple(found))


def arm_names(own: EngineBuild, builds: Sequence[EngineBuild], taken: Sequence[str]) -> list[str]:
    """Return a name for each build: its version, with so much of its folder as tells it from all others.

    Args:
        own: the build of the reference.
        builds: the others; their paths differ.
        taken: names of other arms.
    """
    names = []
    for build in builds:
        others = [each for each in (own, *builds) if each.path != build.path]
        folders = build.path.parent.parts[1:]
        depths = (_called(build, depth) for depth in range(len(folders) + 1))
        taken_by_others = [[_called(each, depth) for each in others] for depth in range(len(folders) + 1)]
        clear = (name for name, known in zip(depths, taken_by_others, strict=True) if name not in (*known, *taken))
        names.append(next(clear, f"{build.version} {build.path}"))
    return names


def _called(build: EngineBuild, depth: int) -> str:
    folders = build.path.parent.parts[1:]
    return " ".join([build.version, "/".join(folders[len(folders) - min(depth, len(folders)) :])]).strip()


def _contender(prepared: Prepared, table: CompareTable) -> Contender:
    if table.build is None:
        prepared.check_has((table,))
        (change,) = changes_of((table,), prepared.catalogue)
        return Contender(change)
    build = _discovered(prepared.build, table.build, f'"{table.name}" under [[compare]]')
    other = _fitted(prepared, _Wanted(build, table.name, table))
    (change,) = changes_of((table,), other.catalogue)
    return Contender(change, other)


def _discovered(own: EngineBuild, path: Path, origin: str) -> EngineBuild:
    """Find out what a program is.

    Raises:
        EngineError: it is missing or does not work.
        UsageError: it is one of another engine.
    """
    try:
        return backend_of(own).find(own.engine, path, origin)
    except EngineError:
        engine = _another_engine(own, path, origin)
        if engine is None:
            raise
    raise UsageError(
        f"{origin}: {path} is a {own.tool} of {engine}, and the reference runs on {own.engine}; two engines are not "
        "compared with each other: their options differ, and so no configuration is the same on both"
    )


def _another_engine(own: EngineBuild, path: Path, origin: str) -> str | None:
    """Return the other engine whose program of the same tool this is; None where it is none."""
    for engine, backend in engines_of(own.tool).items():
        if engine != own.engine and not backend.drives_many:
            try:
                return backend.find(engine, path, origin).engine
            except EngineError:
                continue
    return None


def _fitted(prepared: Prepared, wanted: _Wanted) -> OtherBuild:
    """Return a build under the reference's configuration, after all checks that need no run."""
    build, start = wanted.build, prepared.rules.start
    known = demanded_beside(start.options_file, options_of(build))
    _check_options(prepared, wanted, known)
    values = {} if wanted.table is None else dict(changes_of((wanted.table,), known)[0].values)
    _check_compressors(prepared, wanted, values)
    if start.options_file is not None:
        try:
            open_with(build, start.options_file, ())
        except EngineError as error:
            raise EngineError(
                f'"{wanted.name}" cannot run the OPTIONS file of the reference: {error}; take that key out of it'
            ) from None
    reference = values_at(start, build, known)
    kept = ArmBuild(
        wanted.name, build, reference, _differing_defaults(prepared, build, known, values), wanted.table is None
    )
    return OtherBuild(build, known, _space(prepared, wanted, known, reference), kept)


def _check_options(prepared: Prepared, wanted: _Wanted, known: Catalogue) -> None:
    build = wanted.build
    table = wanted.table
    own = [] if table is None else [catalogue_of(build.engine).option(name).name for name in table.values]
    for whose, names in (("the reference sets", prepared.rules.start.values), ("it sets", own)):
        absent = sorted(set(names) - known.options.keys())
        if absent:
            raise OptionError(
                f'"{wanted.name}": {build.path} ({build.version}) has no {" and no ".join(absent)}, which {whose}; '
                "take it out, or compare another build"
            )


def _check_compressors(prepared: Prepared, wanted: _Wanted, values: dict[str, Value]) -> None:
    """Refuse a compressor that the reference's build has and the other one lacks."""
    absent = set(prepared.build.compressors) - set(wanted.build.compressors)
    for name, value in {**prepared.rules.start.values, **values}.items():
        if value in absent:
            raise OptionError(
                f'"{wanted.name}": {name} = {value} does not work on {wanted.build.path} ({wanted.build.version}), '
                f"which has {', '.join(wanted.build.compressors)}; set another one, or compare another build"
            )


def _differing_defaults(
    prepared: Prepared, build: EngineBuild, known: Catalogue, values: dict[str, Value]
) -> tuple[tuple[str, Value, Value], ...]:
    """Return the options that the arm does not set and that both builds have, where their values differ."""
    arm = prepared.rules.start.changed(values)
    before, after = values_at(arm, prepared.build, prepared.catalogue), values_at(arm, build, known)
    return tuple((name, value, after[name]) for name, value in before.items() if name in after and value != after[name])


def _space(prepared: Prepared, wanted: _Wanted, known: Catalogue, reference: dict[str, Value]) -> Space:
    """Return the space of the experiment around the reference under another build."""
    names = [name for name in prepared.space.names if name in known.options] or [still_option(known)]
    table = wanted.table
    if table is not None:
        names = list(dict.fromkeys([*names, *(known.option(name).name for name in table.values)]))
    wishes = {name: wish for name, wish in overrides(prepared.experiment, known).items() if name in names}
    try:
        return build_space(known, names, reference, wishes, prepared.experiment.constraints)
    except ConstraintError as error:
        raise OptionError(f'"{wanted.name}" on {wanted.build.path} ({wanted.build.version}): {error}') from None
