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
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from lsmtune.errors import ConstraintError, QuantityError
from lsmtune.model import Value
from lsmtune.space._nodes import (
    Arithmetic,
    Comparison,
    Junction,
    Literal,
    Name,
    Negative,
    Node,
    Not,
    evaluate,
    walk_names,
)
from lsmtune.units import parse_bytes

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
