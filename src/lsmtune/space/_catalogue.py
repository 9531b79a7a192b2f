"""The catalogue of an engine's options: read from the data files in ``catalog/``, looked up, narrowed to a version."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from lsmtune.errors import OptionError
from lsmtune.model import Value
from lsmtune.space._option import Format, Kind, Mutability, Option
from lsmtune.units import parse_bytes

OLDEST_VERSION = "7.8"
"""Facts start here; an older engine is taken for this version."""

_PLAIN_FIELDS = ("section", "unit", "log", "scaled", "floor", "constraint", "since", "until", "summary", "price")
_OPTION_FIELDS = frozenset(_PLAIN_FIELDS) | {
    *("flag", "key", "kind", "db_bench_default", "library_default", "range", "choices", "flag_values", "key_values"),
    *("special", "condition", "also_if", "condition_since", "mutability", "online_since", "format", "only_if_named"),
    "choices_since",
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
    default = _by_version(fields["db_bench_default"], kind, is_size)
    return Option(
        name=name,
        flag=fields.get("flag", name) or None,
        key=fields.get("key", name) or None,
        kind=kind,
        db_bench_default=default,
        library_default=_by_version(fields["library_default"], kind, is_size)
        if "library_default" in fields
        else default,
        low=low,
        high=high,
        choices=tuple(fields.get("choices", ())),
        only_if_named=tuple(fields.get("only_if_named", ())),
        choices_since=fields.get("choices_since", {}),
        flag_values=fields.get("flag_values", {}),
        key_values=fields.get("key_values", {}),
        special={_special(text, kind): meaning for text, meaning in fields.get("special", {}).items()},
        condition={other: tuple(values) for other, values in fields.get("condition", {}).items()},
        also_if={other: tuple(values) for other, values in fields.get("also_if", {}).items()},
        condition_since=fields.get("condition_since", {}),
        mutability=Mutability(fields["mutability"]),
        online_since=fields.get("online_since"),
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


CATALOGUE_VERSION = 1
"""Format of the data files. 1: options, constraints; presets in a file of their own."""

_EVERY = "*"


@dataclass(frozen=True)
class EngineConstraint:
    """A relation between options that the engine itself demands.

    Attributes:
        expression: the relation, in the language of constraints.
        why: a sentence: what the engine does where the relation is broken.
        until: first version that no longer demands it; None where all do.
        without_own_cache: demanded only where the engine makes no block cache by itself.
    """

    expression: str
    why: str
    until: str | None = None
    without_own_cache: bool = False


@dataclass(frozen=True)
class Preset:
    """A named set of options to search or to rank.

    Attributes:
        name: for example ``"write-heavy"``.
        summary: a sentence.
        options: names of options, in the order in which they are shown.
        workload_axes: parameters of the source that describe the workload; they may be axes of an importance study,
            never of a search.
    """

    name: str
    summary: str
    options: tuple[str, ...]
    workload_axes: tuple[str, ...] = ()


class ChangedDefault(NamedTuple):
    """A default of db_bench that differs between the catalogue and a binary."""

    option: Option
    catalogue: Value
    binary: Value


@dataclass(frozen=True)
class Catalogue:
    """What lsmtune knows about an engine's options.

    Attributes:
        engine: its name.
        options: by name, in the order in which they are shown.
        aliases: OPTIONS key -> name, for the keys that differ from the name.
        constraints: relations that the engine demands.
        presets: by name.
        lacking: names and OPTIONS keys of the engine's options that it was narrowed by.
    """

    engine: str
    options: Mapping[str, Option]
    aliases: Mapping[str, str]
    constraints: tuple[EngineConstraint, ...] = ()
    presets: Mapping[str, Preset] = field(default_factory=dict)
    lacking: frozenset[str] = frozenset()

    def option(self, name: str) -> Option:
        """Return the option with this name or OPTIONS key.

        Raises:
            OptionError: there is none, and the message offers similar names; or what runs here lacks it.
        """
        found = self.options.get(self.aliases.get(name, name))
        if found is None and name in self.lacking:
            raise OptionError(
                f'"{name}" is an option of {self.engine} that what runs here lacks; take it out, or use another build'
            )
        if found is None:
            known = (*self.options, *self.aliases)
            raise OptionError(advise(f'"{name}" is not an option of {self.engine}', name, known))
        return found

    def preset(self, name: str) -> Preset:
        """Return the preset with this name.

        Raises:
            OptionError: there is none; the message lists them.
        """
        if name not in self.presets:
            raise OptionError(f'"{name}" is not a preset of {self.engine}; choose one of {", ".join(self.presets)}')
        return self.presets[name]

    def for_version(self, version: tuple[int, ...]) -> "Catalogue":
        """Return what the engine at `version` has: options with their choices and how they change, relations, presets.

        A version before 7.8 is taken for 7.8, but for choices; `missing_flags` tells what such a binary lacks.
        """
        there = self.without(name for name, option in self.options.items() if not _exists(option, version))
        return replace(
            there,
            options={name: _as_of(option, version) for name, option in there.options.items()},
            constraints=tuple(item for item in there.constraints if not _is_past(item.until, version)),
        )

    def with_own_cache(self) -> "Catalogue":
        """Return what the engine has beside an OPTIONS file that may leave it to make a block cache by itself."""
        return replace(self, constraints=tuple(item for item in self.constraints if not item.without_own_cache))

    def without(self, names: Iterable[str]) -> "Catalogue":
        """Return the catalogue without some options, and without the relations that need them."""
        dropped = frozenset(names)
        kept = {name: option for name, option in self.options.items() if name not in dropped}
        keys = {key for key, name in self.aliases.items() if name in dropped}
        return replace(
            self,
            options=kept,
            lacking=self.lacking | (self.options.keys() & dropped) | keys,
            aliases={key: name for key, name in self.aliases.items() if name in kept},
            constraints=tuple(
                item for item in self.constraints if dropped.isdisjoint(re.findall(r"\w+", item.expression))
            ),
            presets={
                name: replace(preset, options=tuple(item for item in preset.options if item in kept))
                for name, preset in self.presets.items()
            },
        )


@cache
def catalogue(engine: str = "rocksdb") -> Catalogue:
    """Return lsmtune's own catalogue of an engine; it is read once and shared, so leave its mappings as they are.

    A backend may bring another: `lsmtune.backends.registry.catalogue_of` has those of all engines.

    Raises:
        OptionError: there is none for the engine.
    """
    folder = files("lsmtune.space") / "catalog"
    options = folder / f"{engine}.toml"
    if not options.is_file():
        raise OptionError(f'there is no catalogue of options for "{engine}" in lsmtune; its backend has to bring one')
    presets = folder / f"{engine}-presets.toml"
    return read_catalogue(options.read_text("utf-8"), presets.read_text("utf-8"))


def read_catalogue(options_text: str, presets_text: str = "") -> Catalogue:
    """Return the catalogue that the two data files, given as their text, describe.

    Raises:
        OptionError: a field is unknown or contradicts another; the message names the entry.
    """
    data = tomllib.loads(options_text)
    if data.get("version") != CATALOGUE_VERSION:
        raise OptionError(f"the catalogue has format {data.get('version')}, this lsmtune reads {CATALOGUE_VERSION}")
    options = {name: read_option(name, fields) for name, fields in data.get("options", {}).items()}
    for option in options.values():
        _check_condition(option, options)
    return Catalogue(
        engine=data["engine"],
        options=options,
        aliases=_aliases(options),
        constraints=tuple(EngineConstraint(**item) for item in data.get("constraint", ())),
        presets={
            name: _preset(name, fields, options)
            for name, fields in tomllib.loads(presets_text).get("presets", {}).items()
        },
    )


def default_of(option: Option, which: Literal["tool", "library"], version: tuple[int, ...]) -> Value | None:
    """Return the default at full size that the engine's db_bench, or the engine as a library, has at `version`.

    None where the option did not exist yet; a version before the first that is known, as all of LevelDB's are, is taken
    for that, which is 7.8 or, where the catalogue says so, an older one.
    """
    by_version = option.db_bench_default if which == "tool" else option.library_default
    known = [(_version(first), value) for first, value in by_version.items()]
    oldest = min([_version(OLDEST_VERSION), *(first for first, _ in known)])
    past = [item for item in known if item[0] <= max(version, oldest)]
    return max(past, key=lambda item: item[0])[1] if past else None


def mutability_of(option: Option, version: tuple[int, ...]) -> Mutability:
    """Return how a changed value of an option reaches a running database of the engine at `version`."""
    is_early = option.online_since is not None and version < _version(option.online_since)
    return Mutability.RESTART if is_early else option.mutability


def library_values(catalogue: Catalogue, version: tuple[int, ...]) -> dict[str, Value]:
    """Return the value of each option in the engine as a library; what only db_bench has keeps db_bench's value."""
    values = {name: default_of(option, "library", version) for name, option in catalogue.options.items()}
    return {name: value for name, value in values.items() if value is not None}


