"""An option as a table of the catalogue's data file describes it."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from lsmtune.errors import OptionError
from lsmtune.model import Value
from lsmtune.space._option import Format, Kind, Mutability, Option
from lsmtune.units import parse_bytes

OLDEST_VERSION = "7.8"
"""Facts start here; an older engine is taken for this version."""

_PLAIN_FIELDS = ("section", "unit", "log", "scaled", "floor", "constraint", "since", "until", "summary", "price")
_OPTION_FIELDS = frozenset(_PLAIN_FIELDS) | {
    *("flag", "key", "kind", "db_bench_default", "library_default", "range", "choices", "flag_values", "key_values"),
    *("special", "condition", "mutability", "format", "only_if_named"),
}
_NEEDED_FIELDS = ("section", "kind", "db_bench_default", "mutability", "format", "summary", "price")


def read_option(name: str, fields: dict[str, Any]) -> Option:
    """Return the option that a table of the catalogue describes; see the head of ``catalog/rocksdb.toml``.

    Raises:
        OptionError: a field is unknown or missing, or contradicts another; the message names the option.
    """
    unknown = fields.keys() - _OPTION_FIELDS
    if unknown:
        field = min(unknown)
        raise OptionError(advise(f'"{field}" is not a field of option "{name}"', field, sorted(_OPTION_FIELDS)))
    plain = {field: fields[field] for field in _PLAIN_FIELDS if field in fields}
    missing = [field for field in _NEEDED_FIELDS if field not in fields]
    if missing:
        raise OptionError(f'option "{name}" has no field "{missing[0]}"; add it to the catalogue')
    kind = Kind(fields["kind"])
    is_size = plain.setdefault("unit", "").startswith("B")
    low, high = (_number(bound, kind, is_size) for bound in fields["range"]) if "range" in fields else (None, None)
    stock = _by_version(fields["db_bench_default"], kind, is_size)
    return Option(
        name=name,
        flag=fields.get("flag", name) or None,
        key=fields.get("key", name) or None,
        kind=kind,
        db_bench_default=stock,
        library_default=_by_version(fields["library_default"], kind, is_size) if "library_default" in fields else stock,
        low=low,
        high=high,
        choices=tuple(fields.get("choices", ())),
        only_if_named=tuple(fields.get("only_if_named", ())),
        flag_values=fields.get("flag_values", {}),
        key_values=fields.get("key_values", {}),
        special={_special(text, kind): meaning for text, meaning in fields.get("special", {}).items()},
        condition={other: tuple(values) for other, values in fields.get("condition", {}).items()},
        mutability=Mutability(fields["mutability"]),
        format=Format(fields["format"]),
        **plain,
    )


def _by_version(raw: Any, kind: Kind, is_size: bool) -> Mapping[str, Value]:
    table = raw if isinstance(raw, dict) else {OLDEST_VERSION: raw}
    return {first: _number(value, kind, is_size) if _is_number(kind) else value for first, value in table.items()}


def _number(raw: Any, kind: Kind, is_size: bool) -> int | float:
    if kind is Kind.FLOAT:
        return float(raw)
    return parse_bytes(raw) if is_size and isinstance(raw, str) else int(raw)


def _special(text: str, kind: Kind) -> Value:
    return _number(int(text) if kind is Kind.INT else text, kind, is_size=False) if _is_number(kind) else text


def _is_number(kind: Kind) -> bool:
    return kind in (Kind.INT, Kind.FLOAT)


def advise(statement: str, name: str, known: Iterable[str]) -> str:
    """Return the statement with the known name that is closest to `name`, if one is close."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"{statement}; did you mean {close[0]}?" if close else f"{statement}; look for it in the catalogue"
