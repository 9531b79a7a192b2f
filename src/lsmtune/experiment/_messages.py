"""Problems of an experiment file, and pydantic's findings turned into plain sentences."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from lsmtune.backends import KeyPath, Problem, one_of, suggestion
from lsmtune.errors import EngineError, UsageError
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._fields import shown

_HOW_TO_WRITE = {
    "workload": 'write [workload] with benchmarks = "fillrandom" and num = "64M"',
    "workload.benchmarks": 'write benchmarks = "fillrandom"',
    "workload.num": 'write the number of keys at full size, num = "64M"',
    "workload.max_rate.limit": 'write it like limit = "5ms"',
    "hosts.scheduler": 'write scheduler = "tls://lab-0:8786"',
    "reproduce.of": 'write of = "jin2022"',
}
_HOW_TO_WRITE_IN_LISTS = {
    "name": 'write name = "larger buffers"',
    "set": 'write set = { write_buffer_size = "8MiB" }',
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_TYPES = {
    "string_type": 'is not text; write it in quotes, "..."',
    "int_type": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_type": "is not a number",
    "finite_number": "is not a finite number",
    "bool_type": "is not true or false; write it without quotes",
    "model_type": "is not a table; write [{place}] on a line of its own and its keys below",
    "dict_type": "is not a table; write [{place}] on a line of its own and its keys below",
}


def refusal(action: Callable[[], object]) -> str:
    """Return the sentence with which `action` refuses, or nothing."""
    try:
        action()
    except (UsageError, EngineError) as error:
        return str(error)
    return ""


def about(name: str, sentence: str) -> str:
    """Return the sentence without the option at its beginning, which the place names already."""
    return sentence.removeprefix(f'option "{name}"').removeprefix(":").lstrip()


def problems_of(error: ValidationError) -> Iterator[Problem]:
    """Yield a plain sentence for each of pydantic's findings."""
    for details in error.errors(include_url=False):
        path = tuple(details["loc"])
        yield Problem(path, _sentence(path, details))


def _sentence(path: KeyPath, details: ErrorDetails) -> str:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    place = ".".join(str(part) for part in path)
    match kind:
        case "extra_forbidden":
            sentence = _unknown_key(path)
        case "missing":
            sentence = f"is missing; {_HOW_TO_WRITE.get(place) or _HOW_TO_WRITE_IN_LISTS[str(path[-1])]}"
        case "value_error":
            sentence = str(context["error"])
        case "literal_error" | "enum":
            sentence = _not_one_of(value, str(context["expected"]))
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            bound, words = _BOUNDS[kind]
            sentence = f"{shown(value)} is outside the range; write {words} {context[bound]:g}"
        case _:
            sentence = f"{shown(value)} {_TYPES.get(kind, details['msg']).format(place=place)}"
    return sentence


def _not_one_of(value: object, expected: str) -> str:
    """Refuse `value`; `expected` is pydantic's list: ``'a', 'b' or 'c'``, or ``<Kind.A: 'a'> or <Kind.B: 'b'>``."""
    allowed = re.findall(r"'([^']*)'", expected)
    hint = suggestion(value, allowed) if isinstance(value, str) else ""
    return f"{shown(value)} is not {one_of(allowed)}{hint}"


def _unknown_key(path: KeyPath) -> str:
    *table, key = (str(part) for part in path)
    tables = dict(_tables(Experiment))
    own = next(keys for pattern, keys in tables.items() if _matches(table, pattern))
    hint = suggestion(key, own)
    if not hint:
        homes = [pattern for pattern, keys in tables.items() if key in keys and "*" not in pattern]
        hint = f"; it belongs {_home(homes[0])}" if homes else f"; its keys are {', '.join(sorted(own))}"
    shown_table = [part for part in path[:-1] if isinstance(part, str)]  # without places in lists
    return f"is not a key of {'[' + '.'.join(shown_table) + ']' if table else 'an experiment'}{hint}"


def _matches(table: Sequence[str], pattern: tuple[str, ...]) -> bool:
    return len(table) == len(pattern) and all(part in ("*", key) for key, part in zip(table, pattern, strict=True))


def _home(table: tuple[str, ...]) -> str:
    return f"to [{'.'.join(table)}]" if table else "to the top of the file, above the first table"


def _tables(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], frozenset[str]]]:
    """Yield the path and the keys of every table; ``*`` stands for a key that the user chooses."""
    fields = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    yield path, frozenset(fields)
    for key, annotation in fields.items():
        inner, depth = _table_in(annotation)
        if inner is not None:
            yield from _tables(inner, (*path, key, *("*",) * depth))


def _table_in(annotation: Any) -> tuple[type[BaseModel] | None, int]:
    """Return the table that a field holds, and how many keys or places chosen by the user lead to it."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, 0
    for part in get_args(annotation):
        inner, depth = _table_in(part)
        if inner is not None:
            return inner, depth + (get_origin(annotation) in (dict, tuple))
    return None, 0
