"""The little language of constraints: ``write_buffer_size * max_write_buffer_number + cache_size <= 1 GiB``.

A parser of its own instead of Python's `ast`: positions in messages are those of the user's text, sizes are part of
the grammar, and what is not in the grammar (calls, attributes, powers) cannot be reached at all.

    or_       := and_ ("or" and_)*
    and_      := not_ ("and" not_)*
    not_      := "not" not_ | relation
    relation  := sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*
    sum       := product (("+" | "-") product)*
    product   := factor (("*" | "/") factor)*
    factor    := "-" factor | "(" or_ ")" | NAME | NUMBER | SIZE | TEXT | "true" | "false"
"""

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn, TypeAlias

from lsmtune.errors import ConstraintError, QuantityError
from lsmtune.model import Value
from lsmtune.units import format_bytes, format_rate, parse_bytes

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


_MAX_LENGTH = 500
_MAX_DEPTH = 40
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<size>(?:\d+\.?\d*|\.\d+)\s*(?:[kmgtp](?:i?b)?|b)(?![\w.]))
  | (?P<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![\w.]))
  | (?P<name>[a-z_]\w*)
  | (?P<text>"[^"]*"|'[^']*')
  | (?P<symbol><=|>=|==|!=|[-+*/()<>])
    )""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_RELATIONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_KEYWORDS = frozenset({"and", "or", "not"})
_ADVICE = {
    "=": "compare with ==",
    "!": 'write "not"',
    "&": 'write "and"',
    "|": 'write "or"',
    ".": "write the plain name of an option",
    "^": "powers are not part of the language",
}


@dataclass(frozen=True)
class Expression:
    """A relation or a calculation over option values.

    Attributes:
        text: as it was written, without spaces at the ends.
        root: its parts.
    """

    text: str
    root: Node

    @classmethod
    def parse(cls, text: str) -> "Expression":
        """Return the expression that `text` means.

        Raises:
            ConstraintError: the text is not in the language; the message names text and position.
        """
        stripped = text.strip()
        if len(stripped) > _MAX_LENGTH:
            raise ConstraintError(
                f'constraint "{stripped[:40]}..." has {len(stripped)} characters; split it into constraints of at '
                f"most {_MAX_LENGTH}"
            )
        return cls(stripped, _Parser(stripped).parse())

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of options in the expression."""
        return frozenset(walk_names(self.root))

    def evaluate(self, values: Mapping[str, Value]) -> bool | float:
        """Return what the expression is worth, given the values of its names in base units.

        Raises:
            ConstraintError: a name has no value, an operand is of the wrong kind, or a divisor is zero.
        """
        try:
            value = evaluate(self.root, values)
        except ZeroDivisionError:
            raise ConstraintError(
                f'constraint "{self.text}" divides by zero; multiply both sides by the divisor'
            ) from None
        if isinstance(value, str):
            raise ConstraintError(f'constraint "{self.text}" is the text "{value}"; compare it with a value')
        return value


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._read_tokens()
        self._next = 0
        self._depth = 0

    def parse(self) -> Node:
        """Return the root of the whole text."""
        root = self._or()
        if self._peek().kind != "end":
            self._fail("is not expected here", "write one relation, joined with and/or")
        return root

    def _read_tokens(self) -> list[_Token]:
        tokens: list[_Token] = []
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None or match.lastgroup is None:
                raise self._unreadable(position)
            kind = match.lastgroup
            tokens.append(_Token(kind, match[kind], match.start(kind)))
            position = match.end()
        tokens.append(_Token("end", "", len(self._text)))
        return tokens

    def _unreadable(self, position: int) -> ConstraintError:
        rest = self._text[position:].lstrip()
        column = len(self._text) - len(rest) + 1
        advice = _ADVICE.get(rest[0], 'write numbers like 4 or 0.5, sizes like "64MiB", texts in quotes')
        shown = re.match(r"[\w.]+|.", rest, re.DOTALL)
        return ConstraintError(
            f'constraint "{self._text}", column {column}: "{shown[0] if shown else rest}" cannot be read; {advice}'
        )

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _accept(self, *texts: str) -> str | None:
        token = self._peek()
        if token.kind in {"symbol", "name"} and token.text.lower() in texts:
            self._next += 1
            return token.text.lower()
        return None

    def _fail(self, problem: str, advice: str) -> NoReturn:
        token = self._peek()
        shown = f'"{token.text}"' if token.kind != "end" else "the end"
        raise ConstraintError(f'constraint "{self._text}", column {token.position + 1}: {shown} {problem}; {advice}')

    def _or(self) -> Node:
        return self._junction("or", self._and)

    def _and(self) -> Node:
        return self._junction("and", self._not)

    def _junction(self, symbol: str, operand: Callable[[], Node]) -> Node:
        operands = [operand()]
        while self._accept(symbol):
            operands.append(operand())
        return operands[0] if len(operands) == 1 else Junction(symbol, tuple(operands))

    def _not(self) -> Node:
        if self._accept("not"):
            return self._nested(lambda: Not(self._not()))
        return self._relation()

    def _relation(self) -> Node:
        operands = [self._sum()]
        symbols: list[str] = []
        while symbol := self._accept(*_RELATIONS):
            symbols.append(symbol)
            operands.append(self._sum())
        return Comparison(tuple(operands), tuple(symbols)) if symbols else operands[0]

    def _sum(self) -> Node:
        return self._arithmetic(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._arithmetic(("*", "/"), self._factor)

    def _arithmetic(self, symbols: tuple[str, ...], operand: Callable[[], Node]) -> Node:
        left = operand()
        while symbol := self._accept(*symbols):
            left = Arithmetic(symbol, left, operand())
        return left

    def _factor(self) -> Node:
        if self._accept("-"):
            return self._nested(lambda: Negative(self._factor()))
        if self._accept("("):
            inside = self._nested(self._or)
            if not self._accept(")"):
                self._fail("stands where a parenthesis has to be closed", 'write ")"')
            return inside
        token = self._peek()
        if token.kind in {"symbol", "end"} or token.text.lower() in _KEYWORDS:
            self._fail("stands where a value has to be", "write an option, a number or a size")
        self._take()
        if token.kind == "name" and self._peek().text == "(":
            self._fail("starts a call", "the language has no functions; calculate with + - * /")
        return self._atom(token)

    def _atom(self, token: _Token) -> Node:
        if token.kind == "size":
            try:
                return Literal(parse_bytes(token.text), token.text, "B")
            except QuantityError as error:
                raise ConstraintError(f'constraint "{self._text}", column {token.position + 1}: {error}') from None
        if token.kind == "number":
            number = float(token.text)
            if not math.isfinite(number):
                self._next -= 1
                self._fail("is too large a number", "write a smaller one")
            return Literal(int(token.text) if token.text.isdigit() else number, token.text)
        if token.kind == "text":
            return Literal(token.text[1:-1], token.text)
        if token.text.lower() in {"true", "false"}:
            return Literal(token.text.lower() == "true", token.text.lower())
        return Name(token.text)

    def _nested(self, part: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._fail(f"is nested deeper than {_MAX_DEPTH} levels", "split the constraint")
        node = part()
        self._depth -= 1
        return node
