"""A relation over options that has to hold, and what breaks it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lsmtune.errors import ConstraintError
from lsmtune.model import Value
from lsmtune.space._expression import (
    Comparison,
    Expression,
    Junction,
    Literal,
    Name,
    Node,
    Not,
    evaluate,
    render,
    show,
    truth,
    unit_of,
)


@dataclass(frozen=True)
class Constraint:
    """A relation over options that has to hold.

    Attributes:
        expression: the relation.
        why: reason in a few words, or empty.
        repair: options that may be moved to make the relation hold, tried in this order; empty: any named one.
        units: unit of each option in the expression that has one; decides how values print.

    Raises:
        ConstraintError: the expression is a calculation, not a relation.
    """

    expression: Expression
    why: str = ""
    repair: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.expression.root, Comparison | Junction | Not | Name):
            raise ConstraintError(
                f'constraint "{self.expression.text}" is not a relation; compare its value, for example with "<= 1 GiB"'
            )

    @classmethod
    def parse(
        cls, text: str, why: str = "", repair: tuple[str, ...] = (), units: Mapping[str, str] | None = None
    ) -> "Constraint":
        """Return the constraint that `text` means.

        Raises:
            ConstraintError: the text is not in the language, or not a relation.
        """
        return cls(Expression.parse(text), why, repair, units or {})

    @property
    def text(self) -> str:
        """The relation as it was written."""
        return self.expression.text

    @property
    def names(self) -> frozenset[str]:
        """The names of options in the relation."""
        return self.expression.names

    def violation(self, values: Mapping[str, Value]) -> str | None:
        """Return what is broken, with the values in it, or None where the relation holds.

        A relation whose divisor is zero counts as broken.

        Raises:
            ConstraintError: a name has no value, or an operand is of the wrong kind.
        """
        root = self.expression.root
        reason = f" ({self.why.rstrip('.')})" if self.why else ""
        try:
            if truth(root, values):
                return None
            facts = self._facts(root, values)
        except ZeroDivisionError:
            facts = f"{render(root, values, self.units)} divides by zero"
        return f"{self.text} is broken: {facts}{reason}"

    def broken_links(self, values: Mapping[str, Value]) -> Iterator[Comparison]:
        """Yield the single comparisons that do not hold, outside of ``not``; mending them may mend the relation.

        Raises:
            ConstraintError: see `violation`.
        """
        pending = [self.expression.root]
        while pending:
            match pending.pop(0):
                case Junction(operands=operands):
                    pending.extend(operands)
                case Comparison() as chain:
                    yield from (link for link in chain.links() if _is_broken(link, values))

    def _facts(self, node: Node, values: Mapping[str, Value]) -> str:
        match node:
            case Junction(symbol="and", operands=operands):
                return ", ".join(self._facts(each, values) for each in operands if not truth(each, values))
            case Junction(operands=operands):
                return " and ".join(self._facts(each, values) for each in operands)
            case Comparison():
                return ", ".join(self._link_facts(link, values) for link in node.links() if not truth(link, values))
        names = sorted(Expression("", node).names)
        return ", ".join(f"{name} = {show(values[name], self.units.get(name, ''))}" for name in names)

    def _link_facts(self, link: Comparison, values: Mapping[str, Value]) -> str:
        left, right = link.operands
        unit = unit_of(left, self.units) or unit_of(right, self.units)
        if isinstance(right, Literal):
            return self._worth(left, values, unit)
        if isinstance(left, Literal):
            return self._worth(right, values, unit)
        return f"{self._worth(left, values, unit)} is not {link.symbols[0]} {self._worth(right, values, unit)}"

    def _worth(self, node: Node, values: Mapping[str, Value], unit: str) -> str:
        value = show(evaluate(node, values), unit)
        if isinstance(node, Literal):
            return value
        shown = render(node, values, self.units)
        if isinstance(node, Name):
            return f"{node.name} = {value}"
        return f"{shown} = {value}"


def _is_broken(link: Comparison, values: Mapping[str, Value]) -> bool:
    try:
        return not truth(link, values)
    except ZeroDivisionError:
        return True