def missing_flags(catalogue: Catalogue, build_flags: Iterable[str]) -> tuple[Option, ...]:
    """Return the options whose flag is not among `build_flags`, the flags that a binary knows."""
    known = frozenset(build_flags)
    return tuple(
        option for option in catalogue.options.values() if option.flag is not None and option.flag not in known
    )


def changed_defaults(
    catalogue: Catalogue, version: tuple[int, ...], flags: Mapping[str, str]
) -> tuple[ChangedDefault, ...]:
    """Return where a binary's printed defaults differ from the catalogue's defaults of db_bench at `version`.

    Args:
        catalogue: the options to look at.
        version: the binary's version.
        flags: default by flag, as ``--help`` prints it; strings with or without their quotes.
    """
    changed = []
    for option in catalogue.options.values():
        expected = default_of(option, "tool", version)
        if expected is None or option.flag is None or option.flag not in flags:
            continue
        printed = _value_of_flag(option, flags[option.flag])
        if printed != expected:
            changed.append(ChangedDefault(option, expected, printed))
    return tuple(changed)


def _value_of_flag(option: Option, text: str) -> Value:
    """Return the value that `text` means; the text itself where it means none."""
    bare = text.strip().strip('"')
    if option.kind is Kind.CHOICE:
        return {option.flag_values.get(choice, choice): choice for choice in option.choices}.get(bare, bare)
    if option.kind is Kind.BOOL:
        return {"true": True, "false": False}.get(bare, bare)
    try:
        return int(bare) if option.kind is Kind.INT else float(bare)
    except ValueError:
        return bare


