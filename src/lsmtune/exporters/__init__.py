"""A study's configuration as text to take home, at full size, with its evidence."""

from lsmtune.exporters._base import Export, Material
from lsmtune.exporters._registry import EXPORTERS, check_format, default_format, export

__all__ = ["EXPORTERS", "Export", "Material", "check_format", "default_format", "export"]
