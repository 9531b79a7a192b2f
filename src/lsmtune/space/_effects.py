"""What values of single options did in recorded runs of an engine: read from the data files in ``catalog/``."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value

Quantity: TypeAlias = tuple[str, str]
"""A kind of workload and an indicator."""
_Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Effects of one option.

    Attributes:
        knots: inverse hyperbolic sines of its numbers, ascending, shape (n,).
        effects: at the knots, shape (n, quantities); nan where nothing is known of a quantity there.
        words: effects of the values that are words, each of shape (quantities,), nan as before.
    """

    knots: _Floats
    effects: _Floats
    words: Mapping[str, _Floats]

    def at(self, values: npt.NDArray[Any], quantity: int) -> _Floats:
        """Return one effect of values, shape (n,): between known numbers interpolated, 0 where nothing is known."""
        if self.words:
            told = [self.words[value][quantity] if value in self.words else np.nan for value in values.tolist()]
            return np.asarray(np.nan_to_num(np.array(told), nan=0.0))
        known = np.isfinite(self.effects[:, quantity])
        if not known.any():
            return np.zeros(len(values))
        places = np.arcsinh(values.astype(np.float64))
        return np.asarray(np.interp(places, self.knots[known], self.effects[known, quantity]))


@dataclass(frozen=True)
class Effects:
    """By how much values of single options moved indicators; made by `effects_of`.

    Attributes:
        quantities: what is known.
        curves: by option.
    """

    quantities: tuple[Quantity, ...]
    curves: Mapping[str, Curve]

    def expected(
        self, columns: Mapping[str, npt.NDArray[Any]], reference: Mapping[str, Value], quantity: Quantity
    ) -> _Floats:
        """Return by how much an indicator is expected to differ from the reference's, as if options did not interact.

        Args:
            columns: values by option, each of shape (n,); an option that is left out stands at the reference.
            reference: value of every option.
            quantity: one of those that are known.

        Returns:
            The sum of the effects of all options as a natural logarithm, shape (n,); 0 of an option that is not known.
        """
        number = self.quantities.index(quantity)
        total = np.zeros(len(next(iter(columns.values()))))
        for name, column in columns.items():
            if name in self.curves:
                curve = self.curves[name]
                total += curve.at(column, number) - curve.at(np.array([reference[name]], dtype=object), number)
        return total


@cache
def effects_of(engine: str) -> Effects | None:
    """Return the effects that are known of an engine's options; None where none are."""
    file = files("lsmtune.space") / "catalog" / f"{engine}-effects.tsv"
    if not file.is_file():
        return None
    rows = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return read_effects(rows)


def read_effects(lines: list[str]) -> Effects:
    """Return the effects that lines of a table tell: a head, then one for each value of an option.

    An empty cell says that nothing is known of the quantity at this value: kinds of workloads were run over different
    ranges.
    """
    rows = list(csv.DictReader(lines, delimiter="\t"))
    heads = [head for head in rows[0] if head not in {"option", "value"}]
    told: dict[str, dict[str, _Floats]] = {}
    for row in rows:
        told.setdefault(row["option"], {})[row["value"]] = np.array([float(row[head] or "nan") for head in heads])
    pairs = tuple((kind, indicator) for kind, indicator in (head.split(" ") for head in heads))
    return Effects(pairs, {name: curve_of(values) for name, values in told.items()})


def curve_of(told: Mapping[str, _Floats]) -> Curve:
    """Return the curve through effects at some values, which are given as text."""
    numbers = {number: effects for text, effects in told.items() if (number := _number(text)) is not None}
    words = {text: effects for text, effects in told.items() if _number(text) is None}
    ordered = sorted(numbers)
    return Curve(np.arcsinh(ordered), np.array([numbers[number] for number in ordered]), words)


def _number(text: str) -> float | None:
    if text in {"true", "false"}:
        return float(text == "true")
    try:
        return float(text)
    except ValueError:
        return None
