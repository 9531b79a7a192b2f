"""Ranges and values of NNI's parameters as an experiment file spells them for an option."""

import json
import math
from collections.abc import Sequence

from lsmtune.errors import OptionError
from lsmtune.model import Value
from lsmtune.nni._search_space import Grid, Parameter
from lsmtune.space import Kind, Option, read_value

_LEAST_SIZE = 1024  # smaller sizes are written as numbers


def range_text(option: Option, parameter: Parameter) -> str:
    """Return the range of an option as an inline table, with NNI's words behind it."""
    said = f"{parameter.type} {json.dumps(list(parameter.arguments))}"
    grid = parameter.grid
    if grid is None:
        return f"{_listed(option, parameter.choices)}  # {said}"
    if option.kind in (Kind.BOOL, Kind.CHOICE):
        if parameter.type != "randint":
            raise OptionError(f'option "{option.name}" is a {option.kind}; give its values as choice, not {said}')
        return f"{_listed(option, range(int(grid.low), int(grid.high) + 1))}  # {said}"
    note = f"; {grid.note}" if grid.note else ""
    if grid.listed:
        return f"{_listed(option, grid.listed)}  # {said}{note}"
    ends, rounding = _ends(option, grid)
    return f"{{ {', '.join(ends)} }}  # {said}{note}{rounding}"


def _ends(option: Option, grid: Grid) -> tuple[list[str], str]:
    """Return low, high, log and step, and what is to be said of them."""
    low, high, rounding = grid.low, grid.high, ""
    if low < 0 and option.low is not None and grid.note:
        low, rounding = option.low, "; what is below 0 is left out"
    step = grid.step
    if option.kind is Kind.INT and (step is None or step != int(step)):
        rounding += "; only whole numbers"
        low, high, step = math.ceil(low), math.floor(high), None
    ends = [f"low = {spelled(low, option)}", f"high = {spelled(high, option)}", f"log = {json.dumps(grid.log)}"]
    if step is not None and not (step == 1 and option.unit not in ("B", "B/s")):
        ends.append(f"step = {spelled(step, option)}")
    return ends, rounding


def _listed(option: Option, values: Sequence[Value]) -> str:
    read = dict.fromkeys(option_value(option, value) for value in values)
    return f"{{ values = [{', '.join(spelled(value, option) for value in read)}] }}"


def option_value(option: Option, raw: Value) -> Value:
    """Return the value of an option that a flag of db_bench means: 1 for true, 0 for level compaction.

    Raises:
        OptionError: the option cannot take it.
    """
    if option.kind is Kind.BOOL and str(raw) in ("0", "1"):
        return str(raw) == "1"
    if option.kind is Kind.CHOICE:
        spelled = {option.flag_values.get(choice, choice): choice for choice in option.choices}
        return read_value(option, spelled.get(str(raw), str(raw)))
    if isinstance(raw, float) and option.kind is Kind.INT and raw == int(raw):
        raw = int(raw)
    return read_value(option, raw)


def spelled(value: Value, option: Option | None = None) -> str:
    """Return a value as TOML: sizes like "64MiB", whole numbers without a point."""
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value == int(value) and (option is None or option.kind is Kind.INT):
        value = int(value)
    if option is not None and option.unit == "B" and isinstance(value, int) and value >= _LEAST_SIZE:
        for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if value % factor == 0:
                return f'"{value // factor}{unit}"'
    return repr(value)
