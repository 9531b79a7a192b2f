"""Columns of a sweep that run on other engines and builds, as far as they are there."""

from collections.abc import Mapping, Sequence

from lsmtune.backends.registry import backend_for, catalogue_of, options_of
from lsmtune.errors import EngineError, OptionError
from lsmtune.experiment import VariantTable, changes_of
from lsmtune.model import Configuration, EngineBuild
from lsmtune.result import ArmBuild, values_at
from lsmtune.space import VARIANT_PREFIX
from lsmtune.study._contenders import Column


def columns_of(
    variants: Mapping[str, Sequence[VariantTable]], own: EngineBuild, start: Configuration
) -> tuple[Column, ...]:
    """Find the builds of the variants that run elsewhere.

    Args:
        variants: of the sweep, as the experiment file has them.
        own: the build of the experiment.
        start: the reference; builds of the same engine begin with it, other engines with their own defaults.

    Raises:
        EngineError: a program is missing, or drives another engine.
        OptionError: a build does not have an option that is set there.
    """
    return tuple(
        _column(f"{VARIANT_PREFIX}{factor}", table, own, start)
        for factor, listed in variants.items()
        for table in listed
        if table.runs_elsewhere(own.engine)
    )


def _column(factor: str, table: VariantTable, own: EngineBuild, start: Configuration) -> Column:
    engine = table.engine or own.engine
    origin = f'"{table.name}" under [sweep.variants]'
    try:
        build = backend_for(own.tool, engine).find(engine, table.build, origin)
    except EngineError as error:
        raise EngineError(f"{origin}: {str(error).removeprefix(f'{origin}: ')}") from None
    known = options_of(build)
    begun = start if engine == own.engine else Configuration.of({})
    (change,) = changes_of((table,), catalogue_of(engine))
    configuration = begun.changed(change.values)
    absent = sorted(set(configuration.values) - known.options.keys())
    if absent:
        raise OptionError(
            f"{origin}: {build.path} ({build.engine} {build.version}) has no "
            f"{' and no '.join(absent)}, which is set there; take it out, or use another build"
        )
    kept = ArmBuild(table.name, build, values_at(configuration, build, known))
    return Column(factor, build, known, configuration, kept)