def _check_condition(option: Option, options: Mapping[str, Option]) -> None:
    for other, values in (*option.condition.items(), *option.also_if.items()):
        if other not in options:
            raise OptionError(advise(f'option "{option.name}" depends on the unknown "{other}"', other, options))
        for value in values:
            if not options[other].takes(value):
                raise OptionError(f'option "{option.name}" depends on {other} = {value!r}, which {other} cannot take')


def _aliases(options: Mapping[str, Option]) -> Mapping[str, str]:
    aliases: dict[str, str] = {}
    for option in options.values():
        if option.key is None or option.key == option.name:
            continue
        if option.key in options or option.key in aliases:
            raise OptionError(f'option "{option.name}" has the key "{option.key}", which means another option as well')
        aliases[option.key] = option.name
    return aliases


def _preset(name: str, fields: dict[str, Any], options: Mapping[str, Option]) -> Preset:
    axes = tuple(fields.get("workload_axes", ()))
    listed = tuple(item for item in fields["options"] if item not in axes)
    if listed == (_EVERY,):
        listed = tuple(item.name for item in options.values() if item.flag is not None and item.searchable)
    for item in listed:
        if item not in options:
            raise OptionError(advise(f'preset "{name}" names the unknown option "{item}"', item, options))
    return Preset(name, fields["summary"], listed, axes)


def _as_of(option: Option, version: tuple[int, ...]) -> Option:
    """Return the option as an engine at `version` has it: its choices, its effect, and how it is changed."""
    now = mutability_of(option, version)
    if now is not option.mutability:
        option = replace(option, mutability=now, online_since=None)
    early = frozenset(value for value, since in option.condition_since.items() if version < _version(since))
    if early:
        condition, also_if = (_without(needed, early) for needed in (option.condition, option.also_if))
        option = replace(option, condition=condition, also_if=also_if, condition_since={})
    late = frozenset(choice for choice, since in option.choices_since.items() if version < _version(since))
    if not late:
        return option
    return replace(
        option,
        choices=tuple(choice for choice in option.choices if choice not in late),
        choices_since={},
        only_if_named=tuple(choice for choice in option.only_if_named if choice not in late),
        flag_values={choice: text for choice, text in option.flag_values.items() if choice not in late},
        key_values={choice: text for choice, text in option.key_values.items() if choice not in late},
    )


def _without(needed: Mapping[str, tuple[Value, ...]], dropped: frozenset[str]) -> dict[str, tuple[Value, ...]]:
    return {name: tuple(value for value in values if value not in dropped) for name, values in needed.items()}


def _exists(option: Option, version: tuple[int, ...]) -> bool:
    at = max(version, _version(OLDEST_VERSION))
    return _version(option.since) <= at and not _is_past(option.until, at)


def _is_past(until: str | None, version: tuple[int, ...]) -> bool:
    return until is not None and version >= _version(until)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
