"""What each tool that drives an engine offers to a study: its build, its options, its starting points, its bench."""

from lsmtune.benches.kits._kit import Kit
from lsmtune.benches.kits._registry import kit_for, options_of

__all__ = ["Kit", "kit_for", "options_of"]
