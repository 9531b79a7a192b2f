"""A RocksDB OPTIONS file that the engine has opened a database with."""

from collections.abc import Iterator

from lsmtune.backends.registry import backend_of
from lsmtune.backends.rocksdb import OptionsFile
from lsmtune.exporters._base import Export, ExportContext, program
from lsmtune.exporters._composed import Composed, compose, in_its_family, reopened
from lsmtune.exporters._wording import (
    change_text,
    changes_title,
    commented,
    origin,
    overridden_text,
    value_text,
    verdict,
)

_BEGIN, _END = "# ---- lsmtune export ----", "# ---- end of lsmtune export ----"

_IN_CODE = {
    "cache_size": "BlockBasedTableOptions::block_cache",
    "cache_type": "BlockBasedTableOptions::block_cache",
    "row_cache_size": "DBOptions::row_cache",
    "rate_limiter_bytes_per_sec": "DBOptions::rate_limiter",
}
"""Where a program sets what no OPTIONS file holds."""

_NOTHING_TO_SET = ("row_cache_size", 0)


class OptionsFileExport(Export):
    """An OPTIONS file for ``LoadOptionsFromFile``, ``db_bench --options_file`` or ``lsmtune-ycsb --options-file``.

    The base is the user's own file, all else in it as it was, or the complete file that RocksDB writes under the
    study's tool. Only ``listeners`` is taken out: the tools have some there that no other program can make.
    """

    name = "options-file"
    summary = "A complete OPTIONS file, checked by opening a database with it."

    def text(self, context: ExportContext) -> str:
        """Return the file's text; see `Export`."""
        composed = compose(context)
        header = (_BEGIN, *_header(context, composed), _END, "")
        text = "\n".join(header) + "\n" + _without_older_header(in_its_family(context, composed.file).text())
        reopened(context, text)
        return text


def _header(context: ExportContext, composed: Composed) -> Iterator[str]:
    result = context.result
    yield from commented(origin(context))
    yield from commented(verdict(result))
    yield from commented([_base(context, composed.file)])
    yield "#"
    yield from commented(changes_title(result))
    yield from commented(
        (change_text(change, context.catalogue.option(change.option)) for change in result.changes), "  "
    )
    beyond = list(_in_code(context))
    if beyond:
        yield "#"
        yield from commented(["Measured with these values, which OPTIONS files cannot hold; set in code:"])
        yield from commented(beyond, "  ")
    if composed.overridden:
        yield "#"
        yield from commented([f"RocksDB {context.build.version} changes these values when it opens the database:"])
        yield from commented(
            (overridden_text(each, context.catalogue.option(each.option)) for each in composed.overridden), "  "
        )
    if result.warnings:
        yield "#"
        yield from commented(["Findings of the study:"])
        yield from commented(map(str, result.warnings), "  ")


def _base(context: ExportContext, file: OptionsFile) -> str:
    family = context.result.facts.column_family
    if family and context.result.final.options_file is not None:
        own = "of the OPTIONS file that the study started from"
        return f'Column family "{family}" {own} was tuned; all else in it is as it was.'
    if context.result.final.options_file is None:
        return f"Everything else is what {program(context.build)} writes, {backend_of(context.build).rest}."
    others = ", ".join(f'"{name}"' for name in file.other_families)
    untouched = f"; column families {others} were neither tuned nor changed" if others else ""
    return f"Everything else is as in the OPTIONS file that the study started from{untouched}."


def _in_code(context: ExportContext) -> Iterator[str]:
    for name, value in context.tool_values().items():
        option = context.catalogue.option(name)
        if value not in option.special and (name, value) != _NOTHING_TO_SET:
            place = f", {_IN_CODE[name]}" if name in _IN_CODE else ""
            yield f"{name} = {value_text(option, value)}{place}"


def _without_older_header(text: str) -> str:
    """Drop the comments of an earlier export, whose evidence is not this study's."""
    before, begin, rest = text.partition(_BEGIN + "\n")
    _, end, after = rest.partition(_END + "\n")
    return before + after.removeprefix("\n") if begin and end else text
