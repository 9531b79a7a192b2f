"""Files of properties that an experiment names: their options become fixed ones, the rest is the workload's.

What they held is kept with the experiment's text in a table of its own, so that a study does not depend on files that
change or go.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsmtune.backends import Backend, KeyPath, Problem, PropertyFile, joined
from lsmtune.backends.registry import tools_of
from lsmtune.errors import OptionError
from lsmtune.model import Value
from lsmtune.space import Catalogue
from lsmtune.units import format_bytes

FILES = "property_files"
"""The key under [workload]."""
KEPT = "from_property_files"
"""The table in which a study keeps what the files held."""
_PATH: KeyPath = ("workload", FILES)
_LARGEST = 1_000_000
_HEAD = "# What the property files held when the study was made."


@dataclass(frozen=True)
class FromFiles:
    """What property files add to an experiment.

    Attributes:
        document: the experiment with it.
        kept: the table that says it, as TOML; empty where there are no files.
        notes: what it is, in sentences.
        problems: what is wrong in the files, or does not fit the experiment.
    """

    document: dict[str, Any]
    kept: str = ""
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=())


def with_property_files(document: dict[str, Any], folder: Path) -> FromFiles:
    """Return an experiment with what the property files that it names add to it.

    Args:
        document: of the experiment's TOML, not checked.
        folder: where relative paths start.
    """
    kept = document.get(KEPT)
    document = {key: value for key, value in document.items() if key != KEPT}
    workload, engine = document.get("workload"), document.get("engine", {})
    names = workload.get(FILES) if isinstance(workload, dict) else None
    known = engine.get("name", "rocksdb") if isinstance(engine, dict) else None
    reader = next((each for each in tools_of(str(known)).values() if each.reads_property_files), None)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or reader is None:
        return FromFiles(document)  # the fields' own checks say what is wrong
    catalogue = reader.catalogue(str(known))
    found = _kept(kept) if isinstance(kept, dict) else _read(names, folder, reader, catalogue)
    problems = [*(Problem(_PATH, sentence) for sentence in found.problems), *_clashes(document, found, catalogue)]
    return FromFiles(
        _merged(document, found, catalogue), _table(found), tuple(_notes(names, found, catalogue)), tuple(problems)
    )


def without_property_files(text: str) -> str:
    """Return a kept experiment's text without what its property files held."""
    return text.partition(f"\n{_HEAD}\n")[0]


def _read(names: list[str], folder: Path, reader: Backend, catalogue: Catalogue) -> PropertyFile:
    files = []
    for name in names:
        try:
            text = (folder / Path(name).expanduser()).read_bytes()
        except (OSError, ValueError, RuntimeError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            files.append(PropertyFile(problems=(f"{name} cannot be read: {reason}; give a property file",)))
            continue
        if len(text) > _LARGEST:
            files.append(PropertyFile(problems=(f"{name} is too large for a property file; give another",)))
        else:
            files.append(reader.property_file(text.decode("utf-8", "replace"), name, catalogue))
    return joined(files)


def _kept(table: Mapping[str, Any]) -> PropertyFile:
    return PropertyFile(table.get("properties", {}), table.get("options", {}), tuple(table.get("passed_over", ())))


def _clashes(document: Mapping[str, Any], found: PropertyFile, catalogue: Catalogue) -> Iterator[Problem]:
    """Yield the options that the files fix and the experiment searches, or has in its own configuration."""
    space, own = _inner(document, "space"), _inner(_inner(document, "engine"), "options")
    listed = space.get("options")
    places = {
        "searched under space.options": listed if isinstance(listed, list) else (),
        "searched under space.ranges": _inner(space, "ranges"),
        "set under engine.options": own,
    }
    by_hand = {_named(name, catalogue) for name in _inner(space, "fixed")}
    for what, names in places.items():
        for option in dict.fromkeys(_named(name, catalogue) for name in names):
            if option in found.options and option not in by_hand:
                value = _spelled(option, found.options[option], catalogue)
                yield Problem(
                    _PATH,
                    f"the files fix {option} = {value}, and it is {what}; take it out of one of them",
                )


def _merged(document: dict[str, Any], found: PropertyFile, catalogue: Catalogue) -> dict[str, Any]:
    """Return the document with options under [space.fixed] and properties; what is written by hand wins."""
    space, workload = _inner(document, "space"), _inner(document, "workload")
    by_hand = _inner(space, "fixed")
    named = {_named(name, catalogue) for name in by_hand}
    fixed = {**{name: value for name, value in found.options.items() if name not in named}, **by_hand}
    properties = {**found.properties, **_inner(workload, "properties")}
    merged = {**document, "workload": {**workload, "properties": properties}}
    return {**merged, "space": {**space, "fixed": fixed}} if fixed else merged


def _notes(names: list[str], found: PropertyFile, catalogue: Catalogue) -> Iterator[str]:
    files = ", ".join(names)
    if found.options:
        words = (f"{name} = {_spelled(name, value, catalogue)}" for name, value in found.options.items())
        yield f"fixed by {files}: {', '.join(words)}"
    if found.passed_over:
        yield f"without effect in {files}: {', '.join(found.passed_over)}"


def _table(found: PropertyFile) -> str:
    """Return what the files held as TOML."""
    lines = ["", _HEAD, f"[{KEPT}]"]
    lines.append(f"passed_over = {json.dumps(list(found.passed_over))}")
    for name, values in (("properties", found.properties), ("options", found.options)):
        lines += ["", f"[{KEPT}.{name}]", *(f"{json.dumps(key)} = {_toml(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Value) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")  # TOML wants it escaped, JSON does not


def _spelled(name: str, value: Value, catalogue: Catalogue) -> str:
    if isinstance(value, bool | str):
        return json.dumps(value)
    return format_bytes(value) if catalogue.option(name).unit == "B" and value >= 0 else str(value)


def _inner(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    inner = table.get(key)
    return inner if isinstance(inner, dict) else {}


def _named(name: object, catalogue: Catalogue) -> str:
    """Return the catalogue's name of an option; what it does not know stays as it is."""
    try:
        return catalogue.option(str(name)).name
    except OptionError:
        return str(name)
