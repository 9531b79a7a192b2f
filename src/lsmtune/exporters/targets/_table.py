"""The key table of a target system: what each option is called there, in which unit, and what its default is."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from lsmtune.errors import ExportError, UsageError
from lsmtune.model import Value
from lsmtune.space import OLDEST_VERSION, Kind, Option, catalogue, default_of, mutability_of
from lsmtune.units import parse_bytes

TARGET_VERSION = 2
"""Format of the tables. 1: versions, layout, objects, imports, defaults, values, keys, absent, companions; 2: older.

Since then a companion may stand beside all keys, and what is changed online only in later versions has titles (later).
"""

UNKNOWN = "?"
"""In place of a default that depends on the machine, or that is not known: such a value is always written."""

_FOLDER = "lsmtune.exporters.targets"
_NAMES = (
    "rocksdict",
    "set-options",
    "rocksjava",
    "kafka-streams",
    "flink",
    "myrocks",
    "ceph",
    "tikv",
    "kvrocks",
    "arangodb",
    "rust",
    "go",
)
_BOOLEANS = ("true", "false")
_NEWEST_CHECKED = "11.8"
"""The newer of the two versions that the catalogue was checked with; see the head of its data file."""


@dataclass(frozen=True)
class Key:
    """A key of a target, and how the values of options are written under it.

    Attributes:
        name: as the target calls it.
        options: the options that it sets.
        on: the object or section that it belongs to, a name of `Target.objects`.
        unit: in what numbers are written, see `_values.py`.
        line: template of the line; its fields are ``key``, ``value`` (that of the only option), names of options, and
            ``on``, ``levels`` (the compression of each level).
        lines: templates by the value of the option `by`, instead of one template.
        values: spelling of values; a choice that has none here cannot be held.
        separator: what stands between the compression of two levels.
        levels: how many levels their list has to have; 0 for as many as the tree has.
        most: the largest value that the target takes, in base units; None without a bound.
        note: what has to be known of it, a sentence; it stands above the line.
    """

    name: str
    options: tuple[str, ...]
    on: str
    unit: str
    line: str
    lines: Mapping[str, str]
    by: str
    values: Mapping[str, str]
    separator: str
    levels: int
    most: int | None
    note: str


@dataclass(frozen=True)
class Block:
    """What stands around the lines of an object or a section.

    Attributes:
        open, close: text before and after its lines as it stands; empty where nothing has to stand there.
        indent: what each of its lines begins with.
        join: what stands between its parts, where all are one line; None where each has a line of its own.
        within: the object whose part the joined line is.
        always: whether it stands there with nothing in it as well.
        booleans: words for true and false within it; empty where they are those of the target.
    """

    open: str = ""
    close: str = ""
    indent: str = ""
    join: str | None = None
    within: str = ""
    always: bool = False
    booleans: tuple[str, ...] = ()


@dataclass(frozen=True)
class Absent:
    """Options that a target cannot hold.

    Attributes:
        options: their names.
        why: what that means, a clause.
        title: the list that they stand in.
    """

    options: tuple[str, ...]
    why: str
    title: str


@dataclass(frozen=True)
class Companion:
    """Text that has to stand beside the keys of some options, or beside all.

    Attributes:
        options: it stands where one of them is written; empty where it always stands.
        on: the object or section that it belongs to.
        line: what is written; empty where there is only something to know.
        note: why, a sentence.
    """

    options: tuple[str, ...]
    on: str
    line: str
    note: str


@dataclass(frozen=True)
class Target:
    """A system that embeds RocksDB, at one of its versions.

    Attributes:
        name: what the user calls it.
        title: what it is called.
        version: the version that is written for.
        versions: RocksDB's version by version of the target, the newest first.
        source: where the keys and defaults were looked up, and at which version.
        checked: how exports are checked, a clause.
        summary: what is written, a sentence.
        file: the name that its file should have.
        comment: what a comment begins with.
        notes: what has to be known of the target, sentences.
        before, after: text around everything; ``{imports}`` stands for the lines of `imports`.
        imports: names that are imported where they are used, and the template of the line.
        objects: objects or sections by name, in the order in which they are written.
        defaults: the target's own defaults where they differ from those of its RocksDB.
        of_reference: whether values are compared with those of the study's reference instead of defaults.
        booleans: its words for true and false.
        keys, absent, companions: see there.
    """

    name: str
    title: str
    version: str
    versions: Mapping[str, str]
    source: str
    checked: str
    summary: str
    file: str
    comment: str
    notes: tuple[str, ...]
    before: str
    after: str
    imports: Mapping[str, Any]
    objects: Mapping[str, Block]
    defaults: Mapping[str, Any]
    of_reference: bool
    booleans: tuple[str, ...]
    keys: tuple[Key, ...]
    absent: tuple[Absent, ...]
    companions: tuple[Companion, ...] = field(default=())

    @property
    def rocksdb(self) -> str:
        """The version of RocksDB that the target bundles; `UNKNOWN` where no source was found for it."""
        return self.versions[self.version]

    @property
    def words(self) -> str:
        """The target and its version in words."""
        return f"{self.title} {self.version}"

    def default(self, option: Option) -> Value | None:
        """Return the value that an option has in the target if nobody sets it, at full size; None where unknown."""
        if option.name in self.defaults:
            stated = self.defaults[option.name]
            return None if stated == UNKNOWN else _value(option, stated)
        ever = set(option.library_default.values())
        if len(ever) == 1:
            return ever.pop()
        if self.rocksdb == UNKNOWN or _is_vague(option, numbers(self.rocksdb)):
            return None
        return default_of(option, "library", numbers(self.rocksdb))


def target_names() -> tuple[str, ...]:
    """Return the names of all targets."""
    return _NAMES


def find_target(text: str) -> Target:
    """Return the target that ``NAME`` or ``NAME@VERSION`` names; without a version, the newest that is known.

    Raises:
        UsageError: there is no such target, or nothing is known of that version of it.
    """
    name, at, version = text.partition("@")
    if name not in _NAMES:
        raise UsageError(f'"{name}" is not a target; choose one of {", ".join(_NAMES)}')
    data = _data(name)
    known = tuple(data["versions"])
    if not at:
        return _target(name, data, known[0])
    fitting = [each for each in known if numbers(version)[: len(numbers(each))] == numbers(each)]
    if not fitting or not re.fullmatch(r"\d+(\.\d+)*", version):
        raise UsageError(
            f'no keys are known for {data["title"]} "{version}"; choose one of '
            f"{', '.join(f'{name}@{each}' for each in known)}"
        )
    return _target(name, data, fitting[0])


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers."""
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


