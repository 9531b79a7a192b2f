"""A RocksDB OPTIONS file: read, changed value by value, and written back with all else as it was."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsmtune.errors import UsageError

DEFAULT_FAMILY = "default"

_HEADER = re.compile(r"\[\s*([\w/]+)\s*(?:\"((?:[^\"\\]|\\.)*)\")?\s*\]")
_NUMBERED = re.compile(r"OPTIONS-(\d+)")
_COMMENT = re.compile(r"(?<!\\)#.*")
# Where a section is written if the file lacks it.
_HEADERS = {
    "DB": "[DBOptions]",
    "CF": f'[CFOptions "{DEFAULT_FAMILY}"]',
    "Table": f'[TableOptions/BlockBasedTable "{DEFAULT_FAMILY}"]',
}
_OLD_DEFAULT = f"{DEFAULT_FAMILY} before"
_PATH_KEYS = ("wal_dir", "db_log_dir")


@dataclass(frozen=True)
class OptionsFile:
    """The text of an OPTIONS file, with its values by section and key.

    Sections are ``"Version"``, ``"DB"``, and ``"CF"`` and ``"Table"`` of the column family "default". A key may reach
    into a nested value with a dot: ``compression_opts.level``. Order, comments and unknown keys are kept.

    Attributes:
        place: name of the file, for messages.
        lines: its lines, without line ends.
    """

    place: str
    lines: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, place: str) -> "OptionsFile":
        """Read the text of an OPTIONS file.

        Raises:
            UsageError: the text is no OPTIONS file; the message names the line.
        """
        file = cls(place, tuple(text.splitlines()))
        sections = file._index.sections
        for section, header in (("Version", "[Version]"), ("CF", _HEADERS["CF"])):
            if section not in sections:
                raise UsageError(f"{place} has no {header} section; give an OPTIONS file as RocksDB writes it")
        return file

    @property
    def version(self) -> str | None:
        """The rocksdb_version that the file names; None where it names none."""
        return self.get("Version", "rocksdb_version")

    @property
    def other_families(self) -> tuple[str, ...]:
        """Column families besides "default"; their values are kept and never read or changed."""
        return self._index.other_families

    def get(self, section: str, key: str) -> str | None:
        """Return the text of a value; None where the file has no such key."""
        outer, *path = key.split(".")
        number = self._index.keys.get((section, outer))
        if number is None:
            return None
        value: str | None = _split_line(self.lines[number])[1]
        for name in path:
            value = None if value is None else dict(nested(value)).get(name)
        return value

    def values(self, section: str) -> dict[str, str]:
        """Return the texts of all values of a section; a nested value by its parts, whose names have dots."""
        found: dict[str, str] = {}
        for (of, key), number in self._index.keys.items():
            if of == section:
                _flatten(key, _split_line(self.lines[number])[1], found)
        return found

    def set(self, section: str, key: str, value: str) -> "OptionsFile":
        """Return the file with a value set; a new key goes to the end of its section.

        Raises:
            UsageError: the key reaches into a value that is not nested, or the section cannot be in this file.
        """
        outer, *path = key.split(".")
        number = self._index.keys.get((section, outer))
        if number is None:
            inner = value
            for name in reversed(path):
                inner = f"{{{name}={inner};}}"
            return self._with_new_key(section, f"  {outer}={inner}")
        line = self.lines[number]
        if path:
            try:
                value = _with_nested(_split_line(line)[1], path, value)
            except ValueError:
                where = f"{self.place}:{number + 1}"
                raise UsageError(
                    f"{where}: {outer} is not written as {{name=value;...}}, so {key} has no place"
                ) from None
        indent = line[: len(line) - len(line.lstrip())]
        return self._with_lines(*self.lines[:number], f"{indent}{outer}={value}", *self.lines[number + 1 :])

    def without(self, section: str, key: str) -> "OptionsFile":
        """Return the file without an (outer) key of a section; the engine then takes its default."""
        number = self._index.keys.get((section, key))
        if number is None:
            return self
        return self._with_lines(*self.lines[:number], *self.lines[number + 1 :])

    def without_listeners(self) -> "OptionsFile":
        """Return the file without ``listeners``: db_bench writes its own there, which no other program can make."""
        return self.without("DB", "listeners")

    def without_paths(self) -> "OptionsFile":
        """Return the file without ``wal_dir`` and ``db_log_dir``: a product's folders are not to be written to."""
        file = self
        for key in _PATH_KEYS:
            file = file.without("DB", key)
        return file

    def as_default(self, family: str) -> "OptionsFile":
        """Return the file with another column family in the place of "default", to read its values."""
        if family == DEFAULT_FAMILY:
            return self
        names = {DEFAULT_FAMILY: _OLD_DEFAULT, family: DEFAULT_FAMILY}
        return self._with_lines(*(_renamed(line, names) for line in self.lines))

    def from_default(self, family: str) -> "OptionsFile":
        """Return the file as it was before `as_default`, with what was changed since."""
        if family == DEFAULT_FAMILY:
            return self
        names = {_OLD_DEFAULT: DEFAULT_FAMILY, DEFAULT_FAMILY: family}
        return self._with_lines(*(_renamed(line, names) for line in self.lines))

    def only(self, family: str) -> "OptionsFile":
        """Return the file with one column family alone, as "default".

        Raises:
            UsageError: it has no such family.
        """
        known = (DEFAULT_FAMILY, *self.other_families)
        if family not in known:
            raise UsageError(f'{self.place} has no column family "{family}"; choose one of {", ".join(known)}')
        kept, is_kept = [], True
        for line in self.lines:
            header = _HEADER.fullmatch(_COMMENT.sub("", line).strip())
            if header is not None:
                is_kept = header[2] in (None, family)
            if is_kept:
                kept.append(_renamed(line, {family: DEFAULT_FAMILY}))
        return self._with_lines(*kept)

    def text(self) -> str:
        """Return the file's text."""
        return "\n".join(self.lines) + "\n"

    @cached_property
    def _index(self) -> "_Index":
        return _read_index(self.lines, self.place)

    def _with_lines(self, *lines: str) -> "OptionsFile":
        return OptionsFile(self.place, lines)

    def _with_new_key(self, section: str, line: str) -> "OptionsFile":
        last = self._index.sections.get(section)
        if last is not None:
            return self._with_lines(*self.lines[: last + 1], line, *self.lines[last + 1 :])
        factory = self.get("CF", "table_factory")
        if section == "Table" and factory not in {None, "BlockBasedTable"}:
            raise UsageError(f"{self.place} uses table_factory={factory}, so it cannot take {line.strip()}")
        if section == "DB":
            last = self._index.sections["Version"]
            return self._with_lines(*self.lines[: last + 1], "", _HEADERS[section], line, *self.lines[last + 1 :])
        return self._with_lines(*self.lines, "", _HEADERS[section], line)


