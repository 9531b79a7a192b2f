"""A search space from the catalogue, the user's wishes and what the build can do."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lsmtune.errors import ConstraintError, OptionError
from lsmtune.model import Value
from lsmtune.space._catalogue import Catalogue, Preset
from lsmtune.space._constraint import Constraint
from lsmtune.space._dimension import Dimension, Override
from lsmtune.space._option import Kind, Option
from lsmtune.space._space import Space

_COMPRESSORS = frozenset({"snappy", "zlib", "bzip2", "lz4", "lz4hc", "xpress", "zstd"})


def build_space(
    catalogue: Catalogue,
    options: Preset | Sequence[str],
    reference: Mapping[str, Value],
    overrides: Mapping[str, Override] | None = None,
    constraints: Sequence[str] = (),
    compressors: Sequence[str] | None = None,
) -> Space:
    """Return the space over `options` around the starting point.

    The engine's own constraints are added where they touch a searched option and all their options have a value.

    Args:
        catalogue: of the engine, narrowed to the version of the build.
        options: what to search: a preset, or names (or OPTIONS keys) of options.
        reference: value of every option at the starting point, at full size, the user's fixed options included.
        overrides: other ranges or values, by the name of a searched option.
        constraints: the user's relations, as text.
        compressors: those that work on this build; the others are no choice. None: all work. An option of a preset
            that keeps a single choice is left out.

    Raises:
        OptionError: an option is unknown or has nothing to search, or an override does not fit.
        ConstraintError: a relation does not parse, names an unknown option, or can never hold.
    """
    dimensions = _axes(catalogue, options, reference, overrides or {}, compressors)
    axes = frozenset(axis.name for axis in dimensions)
    return Space(
        dimensions,
        reference,
        (*_engine_constraints(catalogue, reference, axes), *_user_constraints(catalogue, reference, axes, constraints)),
        _conditions(catalogue, reference, axes),
    )


def _conditions(
    catalogue: Catalogue, reference: Mapping[str, Value], axes: frozenset[str]
) -> dict[str, Mapping[str, tuple[Value, ...]]]:
    """Return for which values of others options have an effect; nothing of one that may have it for another reason."""
    return {
        option.name: option.condition
        for option in catalogue.options.values()
        if option.condition
        and not any(other in axes or reference.get(other) in values for other, values in option.also_if.items())
    }


def _axes(
    catalogue: Catalogue,
    options: Preset | Sequence[str],
    reference: Mapping[str, Value],
    overrides: Mapping[str, Override],
    compressors: Sequence[str] | None,
) -> tuple[Dimension, ...]:
    wishes = {catalogue.option(name).name: wish for name, wish in overrides.items()}
    names = options.options if isinstance(options, Preset) else tuple(options)
    searched = [catalogue.option(name) for name in names]
    unused = sorted(wishes.keys() - {option.name for option in searched})
    if unused:
        raise OptionError(f'option "{unused[0]}" has a range but is not searched; add it to the options or remove it')
    made = (_axis(option, reference, wishes.get(option.name), compressors) for option in searched)
    dimensions = tuple(axis for axis in made if not (isinstance(options, Preset) and _is_pointless(axis)))
    for axis in dimensions:
        if _is_pointless(axis):
            raise OptionError(
                f'option "{axis.name}" can only be "{axis.choices[0]}", since its other choices are not listed or do '
                "not work on this build; fix it instead of searching it"
            )
    return dimensions


def _axis(
    option: Option, reference: Mapping[str, Value], wish: Override | None, compressors: Sequence[str] | None
) -> Dimension:
    """Return the axis of an option without the choices whose compressor does not work on this build."""
    if option.name not in reference:
        raise OptionError(f'option "{option.name}" has no value at the starting point; this build may not have it')
    axis = Dimension.of(option, reference[option.name], wish)
    unsupported = frozenset[str]() if compressors is None else _COMPRESSORS - frozenset(compressors)
    for raw in wish.choices if wish is not None else ():
        if raw in unsupported:
            raise OptionError(f'option "{option.name}" lists "{raw}", which does not work on this build; remove it')
    works = tuple(choice for choice in axis.choices if choice not in unsupported)
    return axis if works == axis.choices else replace(axis, choices=works)


def _is_pointless(axis: Dimension) -> bool:
    return len(axis.choices) == 1 and axis.kind is Kind.CHOICE


def _engine_constraints(
    catalogue: Catalogue, reference: Mapping[str, Value], axes: frozenset[str]
) -> tuple[Constraint, ...]:
    parsed = (Constraint.parse(item.expression, item.why) for item in catalogue.constraints)
    return tuple(
        replace(constraint, units=_units(catalogue, constraint))
        for constraint in parsed
        if constraint.names <= reference.keys() and not constraint.names.isdisjoint(axes)
    )


def _user_constraints(
    catalogue: Catalogue, reference: Mapping[str, Value], axes: frozenset[str], texts: Sequence[str]
) -> tuple[Constraint, ...]:
    constraints = []
    for text in texts:
        constraint = Constraint.parse(text)
        for name in sorted(constraint.names - reference.keys()):
            raise ConstraintError(f'constraint "{text}" names "{name}", {_advice(catalogue, reference, name)}')
        constraint = replace(constraint, units=_units(catalogue, constraint))
        broken = constraint.violation(reference)
        if broken is not None and constraint.names.isdisjoint(axes):
            raise ConstraintError(
                f"constraint {broken}, and none of its options is searched; search or fix one of them"
            )
        constraints.append(constraint)
    return tuple(constraints)


def _units(catalogue: Catalogue, constraint: Constraint) -> dict[str, str]:
    return {name: catalogue.options[name].unit for name in sorted(constraint.names) if name in catalogue.options}


def _advice(catalogue: Catalogue, reference: Mapping[str, Value], name: str) -> str:
    if name in catalogue.lacking:
        return f"an option of {catalogue.engine} that what runs here lacks; take it out, or use another build"
    if name in catalogue.aliases:
        return f'which is called "{catalogue.aliases[name]}" here; write that'
    close = difflib.get_close_matches(name, reference, n=1)
    guess = f' did you mean "{close[0]}"?' if close else f' write "{name}" in quotes where a value is meant'
    return f"which is not an option here;{guess}"
