"""The page of options: every entry of the catalogue, the presets, and what the engine demands."""

from collections.abc import Iterator, Mapping

from docs_pages._markdown import anchor, bullets, code, generated, page, paragraph, table
from lsmtune.model import Value
from lsmtune.space import Catalogue, Format, Kind, Mutability, Option, Preset, catalogue
from lsmtune.units import format_bytes, parse_bytes

_SECTIONS = {
    "DB": ("Database", "`[DBOptions]` of an OPTIONS file."),
    "CF": ("Column family", '`[CFOptions "default"]` of an OPTIONS file.'),
    "Table": ("Table", '`[TableOptions/BlockBasedTable "default"]` of an OPTIONS file.'),
    "tool": ("Set in code", "Flags of db_bench for what a program sets in code; no OPTIONS file holds it."),
}
_KINDS = {Kind.INT: "whole number", Kind.FLOAT: "number", Kind.BOOL: "true or false", Kind.CHOICE: "choice"}
_MUTABILITY = {
    Mutability.ONLINE: "by SetOptions or SetDBOptions, without a restart",
    Mutability.RESTART: "when the database is opened again",
}
_FORMATS = {
    Format.NONE: "nothing",
    Format.TREE: "the shape of the tree, which settles under a new value before it is measured",
    Format.FILES: "the content of files, so that data is loaded anew for each value",
}
_INTROS = {
    "rocksdb": "Every option of RocksDB that lsmtune knows. All values are at full size: the scale of an experiment "
    "shrinks the options that are marked as scaled together with the data. "
    "Ranges are where a search looks unless the experiment says otherwise (`space.ranges`). "
    "`lsmtune options NAME` shows an entry as it is for the db_bench that is installed. "
    "LevelDB has [a page of its own](options-leveldb.md).",
    "leveldb": "Every option of LevelDB that lsmtune knows, set through the driver lsmtune-ycsb. What else shapes a "
    "tree of LevelDB is compiled in: 7 levels; 4 files in level 0 start a compaction, 8 slow writes down, 12 stop "
    "them; level n holds 10 MB x 10^(n-1). So nothing here is scaled, and experiments with LevelDB run at `scale = 1`. "
    "`lsmtune options --engine leveldb` lists the same. RocksDB has [a page of its own](options.md).",
}
_MOST_CHOICES = 3
_CONSTRAINTS = "A search keeps these relations, so that the configuration that it proposes is the one that runs."


def options_page(engine: str = "rocksdb") -> str:
    """Return the page of all options of an engine."""
    known = catalogue(engine)
    return page(
        "# Options" if engine == "rocksdb" else "# Options of LevelDB",
        generated("src/lsmtune/space/catalog/"),
        paragraph(_INTROS[engine]),
        "[Presets](#presets)"
        + (" - [Relations between options](#relations-between-options)" if known.constraints else ""),
        *_indexes(known),
        *_entries(known),
        "## Presets",
        *(block for preset in known.presets.values() for block in _preset(preset)),
        *_relations(known),
    )


def _relations(known: Catalogue) -> Iterator[str]:
    if known.constraints:
        yield "## Relations between options"
        yield paragraph(_CONSTRAINTS)
        yield bullets(f"{code(item.expression)}{_before(item.until)}: {item.why}" for item in known.constraints)


def _before(until: str | None) -> str:
    return "" if until is None else f", before {until}"


def _indexes(known: Catalogue) -> Iterator[str]:
    yield "## Index"
    library = "RocksDB" if known.engine == "rocksdb" else "LevelDB"
    for section, (title, _) in _SECTIONS.items():
        options = _of(known, section)
        if not options:
            continue
        yield f"**{title}**"
        yield table(
            ("Option", "db_bench", library, "Range"),
            (
                (
                    f"[{option.name}]({anchor(option.name)})",
                    _defaults(option, option.db_bench_default),
                    _defaults(option, option.library_default),
                    _short_range(option),
                )
                for option in options
            ),
        )


def _entries(known: Catalogue) -> Iterator[str]:
    for section, (title, where) in _SECTIONS.items():
        options = _of(known, section)
        if options:
            yield f"## {title}"
            yield where if known.engine == "rocksdb" else "Fields of `leveldb::Options`, and two of `ReadOptions`."
        for option in options:
            yield f"### {option.name}"
            yield paragraph(option.summary)
            yield paragraph(f"*Price.* {option.price}")
            yield bullets(_facts(known, option))


