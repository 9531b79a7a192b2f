"""Flags of db_bench, as a file for ``db_bench --flagfile``."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from lsmtune.backends.rocksdb import open_with
from lsmtune.errors import EngineError
from lsmtune.exporters._base import Export, ExportContext
from lsmtune.exporters._composed import refused
from lsmtune.exporters._wording import commented, heading, setting_text
from lsmtune.model import Configuration, Purpose, Run

_SEED = 1
_DATABASE = Path("/path/to/database")
_FILE = "tuned.flags"
_STARTED_FROM_FILE = (
    "The study started from an OPTIONS file: what lsmtune does not know of it is missing here; use the format "
    "options-file for all of it."
)


class FlagsExport(Export):
    """What differs from a db_bench without flags, one flag a line with its evidence above it."""

    name = "flags"
    summary = "Flags of db_bench for what differs from its defaults, with the command of the workload."

    def text(self, material: ExportContext) -> str:
        """Return a flag file; see `Export`."""
        try:
            open_with(material.build, None, material.commands.option_flags(material.non_default_values))
        except EngineError as error:
            raise refused(material, error) from None
        return "\n".join((*_header(material), "", *_flags(material))) + "\n"


def _header(material: ExportContext) -> Iterator[str]:
    yield from heading(material)
    if material.result.final.options_file is not None:
        yield from commented([_STARTED_FROM_FILE])
    yield from _command(material)


def _command(material: ExportContext) -> Iterator[str]:
    """Yield the commands of the workload at full size, each on one line to be copied."""
    if material.workload is None:
        yield from commented([f"Use this text as a file: db_bench --flagfile={_FILE} --benchmarks=..."])
        return
    empty = Configuration()
    commands = [material.commands.measuring(Run(1, Purpose.TRIAL, "export", None, empty, _SEED, _SEED), _DATABASE)]
    if material.workload.load:
        commands.insert(0, material.commands.loading(empty, _SEED, _DATABASE))
    yield "#"
    yield from commented([f"The workload at full size, with this text in {_FILE}:"])
    for command in commands:
        yield f"#   {shlex.join((*command, f'--flagfile={_FILE}'))}"


def _flags(material: ExportContext) -> Iterator[str]:
    for name in sorted({*material.non_default_values, *(change.option for change in material.result.changes)}):
        flags = material.commands.option_flags({name: material.values[name]})
        unflagged = "" if flags else "; it has no flag and needs the format options-file"
        yield from commented([setting_text(material, name) + unflagged])
        yield from flags
