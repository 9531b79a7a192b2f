"""A study's configuration as text to take home, at full size, with its evidence."""

from lsmtune.exporters._base import Export, ExportContext
from lsmtune.exporters._registry import EXPORTERS, check_format, default_format, export

__all__ = ["EXPORTERS", "Export", "ExportContext", "check_format", "default_format", "export"]
