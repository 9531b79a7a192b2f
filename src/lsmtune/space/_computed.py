"""A bound on something that is computed from a configuration, where no expression over options says it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from lsmtune.errors import ConstraintError
from lsmtune.model import Value
from lsmtune.space._expression import Comparison, show


@dataclass(frozen=True)
class ComputedLimit:
    """An amount that may not pass a bound; stands among the constraints of a space.

    Attributes:
        what: the amount in words, for example ``"memory at full size"``.
        most: the bound, in the amount's unit.
        unit: of the amount.
        amount: computes it from the values of all options, at full size.
        names: of the options that move it.
        why: reason in a few words, or empty.
        repair: options that may be moved to keep the bound, tried in this order; empty: any that moves it.
        units: unit of each of the options that has one; decides how values print.

    Raises:
        ConstraintError: no option moves the amount.
    """

    what: str
    most: float
    unit: str
    amount: Callable[[Mapping[str, Value]], float]
    names: frozenset[str]
    why: str = ""
    repair: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.names:
            raise ConstraintError(f"{self.text} has no option that moves it; leave the bound out")

    @property
    def text(self) -> str:
        """The relation in words."""
        return f"{self.what} <= {show(self.most, self.unit)}"

    def violation(self, values: Mapping[str, Value]) -> str | None:
        """Return what is broken, with the values in it, or None where the bound holds."""
        amount = self.amount(values)
        if amount <= self.most:
            return None
        reason = f" ({self.why.rstrip('.')})" if self.why else ""
        said = ", ".join(f"{name} = {show(values[name], self.units.get(name, ''))}" for name in sorted(self.names))
        return f"{self.text} is broken: it is {show(amount, self.unit)} with {said}{reason}"

    def broken_links(self, values: Mapping[str, Value]) -> Iterator[Comparison]:
        """Yield nothing: an amount has no single comparison that could be mended by itself."""
        del values
        return iter(())