def newest_options(folder: Path) -> Path | None:
    """Return the newest OPTIONS file of a database's folder; None where it has none."""
    return next(iter(numbered_options(folder)[-1:]), None)


def numbered_options(folder: Path) -> list[Path]:
    """Return the OPTIONS files that an engine wrote into a database's folder, the newest last."""
    found = [(int(match[1]), path) for path in folder.iterdir() if (match := _NUMBERED.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def _renamed(line: str, names: Mapping[str, str]) -> str:
    """Return a line with the column family of its header, if it is one, under another name."""
    match = _HEADER.fullmatch(_COMMENT.sub("", line).strip())
    if match is None or match[2] not in names:
        return line
    return f'[{match[1]} "{names[match[2]]}"]'


def nested(value: str) -> tuple[tuple[str, str], ...]:
    """Split ``{a=b;c={d=e;};}`` into (name, value) pairs of its outer level; a value without braces has none."""
    if not (value.startswith("{") and value.endswith("}")):
        return ()
    pairs = (part.partition("=") for part in _parts(value[1:-1]) if "=" in part)
    return tuple((name.strip(), inner.strip()) for name, _, inner in pairs)


def _flatten(key: str, value: str, found: dict[str, str]) -> None:
    """Put a value under its key, or the parts of a nested one under theirs.

    Without recursion, as a damaged file may nest deeper than Python calls.
    """
    waiting = [(key, value)]
    while waiting:
        name, text = waiting.pop()
        parts = nested(text)
        if parts:
            waiting += [(f"{name}.{part}", inner) for part, inner in reversed(parts)]
        else:
            found[name] = text


@dataclass(frozen=True)
class _Index:
    """Line numbers from 0: of each key of a known section, and of the last filled line of each such section."""

    keys: dict[tuple[str, str], int]
    sections: dict[str, int]
    other_families: tuple[str, ...]


def _read_index(lines: tuple[str, ...], place: str) -> _Index:
    keys: dict[tuple[str, str], int] = {}
    sections: dict[str, int] = {}
    families: dict[str, None] = {}
    section: str | None = None
    for number, content in _contents(lines):
        if content.startswith("["):
            section, family = _section(content, f"{place}:{number + 1}")
            families.update({family: None} if family != DEFAULT_FAMILY else {})
        else:
            if section is None:
                raise UsageError(f'{place}:{number + 1}: "{content[:60]}" stands before the first [section]')
            if "=" not in content:
                raise UsageError(f'{place}:{number + 1}: "{content[:60]}" has no "="; write key=value')
            keys[section, _split_line(content)[0]] = number
        sections[section] = number
    return _Index(keys, sections, tuple(families))


def _contents(lines: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines):
        content = _COMMENT.sub("", line).strip()
        if content:
            yield number, content


def _section(content: str, where: str) -> tuple[str, str]:
    """Return (short name, column family); a section that is not tuned keeps its whole header as name."""
    match = _HEADER.fullmatch(content)
    if match is None:
        raise UsageError(f'{where}: "{content[:60]}" is no section; write it like [DBOptions] or {_HEADERS["CF"]}')
    title, family = match[1], match[2] or DEFAULT_FAMILY
    short = {"Version": "Version", "DBOptions": "DB", "CFOptions": "CF", "TableOptions/BlockBasedTable": "Table"}
    known = short.get(title)
    return (known if known is not None and family == DEFAULT_FAMILY else content), family


def _split_line(line: str) -> tuple[str, str]:
    name, _, value = _COMMENT.sub("", line).partition("=")
    return name.strip(), value.strip()


def _parts(inside: str) -> Iterator[str]:
    """Yield what ``;`` separates outside of inner braces, empty parts left out."""
    depth = start = 0
    for position, character in enumerate(inside):
        depth += (character == "{") - (character == "}")
        if character == ";" and depth == 0:
            if inside[start:position].strip():
                yield inside[start:position]
            start = position + 1
    if inside[start:].strip():
        yield inside[start:]


def _with_nested(value: str, path: list[str], new: str) -> str:
    if not (value.startswith("{") and value.endswith("}")):
        raise ValueError(value)
    name, *rest = path
    pairs = dict(nested(value))
    pairs[name] = _with_nested(pairs.get(name, "{}"), rest, new) if rest else new
    return "{" + "".join(f"{each}={inner};" for each, inner in pairs.items()) + "}"
