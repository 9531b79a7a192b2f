"""Variants: factors of a sweep whose values are names, each of which sets some options together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsmtune.errors import UsageError
from lsmtune.experiment._names import changes_of
from lsmtune.experiment._tables import VariantTable
from lsmtune.model import Value
from lsmtune.space import VARIANT_PREFIX, Catalogue, Dimension, Kind

_REFERENCE = "reference"
"""What the reference is called where it is none of the variants."""


@dataclass(frozen=True)
class Variants:
    """One such factor.

    Attributes:
        name: of the factor, ``variant.<name in the file>``.
        sets: by variant, the value of every option that any of the variants sets: what a variant leaves out stands
            at the reference. So each has all values, and two that do the same can be told.
        reference: the variant that does what the reference does, else ``"reference"``.
        elsewhere: the variants that run on another engine or build, with options of their own; in `sets` they stand
            at the reference.

    Raises:
        UsageError: two variants set the same.
    """

    name: str
    sets: Mapping[str, Mapping[str, Value]]
    reference: str
    elsewhere: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        seen: dict[tuple[tuple[str, Value], ...], str] = {}
        for variant, values in self.sets.items():
            if variant in self.elsewhere:
                continue
            same = seen.setdefault(tuple(sorted(values.items())), variant)
            if same != variant:
                of = self.name.removeprefix(VARIANT_PREFIX)
                raise UsageError(
                    f'sweep.variants.{of}: "{same}" and "{variant}" are the same configuration; take one of them out'
                )

    @property
    def options(self) -> tuple[str, ...]:
        """The options that the variants set."""
        return tuple(next(iter(self.sets.values())))

    def listed(self, option: str) -> tuple[Value, ...]:
        """Return the values of an option over the variants, each once."""
        return tuple(dict.fromkeys(values[option] for values in self.sets.values()))

    def dimension(self) -> Dimension:
        """Return the axis of the variants' names."""
        return Dimension(self.name, Kind.CHOICE, self.reference, choices=tuple(self.sets))


def variants_of(
    tables: Mapping[str, Sequence[VariantTable]], engine: str, catalogue: Catalogue, reference: Mapping[str, Value]
) -> tuple[Variants, ...]:
    """Return the variants of a sweep.

    Args:
        tables: by name, as the experiment file has them.
        engine: of the experiment.
        catalogue: of its build.
        reference: value of every option at the starting point.

    Raises:
        OptionError: an option is unknown or cannot take its value.
        UsageError: two variants come to the same.
    """
    found = []
    for name, listed in tables.items():
        elsewhere = frozenset(table.name for table in listed if table.runs_elsewhere(engine))
        changes = changes_of([table for table in listed if table.name not in elsewhere], catalogue)
        options = sorted({option for change in changes for option in change.values})
        start = {option: reference[option] for option in options}
        here = {change.name: {**start, **change.values} for change in changes}
        sets = {table.name: here.get(table.name, start) for table in listed}
        named = next((variant for variant, values in here.items() if values == start), _REFERENCE)
        found.append(Variants(f"{VARIANT_PREFIX}{name}", sets, named, elsewhere))
    return tuple(found)


def chosen(values: Mapping[str, Value], variants: Sequence[Variants]) -> dict[str, Value]:
    """Return the values with those of the options that the named variants set in the place of the names."""
    options = dict(values)
    for each in variants:
        options |= each.sets[str(options.pop(each.name))]
    return options
