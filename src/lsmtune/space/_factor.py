"""What varies over runs: options, axes of the workload, and options that are set together under names."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from lsmtune.codec import JSON, Object, listed, mapped, member, scalar, text, truth
from lsmtune.model import Value
from lsmtune.space._option import Kind

WORKLOAD_PREFIX = "workload."
"""What the names of workload axes begin with, so that no option has such a name."""

VARIANT_PREFIX = "variant."
"""What the names of factors begin with whose values are names of variants: options that are set together."""

_UNITS = ("_bytes", "_ops_s", "_s")  # ends of fields of a workload that experiment files leave out


class Change(StrEnum):
    """What a user has to do to change a factor of a running database."""

    ONLINE = "online"
    """Set it while the database runs."""
    RESTART = "restart"
    """Open the database again."""
    REBUILD = "rebuild"
    """Write the data again: files or the shape of the tree depend on it."""
    WORKLOAD = "workload"
    """Nothing: it describes what is asked of the engine."""


@dataclass(frozen=True)
class Factor:
    """Something that varied over the runs: an option, or an axis of the workload.

    Attributes:
        name: of the option, ``workload.<field>`` for an axis of the workload, ``variant.<name>`` for variants.
        kind: type of its values.
        unit: ``"B"``, ``"files"``, ... or ``""``.
        reference: value at the starting point, at full size.
        change: see `Change`.
        log: its range is logarithmic.
        specials: values with a meaning of their own, outside of the order of the range.
        choices: the values of a bool, a choice, or a list of numbers; empty for a range.
        conditions: names of other factors with the values for which this one has an effect.
    """

    name: str
    kind: Kind
    unit: str
    reference: Value
    change: Change
    log: bool = False
    specials: tuple[Value, ...] = ()
    choices: tuple[Value, ...] = ()
    conditions: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> "Factor":
        """Return the factor that `to_json` wrote.

        Raises:
            MisreadError: the value is none.
        """
        fields = Object(value)
        return cls(
            fields.need("name", text),
            fields.need("kind", member(Kind)),
            fields.need("unit", text),
            fields.need("reference", scalar),
            fields.need("change", member(Change)),
            fields.need("log", truth),
            fields.need("specials", listed(scalar)),
            fields.need("choices", listed(scalar)),
            fields.need("conditions", mapped(listed(scalar))),
        )

    def to_json(self) -> dict[str, JSON]:
        """Return it as JSON values."""
        return asdict(self)

    @property
    def is_category(self) -> bool:
        """Whether its values have no order."""
        return self.kind in (Kind.BOOL, Kind.CHOICE)

    @property
    def column(self) -> str:
        """Its column in the table."""
        is_option = self.change is not Change.WORKLOAD and not self.name.startswith(VARIANT_PREFIX)
        return f"option.{self.name}" if is_option else self.name

    @property
    def short(self) -> str:
        """Its name as an experiment file spells it: ``value_size`` for ``workload.value_size_bytes``."""
        if self.change is Change.WORKLOAD:
            bare = self.name.removeprefix(WORKLOAD_PREFIX)
            return next((bare.removesuffix(unit) for unit in _UNITS if bare.endswith(unit)), bare)
        return self.name.removeprefix(VARIANT_PREFIX)