def _facts(known: Catalogue, option: Option) -> Iterator[str]:
    is_rocksdb = known.engine == "rocksdb"
    yield f"Set by: {_places(option) if is_rocksdb else _places_of_leveldb(option)}"
    unit = f", {option.unit}" if option.unit else ""
    yield f"Type: {_KINDS[option.kind]}{unit}; a search takes {_range(option) or 'no other value than the default'}"
    in_tool, in_library = (_defaults(option, each) for each in (option.db_bench_default, option.library_default))
    yield f"Default: db_bench {in_tool}, RocksDB {in_library}" if is_rocksdb else f"Default: {in_library}"
    if option.key_values:
        yield f"In OPTIONS files: {', '.join(f'{name} = {code(text)}' for name, text in option.key_values.items())}"
    if option.special:
        meanings = (f"{code(value)}: {meaning}" for value, meaning in option.special.items())
        yield f"Special: {'; '.join(meanings)}"
    if option.condition:
        yield f"Has an effect if {option.works_if(code)}"
    if option.constraint:
        yield f"Note: {option.constraint}"
    if option.scaled:
        floor = "" if option.floor is None else f", not below {_value(option, option.floor)}"
        yield f"Scaled with the data{floor}"
    yield f"Changes {_changed(option)}; on disk it decides {_FORMATS[option.format]}"
    if option.since != "7.8" or option.until is not None:
        yield f"Versions: since {option.since}" + (f", gone in {option.until}" if option.until else "")


def _changed(option: Option) -> str:
    now = _MUTABILITY[option.mutability]
    if option.online_since is None:
        return now
    return f"{now}, since {option.online_since} (before, {_MUTABILITY[Mutability.RESTART]})"


def _places(option: Option) -> str:
    flag = f"{code(f'--{option.flag}')}" if option.flag is not None else "no flag of db_bench"
    key = f"{code(option.key)} in OPTIONS files" if option.key is not None else "not in OPTIONS files"
    return f"{flag}; {key}"


def _places_of_leveldb(option: Option) -> str:
    flag = f"; {code(f'--{option.flag}')} of LevelDB's own db_bench" if option.flag is not None else ""
    return f"{code(f'leveldb.{option.key}')} as a property of YCSB{flag}"


def _preset(preset: Preset) -> Iterator[str]:
    yield f"### {preset.name}"
    yield paragraph(preset.summary)
    if preset.name == "all":
        yield f"{len(preset.options)} options."
        return
    yield paragraph(", ".join(f"[{name}]({anchor(name)})" for name in preset.options) + ".")
    if preset.workload_axes:
        axes = ", ".join(code(name) for name in preset.workload_axes)
        yield paragraph(f"Not options but part of the workload: {axes}.")


def _of(known: Catalogue, section: str) -> list[Option]:
    return [option for option in known.options.values() if option.section == section]


def _range(option: Option) -> str:
    if option.choices:
        named = f"; only where listed {', '.join(option.only_if_named)}" if option.only_if_named else ""
        return f"{', '.join(option.usual_choices)}{named}"
    if option.kind is Kind.BOOL:
        return "true, false"
    if option.low is None or option.high is None:
        return ""
    low, high = (int(end) if option.kind is Kind.INT else end for end in (option.low, option.high))
    return f"{_value(option, low)} to {_value(option, high)}" + (", logarithmic" if option.log else "")


def _short_range(option: Option) -> str:
    """Return the range as an index has room for it."""
    if len(option.choices) > _MOST_CHOICES:
        return f"{len(option.choices)} choices"
    return _range(option).replace("logarithmic", "log")


def _defaults(option: Option, by_version: Mapping[str, Value]) -> str:
    """Return the default, or the defaults by their first version."""
    (_, oldest), *newer = by_version.items()
    return " ".join([_value(option, oldest), *(f"({_value(option, value)} since {first})" for first, value in newer)])


def _value(option: Option, value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if option.unit in ("B", "B/s") and isinstance(value, int) and value > 0:
        text = format_bytes(value)
        if parse_bytes(text) == value:
            return text + option.unit.removeprefix("B")
    return str(value)
