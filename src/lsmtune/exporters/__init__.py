"""A study's configuration as text, at full size, with its evidence."""

from lsmtune.exporters._base import Export, ExportContext
from lsmtune.exporters._registry import (
    EXPORTERS,
    check_format,
    check_target,
    default_format,
    export,
    export_for,
)
from lsmtune.exporters.targets import find_target, target_names

__all__ = [
    "EXPORTERS",
    "Export",
    "ExportContext",
    "check_format",
    "check_target",
    "default_format",
    "export",
    "export_for",
    "find_target",
    "target_names",
]
