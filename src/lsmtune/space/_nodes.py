"""The parts of a constraint's expression: what they are worth, what unit they have, how they print.

`Expression` parses text into these; nothing else makes them.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lsmtune.errors import ConstraintError
from lsmtune.model import Value
from lsmtune.units import format_bytes, format_rate

Node: TypeAlias = "Literal | Name | Negative | Arithmetic | Comparison | Junction | Not"


@dataclass(frozen=True)
class Literal:
    """A number, a size, a quoted string or true/false; `text` is how it was written, `unit` is ``"B"`` for a size."""

    value: Value
    text: str
    unit: str = ""


@dataclass(frozen=True)
class Name:
    """The name of an option."""

    name: str


@dataclass(frozen=True)
class Negative:
    """A minus sign before an operand."""

    operand: Node


@dataclass(frozen=True)
class Arithmetic:
    """One of ``+ - * /`` between two operands."""

    symbol: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Comparison:
    """A chain ``a <= b < c``: n + 1 operands and n symbols."""

    operands: tuple[Node, ...]
    symbols: tuple[str, ...]

    def links(self) -> tuple["Comparison", ...]:
        """The chain as single comparisons."""
        pairs = zip(self.operands, self.operands[1:], strict=False)
        return tuple(Comparison(pair, (symbol,)) for pair, symbol in zip(pairs, self.symbols, strict=True))


@dataclass(frozen=True)
class Junction:
    """``and`` or ``or`` between two or more operands."""

    symbol: str
    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """The opposite of an operand."""

    operand: Node


_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_ORDER: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_RANK = {"or": 1, "and": 2, "not": 3, "compare": 4, "+": 5, "-": 5, "*": 6, "/": 6, "negative": 7, "atom": 8}


def children(node: Node) -> tuple[Node, ...]:
    """Return the operands of a node, left to right."""
    match node:
        case Comparison(operands=operands) | Junction(operands=operands):
            return operands
        case Arithmetic(left=left, right=right):
            return (left, right)
        case Negative(operand=operand) | Not(operand=operand):
            return (operand,)
    return ()


def walk_names(node: Node) -> Iterator[str]:
    """Yield the names in a node, left to right, repeated ones again."""
    if isinstance(node, Name):
        yield node.name
    for child in children(node):
        yield from walk_names(child)


def evaluate(node: Node, values: Mapping[str, Value]) -> Value:
    """Return what a node is worth.

    Raises:
        ConstraintError: a name has no value, or an operand is of the wrong kind.
        ZeroDivisionError: a divisor is zero.
    """
    match node:
        case Literal(value=value):
            return value
        case Name(name=name):
            return _look_up(name, values)
        case Negative(operand=operand):
            return -_number(operand, values, node)
        case Arithmetic(symbol=symbol, left=left, right=right):
            return _ARITHMETIC[symbol](_number(left, values, node), _number(right, values, node))
        case Comparison() | Junction() | Not():
            return _holds(node, values)


def truth(node: Node, values: Mapping[str, Value]) -> bool:
    """Return whether a node holds.

    Raises:
        ConstraintError: the node is not true or false, or see `evaluate`.
        ZeroDivisionError: a divisor is zero.
    """
    value = evaluate(node, values)
    if not isinstance(value, bool):
        raise ConstraintError(f'"{render(node)}" is {show(value)}, not true or false; compare it with a value')
    return value


def unit_of(node: Node, units: Mapping[str, str]) -> str:
    """Return ``"B"`` or ``"B/s"`` where a node is bytes, as far as its names and literals tell, else ``""``."""
    match node:
        case Literal(unit=unit):
            return unit
        case Name(name=name):
            unit = units.get(name, "")
            return unit if unit in {"B", "B/s"} else ""
        case Arithmetic(symbol="/", left=left, right=right):
            above, below = unit_of(left, units), unit_of(right, units)
            return "" if below else above
        case Comparison() | Junction() | Not():
            return ""
    return next((unit for child in children(node) if (unit := unit_of(child, units))), "")


def show(value: Value, unit: str = "") -> str:
    """Return a value as text: sizes with IEC prefixes, choices bare, bools as true and false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if unit == "B":
        return format_bytes(value)
    if unit == "B/s":
        return format_rate(value, unit)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def render(node: Node, values: Mapping[str, Value] | None = None, units: Mapping[str, str] | None = None) -> str:
    """Return a node as text, with the names replaced by their values where `values` are given."""
    match node:
        case Literal(text=text):
            return text
        case Name(name=name):
            return name if values is None else show(_look_up(name, values), (units or {}).get(name, ""))
    rank = _rank(node)
    parts = []
    for place, child in enumerate(children(node)):
        text = render(child, values, units)
        tighter = _rank(child) > rank or (_rank(child) == rank and place == 0 and isinstance(node, Arithmetic))
        parts.append(text if tighter else f"({text})")
    match node:
        case Negative():
            return f"-{parts[0]}"
        case Not():
            return f"not {parts[0]}"
        case Comparison(symbols=symbols):
            chained = (f" {symbol} {part}" for symbol, part in zip(symbols, parts[1:], strict=True))
            return parts[0] + "".join(chained)
        case Arithmetic(symbol=symbol) | Junction(symbol=symbol):
            return f" {symbol} ".join(parts)


def _rank(node: Node) -> int:
    match node:
        case Arithmetic(symbol=symbol) | Junction(symbol=symbol):
            return _RANK[symbol]
        case Comparison():
            return _RANK["compare"]
        case Negative():
            return _RANK["negative"]
        case Not():
            return _RANK["not"]
    return _RANK["atom"]


def _holds(node: Comparison | Junction | Not, values: Mapping[str, Value]) -> bool:
    match node:
        case Comparison():
            return all(_compare(link, values) for link in node.links())
        case Not(operand=operand):
            return not truth(operand, values)
        case Junction(symbol="and", operands=operands):
            return all(truth(operand, values) for operand in operands)
        case Junction(operands=operands):
            return any(truth(operand, values) for operand in operands)


def _look_up(name: str, values: Mapping[str, Value]) -> Value:
    if name not in values:
        raise ConstraintError(
            f'"{name}" has no value in this constraint; name an option of the engine, or write "{name}" in quotes '
            "where a value is meant"
        )
    return values[name]


def _number(node: Node, values: Mapping[str, Value], parent: Node) -> float:
    value = evaluate(node, values)
    if isinstance(value, str):
        raise ConstraintError(f'"{render(node)}" is the text "{value}" in "{render(parent)}"; calculate with numbers')
    return value


def _compare(link: Comparison, values: Mapping[str, Value]) -> bool:
    left, right = (evaluate(operand, values) for operand in link.operands)
    symbol = link.symbols[0]
    if isinstance(left, str) != isinstance(right, str):
        raise ConstraintError(
            f'"{render(link)}" compares the text and the number in {show(left)} {symbol} {show(right)}; '
            "compare values of one kind"
        )
    if symbol in {"==", "!="}:
        return (left == right) == (symbol == "==")
    if isinstance(left, str) or isinstance(right, str):
        raise ConstraintError(f'"{render(link)}" orders texts; compare texts with == or !=')
    return _ORDER[symbol](left, right)
