"""Flags of db_bench, as a file for ``db_bench --flagfile``."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from lsmtune.backends.rocksdb import open_with
from lsmtune.errors import EngineError
from lsmtune.exporters._base import Export, ExportContext
from lsmtune.exporters._composed import refused
from lsmtune.exporters._wording import commented, heading, setting_text, untranslated_texts
from lsmtune.model import Configuration, Purpose, Run

_SEED = 1
_DATABASE = Path("/path/to/database")
_FILE = "tuned.flags"
_LEAVES_DEBT = (
    "This db_bench has no flush that works: by hand the command leaves compactions and a memtable behind, "
    "which runs of lsmtune wait for."
)
_STARTED_FROM_FILE = (
    "The study started from an OPTIONS file: what lsmtune does not know of it is missing here; use the format "
    "options-file for all of it."
)


class FlagsExport(Export):
    """What differs from a db_bench without flags, one flag a line with its evidence above it."""

    name = "flags"
    summary = "Flags of db_bench for what differs from its defaults, with the command of the workload."

    def text(self, context: ExportContext) -> str:
        """Return a flag file; see `Export`."""
        try:
            open_with(context.build, None, context.commands.option_flags(context.non_default_values))
        except EngineError as error:
            raise refused(context, error) from None
        return "\n".join((*_header(context), "", *_flags(context))) + "\n"


def _header(context: ExportContext) -> Iterator[str]:
    yield from heading(context)
    if context.result.final.options_file is not None:
        yield from commented([_STARTED_FROM_FILE])
        yield from commented(untranslated_texts(context), "  ")
    yield from _command(context)


def _command(context: ExportContext) -> Iterator[str]:
    """Yield the commands of the workload at full size, each on one line to be copied."""
    if context.workload is None:
        yield from commented([f"Use this text as a file: db_bench --flagfile={_FILE} --benchmarks=..."])
        return
    empty = Configuration()
    commands = [context.commands.measuring(Run(1, Purpose.TRIAL, "export", None, empty, _SEED, _SEED), _DATABASE)]
    if context.workload.load:
        commands.insert(0, context.commands.loading(empty, _SEED, _DATABASE))
    yield "#"
    yield from commented([f"The workload at full size, with this text in {_FILE}:"])
    if context.commands.settles and not context.commands.settled_by:
        yield from commented([_LEAVES_DEBT])
    for command in commands:
        yield f"#   {shlex.join((*command, f'--flagfile={_FILE}'))}"


def _flags(context: ExportContext) -> Iterator[str]:
    for name, value in context.told_values.items():
        flags = context.commands.option_flags({name: value})
        unflagged = "" if flags else "; it has no flag and needs the format options-file"
        yield from commented([setting_text(context, name) + unflagged])
        yield from flags
