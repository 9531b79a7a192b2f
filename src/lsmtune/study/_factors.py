"""What varies over a study's runs, kept with the study so that it can be analysed without its engine."""

from collections.abc import Mapping, Sequence
from typing import Any

from lsmtune.experiment import Variants
from lsmtune.space import WORKLOAD_PREFIX, Catalogue, Change, Factor, Format, Mutability, Space


def factors_of(space: Space, catalogue: Catalogue, variants: Sequence[Variants] = ()) -> tuple[Factor, ...]:
    """Return a factor for each axis of a space."""
    changes = {each.name: _strongest(each, catalogue) for each in variants}
    return tuple(
        Factor(
            name=axis.name,
            kind=axis.kind,
            unit=axis.unit,
            reference=space.reference[axis.name],
            change=changes[axis.name] if axis.name in changes else _change(axis.name, catalogue),
            log=axis.log,
            specials=axis.specials,
            choices=axis.choices,
            conditions=_varying(space, space.conditions.get(axis.name, {})),
        )
        for axis in space.dimensions
    )


def bundles_of(space: Space) -> tuple[tuple[str, ...], ...]:
    """Return the options of a space that constraints tie together, each in one bundle at most."""
    bundles: list[set[str]] = []
    for constraint in space.constraints:
        tied = set(constraint.names) & set(space.names)
        if len(tied) > 1:
            touched = [bundle for bundle in bundles if bundle & tied]
            bundles = [bundle for bundle in bundles if bundle not in touched] + [tied.union(*touched)]
    return tuple(_in_order(bundle, space) for bundle in bundles)


def _strongest(variants: Variants, catalogue: Catalogue) -> Change:
    """Return what going from variant to variant takes: what the option takes that is hardest to change.

    Another engine, or another build, takes the data to be written again.
    """
    changes = {_change(option, catalogue) for option in variants.options}
    if variants.elsewhere:
        changes.add(Change.REBUILD)
    return next(change for change in (Change.REBUILD, Change.RESTART, Change.ONLINE) if change in changes)


def _change(name: str, catalogue: Catalogue) -> Change:
    if name.startswith(WORKLOAD_PREFIX):
        return Change.WORKLOAD
    option = catalogue.option(name)
    if option.format is Format.FILES:
        return Change.REBUILD
    return Change.ONLINE if option.mutability is Mutability.ONLINE else Change.RESTART


def _varying(space: Space, condition: Mapping[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    return {name: values for name, values in condition.items() if name in space.names}


def _in_order(names: set[str], space: Space) -> tuple[str, ...]:
    return tuple(name for name in space.names if name in names)