@cache
def _data(name: str) -> dict[str, Any]:
    data = tomllib.loads((files(_FOLDER) / f"{name}.toml").read_text("utf-8"))
    if data.get("format") != TARGET_VERSION:
        raise ExportError(f"the keys of {name} have format {data.get('format')}, this lsmtune reads {TARGET_VERSION}")
    return data


def _target(name: str, data: Mapping[str, Any], version: str) -> Target:
    older: Mapping[str, Any] = data.get("older", {}).get(version, {})
    data = {**data, "values": _known_words(data.get("values", {}), older.get("lacks_words", {}))}
    layout = data.get("layout", {})
    title = f"{data['title']} cannot hold"
    lacks = tuple(Absent(tuple(each.split()), older["why"], title) for each in older.get("lacks", ()))
    lacks += _not_yet_online(data.get("later", {}), numbers(data["versions"][version]))
    lacking = {name for absent in lacks for name in absent.options}
    return Target(
        name=name,
        title=data["title"],
        version=version,
        versions=data["versions"],
        source=data["source"],
        checked=data["checked"],
        summary=data["summary"],
        file=data["file"],
        comment=layout.get("comment", "#"),
        notes=tuple(data.get("notes", ())),
        before=layout.get("before", ""),
        after=layout.get("after", ""),
        imports=data.get("imports", {}),
        objects={each: _block(fields) for each, fields in data["objects"].items()},
        defaults={**data.get("defaults", {}), **older.get("defaults", {})},
        of_reference=layout.get("of_reference", False),
        booleans=tuple(layout.get("booleans", _BOOLEANS)),
        keys=tuple(
            _key(options, fields, data)
            for options, fields in {**data["keys"], **older.get("keys", {})}.items()
            if not lacking.issuperset(options.split())
        ),
        absent=(*(_absent(fields, title) for fields in data.get("absent", ())), *lacks),
        companions=tuple(
            Companion(tuple(each.get("options", ())), each.get("on", ""), each.get("line", ""), each.get("note", ""))
            for each in data.get("companions", ())
        ),
    )


def _known_words(
    values: Mapping[str, Mapping[str, str]], lacking: Mapping[str, Sequence[str]]
) -> Mapping[str, Mapping[str, str]]:
    return {
        name: {word: spelled for word, spelled in known.items() if word not in lacking.get(name, ())}
        for name, known in values.items()
    }


def _not_yet_online(titles: Mapping[str, str], rocksdb: tuple[int, ...]) -> tuple[Absent, ...]:
    """Return the options that a later RocksDB changes online, title by title; none where there are no titles."""
    return tuple(
        Absent((option.name,), f"SetOptions takes it since RocksDB {option.online_since}", title)
        for depends, title in titles.items()
        for option in catalogue().options.values()
        if option.format == depends and mutability_of(option, rocksdb) is not option.mutability
    )


def _absent(fields: Mapping[str, Any], title: str) -> Absent:
    return Absent(tuple(fields["options"]), fields["why"], fields.get("title", title))


def _block(fields: Mapping[str, Any]) -> Block:
    return Block(**{**fields, "booleans": tuple(fields.get("booleans", ()))})


def _key(options: str, fields: str | Mapping[str, Any], data: Mapping[str, Any]) -> Key:
    stated: Mapping[str, Any] = {"name": fields} if isinstance(fields, str) else fields
    values = stated.get("values", {})
    on = stated.get("on", next(iter(data["objects"])))
    lines = data.get("layout", {}).get("lines", {})
    return Key(
        name=stated["name"],
        options=tuple(options.split()),
        on=on,
        unit=stated.get("unit", ""),
        line=stated.get("line", "" if "lines" in stated else lines.get(on, data.get("layout", {}).get("line", ""))),
        lines=stated.get("lines", {}),
        by=stated.get("by", options.split(maxsplit=1)[0]),
        values=data.get("values", {})[values] if isinstance(values, str) else values,
        separator=stated.get("separator", ", "),
        levels=stated.get("levels", 0),
        most=stated.get("most"),
        note=stated.get("note", ""),
    )


def _value(option: Option, stated: Any) -> Value:
    if option.kind is Kind.FLOAT:
        return float(stated)
    if isinstance(stated, str) and option.kind is Kind.INT:
        return parse_bytes(stated)
    value: Value = stated
    return value


def _is_vague(option: Option, version: tuple[int, ...]) -> bool:
    """Tell whether a default changed at an unknown release between the two that the catalogue was checked with.

    Such a change is entered at the newer one, so for a version in between nothing is known.
    """
    between = numbers(OLDEST_VERSION) < version[:2] < numbers(_NEWEST_CHECKED)
    return between and _NEWEST_CHECKED in option.library_default
